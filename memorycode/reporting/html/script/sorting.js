/* Tables are sorted by a click on a title. */

function sortBy(table, title) {
  const titles = [...title.parentElement.children];
  const column = titles.indexOf(title);
  const isNumber = title.dataset.kind === "number";
  const before = title.getAttribute("aria-sort");
  const first = isNumber ? "descending" : "ascending";
  const second = isNumber ? "ascending" : "descending";
  const order = before === first ? second : first;
  for (const other of titles) other.setAttribute("aria-sort", other === title ? order : "none");
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].map((row) => {
    const cell = row.cells[column];
    const given = cell.dataset.value;
    const unranked = row.querySelector("th .unranked") !== null;
    if (isNumber) return { row, unranked, value: given === undefined ? null : Number(given) };
    return { row, unranked, value: given ?? cell.textContent };
  });
  rows.sort((a, b) => {
    if (a.unranked !== b.unranked) return a.unranked - b.unranked;
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
    if (isNumber) return sign * (a.value - b.value);
    return sign * a.value.localeCompare(b.value, "en", { numeric: true });
  });
  table.tBodies[0].append(...rows.map((one) => one.row));
}

for (const table of document.querySelectorAll("table.sortable")) {
  table.tHead.addEventListener("click", (event) => {
    const title = event.target.closest("button")?.closest("th");
    if (title) sortBy(table, title);
  });
}
