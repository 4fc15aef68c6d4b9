"""The script of a report: tables that are sorted by a click, a search in the pairs, and printing with all mistakes."""

SCRIPT = """
"use strict";
function valueOf(row, column) {
  const text = row.cells[column] ? row.cells[column].textContent.trim() : "";
  const number = parseFloat(text.replace(/,/g, "").replace("\\u2212", "-"));
  return { text: text.toLowerCase(), number: Number.isNaN(number) ? null : number };
}
function compare(a, b) {
  if (a.number !== null && b.number !== null) return a.number - b.number;
  if (a.number !== null || b.number !== null) return a.number === null ? -1 : 1;
  return a.text.localeCompare(b.text);
}
for (const table of document.querySelectorAll("table.rk-sorted")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    head.setAttribute("aria-sort", "none");
    const sort = () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [valueOf(row, column), row]);
      rows.sort((a, b) => (down ? compare(b[0], a[0]) : compare(a[0], b[0])));
      body.append(...rows.map((pair) => pair[1]));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); sort(); }
    });
  });
}
const find = document.getElementById("find");
if (find) {
  const found = document.getElementById("found");
  const rows = [...document.getElementById("rows").tBodies[0].rows];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, place) => {
      const fits = words.every((word) => texts[place].includes(word));
      row.hidden = !fits;
      count += fits;
    });
    found.textContent = count.toLocaleString("en") + " of " + rows.length.toLocaleString("en") + " pairs.";
  });
}
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details")) part.open = true;
});
"""
