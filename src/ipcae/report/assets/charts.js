"use strict";
// Tooltips of the charts, by pointer, touch or arrow keys.
const watchChart = (figure) => {
  const source = figure.querySelector("script");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const svg = figure.querySelector("svg");
  const layer = svg.querySelector(".hover");
  const tip = figure.querySelector(".tip");
  let current = data.x.length - 1;

  const make = (name, attributes) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, item] of Object.entries(attributes)) node.setAttribute(key, item);
    return node;
  };

  const show = (index) => {
    current = index;
    const x = data.x[index];
    const guide = make("line", { x1: x, x2: x, y1: svg.dataset.top, y2: svg.dataset.bottom });
    const head = document.createElement("b");
    head.textContent = data.heads[index];
    const dots = [], lines = [];
    for (const line of data.lines) {
      if (line.y[index] === null) continue;
      dots.push(make("circle", { class: line.css, cx: x, cy: line.y[index], r: 4.5 }));
      const entry = document.createElement("div");
      const mark = document.createElement("i");
      mark.className = line.css;
      entry.append(mark, line.name + " " + line.text[index]);
      lines.push(entry);
    }
    layer.replaceChildren(guide, ...dots);
    tip.replaceChildren(head, ...lines);
    tip.hidden = false;
    const wide = svg.clientWidth, place = (x / svg.viewBox.baseVal.width) * wide;
    const left = place > wide / 2 ? place - tip.offsetWidth - 10 : place + 10;
    tip.style.left = Math.max(0, Math.min(left, wide - tip.offsetWidth)) + "px";
  };

  const hide = () => {
    layer.replaceChildren();
    tip.hidden = true;
  };

  const point = (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * svg.viewBox.baseVal.width;
    let nearest = 0;
    data.x.forEach((place, index) => {
      if (Math.abs(place - x) < Math.abs(data.x[nearest] - x)) nearest = index;
    });
    show(nearest);
  };

  svg.addEventListener("pointermove", point);
  svg.addEventListener("pointerdown", point);
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step) return;
    event.preventDefault();
    show(tip.hidden ? current : Math.max(0, Math.min(data.x.length - 1, current + step)));
  });
};

document.querySelectorAll("figure.chart").forEach(watchChart);
