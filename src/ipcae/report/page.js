"use strict";
// The table of features: sort, filter, copy.
(() => {
  const table = document.getElementById("ranking");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const heads = Array.from(table.tHead.rows[0].cells);
  const filter = document.getElementById("filter");
  const others = document.getElementById("others");
  const status = document.getElementById("status");

  const value = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value === undefined) return cell.textContent;
    return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
  };

  const show = () => {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const named = row.cells[1].textContent.toLowerCase().includes(wanted);
      const asked = !others || others.checked || row.classList.contains("selected");
      row.hidden = !(named && asked);
      shown += row.hidden ? 0 : 1;
    }
    status.textContent = shown + (shown === 1 ? " feature" : " features");
  };

  const compare = (a, b, column) => {
    const x = value(a, column), y = value(b, column);
    if (typeof x === "string") return x.localeCompare(y, undefined, { numeric: true });
    return x - y;
  };

  const sort = (column) => {
    const head = heads[column];
    const before = head.getAttribute("aria-sort");
    // Ranks and names begin with the first, sizes with the largest.
    const first = column < 2 ? "ascending" : "descending";
    const second = column < 2 ? "descending" : "ascending";
    const order = before === first ? second : first;
    heads.forEach((other) => other.setAttribute("aria-sort", other === head ? order : "none"));
    const sign = order === "ascending" ? 1 : -1;
    rows.sort((a, b) => {
      const missing = Number.isNaN(value(a, column)) - Number.isNaN(value(b, column));
      return missing || sign * compare(a, b, column) || compare(a, b, 0);
    });
    body.append(...rows);
  };

  const quoted = (text) => (/[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);

  const csv = () => {
    const line = (cells, selected) => [...cells.slice(0, 2), selected, ...cells.slice(2)].join(",");
    const names = heads.map((head) => head.dataset.key);
    const lines = rows.filter((row) => !row.hidden).map((row) => line(
      Array.from(row.cells, (cell) => quoted(cell.dataset.value ?? cell.textContent)),
      row.classList.contains("selected") ? "True" : "False"));
    return [line(names, "selected"), ...lines].join("\n") + "\n";
  };

  // Pages opened from a file may have no clipboard of their own.
  const copyByHand = (text) => {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  };

  const copy = async () => {
    const text = csv();
    let done = false;
    try {
      await navigator.clipboard.writeText(text);
      done = true;
    } catch {
      done = copyByHand(text);
    }
    const n = rows.filter((row) => !row.hidden).length;
    status.textContent = done ? n + (n === 1 ? " row copied" : " rows copied") : "The browser refused to copy";
  };

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sort(column)));
  filter.addEventListener("input", show);
  if (others) others.addEventListener("change", show);
  document.getElementById("copy").addEventListener("click", copy);
  show();
})();

// The charts: the values under the pointer, the finger or the arrow keys.
for (const figure of document.querySelectorAll("figure.chart")) {
  const source = figure.querySelector("script");
  if (!source) continue;
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
}
