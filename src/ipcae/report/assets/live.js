// Poll the state every second until the training has finished.
(() => {
  const message = document.getElementById("news");
  const done = document.getElementById("done");
  const charts = document.getElementById("charts");
  let seen = 0;

  const show = (state) => {
    message.textContent = state.sentence;
    done.value = state.done;
    // Do not replace the charts while a tooltip is shown.
    if (!state.charts || charts.querySelector(".tip:not([hidden])")) return;
    charts.innerHTML = state.charts;
    charts.querySelectorAll("figure.chart").forEach(watchChart);
    seen = state.version;
  };

  const poll = async () => {
    try {
      const response = await fetch("state?seen=" + seen, { cache: "no-store" });
      const state = await response.json();
      show(state);
      if (state.finished) return;
    } catch {
      message.textContent = "The command has stopped. Last state: " + message.textContent;
      return;
    }
    setTimeout(poll, 1000);
  };
  poll();
})();
