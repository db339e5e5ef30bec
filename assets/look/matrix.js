/* The matrix by pointer and keyboard: tips, a walk by arrows that takes the window along, the pair in place, the map. */
import { all, one, prefetch, swap } from "./site.js";

const DWELL_MS = 90;
const MILLION = 1e6;
const VERBS = { W: "beats", T: "ties with", L: "loses to" };
let wanted = null;

/* Where a cell stands: its row's and its column's head. */
function heads(cell) {
  const place = cell.closest("td");
  const row = place.parentElement.cells[0];
  return { row, column: one("thead tr", place.closest("table")).cells[place.cellIndex] };
}

function exact(micro) {
  return (Number(micro) / MILLION).toFixed(6).replace("-", "−");
}

function tell(cell) {
  if (cell.dataset.tip) return;
  const { row, column } = heads(cell);
  const lower = Number(row.dataset.at) > Number(column.dataset.at) ? row : column;
  const margin = Number(lower.dataset.margin) < 0 ? "" : `, margin ${exact(lower.dataset.margin)}`;
  const name = one("a", row).textContent;
  cell.dataset.tip = `${name} ${VERBS[cell.textContent]} ${one("span", column).textContent}: LCB ${exact(cell.dataset.lcb)}${margin}`;
}

const cellOf = (target) => (target instanceof Element ? target.closest("a.cb-cell") : null);

/* One cell of the matrix is in the tab order; arrows reach the others. */
function rove() {
  const cells = all(".cb-matrix a.cb-cell");
  const chosen = cells.find((cell) => cell.getAttribute("aria-current")) || cells[0];
  for (const cell of cells) cell.tabIndex = cell === chosen ? 0 : -1;
  const frame = one("#matrix-box");
  if (frame) frame.tabIndex = frame.scrollHeight > frame.clientHeight || frame.scrollWidth > frame.clientWidth ? 0 : -1;
}

function focusCell(cell) {
  for (const other of all(".cb-matrix a.cb-cell[tabindex='0']")) other.tabIndex = -1;
  cell.tabIndex = 0;
  cell.focus();
}

function shift(rows, columns) {
  const map = one("#matrix-map");
  if (!map) return null;
  const last = Number(map.dataset.n) - Number(map.dataset.shown);
  const here = one("#matrix-here");
  const at = { from: Number(here.getAttribute("y")), cols: Number(here.getAttribute("x")) };
  return move(map, Math.min(Math.max(0, at.from + rows), last), Math.min(Math.max(0, at.cols + columns), last), at);
}

function move(map, from, cols, before) {
  if (before && before.from === from && before.cols === cols) return null;
  const url = new URL(map.dataset.href, window.location.href);
  url.searchParams.set("from", from);
  url.searchParams.set("cols", cols);
  return swap(url.href.replaceAll("%2C", ","), "matrix-view");
}

/* Arrow keys walk the matrix; the diagonal, which leads nowhere, is stepped over; at an edge the window moves on. */
async function walk(event, cell) {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const found = neighbour(cell, step);
  if (found) {
    focusCell(found);
    return;
  }
  const { row, column } = heads(cell);
  const goal = [Number(row.dataset.at) + step[0], Number(column.dataset.at) + step[1]];
  if (!(await shift(step[0] * 20, step[1] * 20))) return;
  const next = cellAt(goal[0], goal[1]) || cellAt(goal[0] + step[0], goal[1] + step[1]);
  if (next) focusCell(next);
}

function lines(table) {
  return all("tbody tr", table).filter((row) => row.cells.length > 1);
}

function neighbour(cell, step) {
  const place = cell.closest("td");
  const rows = lines(place.closest("table"));
  let row = rows.indexOf(place.parentElement) + step[0];
  let column = place.cellIndex + step[1];
  while (rows[row] && rows[row].cells[column]) {
    const next = one("a.cb-cell", rows[row].cells[column]);
    if (next) return next;
    row += step[0];
    column += step[1];
  }
  return null;
}

function cellAt(row, column) {
  const table = one("#matrix-table");
  const line = lines(table).find((one_) => Number(one_.cells[0].dataset.at) === row);
  const head = Array.from(one("thead tr", table).cells).findIndex((one_) => one_.dataset.at === String(column));
  return line && head > 0 ? one("a.cb-cell", line.cells[head]) : null;
}

/* A pair opens below the matrix. Back brings the whole view back, slice and all. */
async function open(cell) {
  const address = cell.href;
  const fresh = await swap(address, "pair");
  if (!fresh) return;
  window.history.replaceState({ part: "matrix-view" }, "", address);
  for (const other of all(".cb-matrix [aria-current]")) other.removeAttribute("aria-current");
  cell.setAttribute("aria-current", "true");
  const title = one("#pair-title");
  if (title) title.focus({ preventScroll: true });
  fresh.scrollIntoView({ block: "start", behavior: window.matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

document.addEventListener("pointerover", (event) => {
  const cell = cellOf(event.target);
  window.clearTimeout(wanted);
  if (!cell) return;
  tell(cell);
  if (event.pointerType !== "touch") wanted = window.setTimeout(() => prefetch(cell.href, "pair"), DWELL_MS);
}, true);
document.addEventListener("focusin", (event) => { const cell = cellOf(event.target); if (cell) tell(cell); }, true);
document.addEventListener("keydown", (event) => { const cell = cellOf(event.target); if (cell) walk(event, cell); });
document.addEventListener("click", (event) => {
  if (event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.target.closest(".cb-embedded")) return;
  const cell = cellOf(event.target);
  if (cell && cell.closest(".cb-matrix")) {
    event.preventDefault();
    open(cell);
    return;
  }
  const map = event.target.closest("#matrix-map");
  if (!map) return;
  event.preventDefault();
  const box = map.getBoundingClientRect();
  const n = Number(map.dataset.n);
  const half = Number(map.dataset.shown) / 2;
  const start = (share) => Math.round(Math.min(Math.max(0, share * n - half), n - 2 * half));
  move(map, start((event.clientY - box.top) / box.height), start((event.clientX - box.left) / box.width), null);
});

/* A view that is still worked out is asked for again until it is there; each ask has an address of its own. */
const AGAIN_MS = 2500;
const N_AGAIN = 60;
let again = 0;
function waitForIt() {
  if (!one("#matrix-wait") || again >= N_AGAIN) return;
  again += 1;
  window.setTimeout(() => {
    if (!one("#matrix-wait")) return;
    const url = new URL(window.location.href);
    url.searchParams.set("again", again);
    swap(url.href, "matrix-view", { history: "none" });
  }, AGAIN_MS);
}

document.addEventListener("cb:swapped", (event) => {
  if (event.detail.name !== "matrix-view") return;
  rove();
  waitForIt();
});
rove();
waitForIt();
