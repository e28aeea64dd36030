"use strict";
// Filters the table that has facets. Without this script all rows are shown, and no filter.
(() => {
  const form = document.getElementById("filters");
  if (!form) return;
  const table = form.parentElement.querySelector("table");
  const count = document.getElementById("count");
  const rows = [...table.tBodies[0].rows];
  // A facet is a column, and the place of its value among what stands in the cell.
  const facets = [...table.tHead.rows[0].cells].flatMap((th, column) =>
    (th.dataset.facets || "").split(" ").filter(Boolean).map((f) => [f.split(":")[0], column, Number(f.split(":")[1])]));
  for (const [name, column, place] of facets) {
    const values = new Map();
    for (const row of rows) {
      const cell = row.cells[column];
      const value = (cell.children[place] || cell).textContent;
      row.dataset[name] = value;
      if (value) values.set(value, (values.get(value) || 0) + 1);
    }
    const select = form.elements[name];
    for (const value of [...values.keys()].sort()) {
      select.add(new Option(`${value} (${values.get(value)})`, value));
    }
    select.parentElement.hidden = values.size < 2;
  }
  const texts = rows.map(() => "");
  const text = (i) => texts[i] || (texts[i] = rows[i].textContent.toLowerCase());
  const show = () => {
    const words = form.elements.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = facets.map(([name]) => [name, form.elements[name].value]).filter(([, value]) => value);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !(chosen.every(([name, value]) => row.dataset[name] === value) && words.every((word) => text(i).includes(word)));
      if (!row.hidden) shown++;
    });
    const noun = rows.length === 1 ? count.dataset.one : count.dataset.many;
    count.textContent = shown === rows.length ? `${rows.length} ${noun}` : `${shown} of ${rows.length} ${noun}`;
  };
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(show));
  form.hidden = false;
  show();
})();
