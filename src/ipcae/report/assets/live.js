// Ask for the state every second until the training has finished.
(() => {
  const news = document.getElementById("news");
  const done = document.getElementById("done");
  const charts = document.getElementById("charts");
  let seen = 0;

  const show = (state) => {
    news.textContent = state.sentence;
    done.value = state.done;
    // Keep the charts while somebody reads a value.
    if (!state.charts || charts.querySelector(".tip:not([hidden])")) return;
    charts.innerHTML = state.charts;
    charts.querySelectorAll("figure.chart").forEach(watchChart);
    seen = state.version;
  };

  const ask = async () => {
    try {
      const answer = await fetch("state?seen=" + seen, { cache: "no-store" });
      const state = await answer.json();
      show(state);
      if (state.finished) return;
    } catch {
      news.textContent = "The command has stopped. Last state: " + news.textContent;
      return;
    }
    setTimeout(ask, 1000);
  };
  ask();
})();
