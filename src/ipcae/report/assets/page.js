"use strict";
// Sort, filter and copy the table of features.
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
    // Sort ranks and names in ascending order first, numbers in descending order.
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

  // As in ranking.csv, prefix names that spreadsheets interpret as formulas with an apostrophe.
  const marked = (text) => (/^[=+@-]/.test(text) && Number.isNaN(Number(text)) ? "'" + text : text);

  // Names with invisible characters are shown escaped, but copied unchanged.
  const content = (cell) => (cell.dataset.name ? JSON.parse(cell.dataset.name) : cell.dataset.value ?? cell.textContent);

  const csv = () => {
    const line = (cells, selected) => [...cells.slice(0, 2), selected, ...cells.slice(2)].join(",");
    const names = heads.map((head) => head.dataset.key);
    const lines = rows.filter((row) => !row.hidden).map((row) => line(
      Array.from(row.cells, (cell) => quoted(marked(content(cell)))),
      row.classList.contains("selected") ? "True" : "False"));
    return [line(names, "selected"), ...lines].join("\n") + "\n";
  };

  // The clipboard API may not be available for local files.
  const copyWithTextarea = (text) => {
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
      done = copyWithTextarea(text);
    }
    const n = rows.filter((row) => !row.hidden).length;
    status.textContent = done ? n + (n === 1 ? " row copied" : " rows copied") : "Copying failed";
  };

  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => sort(column)));
  filter.addEventListener("input", show);
  if (others) others.addEventListener("change", show);
  document.getElementById("copy").addEventListener("click", copy);
  show();
})();
