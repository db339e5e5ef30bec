/* The matrix by keyboard. */
import { one } from "./site.js";

document.addEventListener("keydown", (event) => {
  const cell = event.target.closest ? event.target.closest(".cb-matrix a.cb-cell") : null;
  if (cell) moveInMatrix(event, cell);
});

/* Arrow keys walk the matrix; the diagonal, which leads nowhere, is stepped over. */
function moveInMatrix(event, cell) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!step) return;
  event.preventDefault();
  const rows = Array.from(cell.closest("tbody").rows);
  const place = cell.closest("td");
  let row = rows.indexOf(place.parentElement) + step[0], column = place.cellIndex + step[1];
  while (rows[row] && rows[row].cells[column]) {
    const next = one("a.cb-cell", rows[row].cells[column]);
    if (next) {
      next.focus();
      return;
    }
    row += step[0];
    column += step[1];
  }
}
