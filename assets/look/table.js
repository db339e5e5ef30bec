/* The table of the board. Every act is a link or a field that works without this script; here it only becomes quicker. */
import { all, announce, forget, one, swap } from "./site.js";

const VIEW = "board-view";
const view = () => document.getElementById(VIEW);
const form = () => document.getElementById("board-form");

/* ---- Systems picked for listening: kept while filters and order change. ---- */

const picked = new Set();

function showPicked() {
  const link = one("#board-compare");
  const table = one("#board-table");
  if (!link) return;
  for (const box of all("[data-pick]")) box.checked = picked.has(box.value);
  const names = [...picked].map(encodeURIComponent).join(",");
  const protocol = table ? `protocol=${encodeURIComponent(table.dataset.protocol)}&` : "";
  link.href = `/listen?${protocol}systems=${names}`;
  link.setAttribute("aria-disabled", picked.size ? "false" : "true");
  link.textContent = picked.size ? `Listen to ${picked.size} side by side` : "Listen side by side";
}

/* ---- The form follows the table, whichever way the table changed. ---- */

function fillForm() {
  const table = view();
  const fields = form();
  if (!table || !fields) return;
  const state = JSON.parse(table.dataset.state);
  for (const field of fields.elements) {
    if (!field.name || field.type === "hidden" || field === document.activeElement || table.contains(field)) continue;
    const values = state[field.name] || [];
    if (field.type === "checkbox") field.checked = values.includes(field.value);
    else if (field.name === "sort") field.value = values[Number(field.id.slice(-1)) - 1] || "";
    else if (field.tagName === "SELECT") choose(field, values[0] || "");
    else if (field.tagName === "INPUT") field.value = values[0] || "";
  }
  const label = one("#board-filters > summary");
  const names = ["licence", "size", "style", "coverage", "split", "since", "until", "newest"];
  const set = names.filter((name) => (state[name] || [""])[0]).length;
  if (label) label.textContent = set ? `Filters (${set})` : "Filters";
}

function choose(field, value) {
  field.value = value;
  if (field.value === value) return;
  field.add(new Option(value, value));
  field.value = value;
}

/* The address of a state in its shortest form is the table's own; Back always brings the whole page in step. */
function settleAddress() {
  const shown = view() && view().dataset.address;
  if (!shown || one(".cb-embed")) return;
  const url = new URL(shown, window.location.href);
  url.hash = window.location.hash;
  window.history.replaceState({ part: "board-body" }, "", url);
}

/* A table that fits needs no scrolling box, and its heads can then stay in sight while the page scrolls. Sizes are
   looked at once the browser has laid the page out by itself: to ask before would have it do so twice. */
let isFitting = false;
const sizes = new ResizeObserver(([{ target }]) => {
  const table = one("#board-table", target);
  isFitting = table !== null && table.offsetWidth <= target.clientWidth;
  target.classList.toggle("cb-fits", isFitting);
});
function fit() {
  sizes.disconnect();
  const box = one("#board-view .cb-scroll");
  if (!box) return;
  box.classList.toggle("cb-fits", isFitting);
  sizes.observe(box);
}

/* ---- A row opens in place. ---- */


async function open(button) {
  const submission = button.value;
  const row = button.closest("tr");
  const url = new URL(window.location.href);
  url.searchParams.delete("from");
  url.searchParams.set("row", submission);
  window.history.replaceState(window.history.state, "", url);
  url.searchParams.set("part", "board-detail");
  url.hash = "";
  button.setAttribute("aria-expanded", "true");
  const box = document.createElement("tr");
  box.className = "cb-opened";
  const cell = box.insertCell();
  cell.colSpan = row.cells.length;
  cell.textContent = "One moment …";
  row.after(box);
  try {
    const answer = await fetch(url);
    const made = document.createElement("template");
    made.innerHTML = await answer.text();
    const found = made.content.getElementById("board-detail");
    if (!answer.ok || !found) throw new Error(`The site answered ${answer.status}.`);
    found.id = `detail-${submission}`;
    cell.replaceChildren(found);
    button.setAttribute("aria-controls", found.id);
    announce(`${button.getAttribute("aria-label")}, open`);
  } catch (error) {
    cell.textContent = `This could not be loaded. ${error.message} Close the row and open it again.`;
    cell.setAttribute("role", "alert");
  }
}

function close(button, { focus = true } = {}) {
  const box = button.closest("tr").nextElementSibling;
  if (box && box.classList.contains("cb-opened")) box.remove();
  button.setAttribute("aria-expanded", "false");
  button.removeAttribute("aria-controls");
  const url = new URL(window.location.href);
  if (url.searchParams.get("row") === button.value) {
    url.searchParams.delete("row");
    window.history.replaceState(window.history.state, "", url);
  }
  if (focus) button.focus();
}

function toggle(button) {
  if (button.getAttribute("aria-expanded") === "true") close(button);
  else open(button);
}

/* ---- More rows come when their end comes into view. ---- */

let isLoading = false;
async function more(link) {
  if (isLoading) return;
  isLoading = true;
  const table = view();
  const url = new URL(link.href);
  const next = new URL(url);
  url.searchParams.set("part", "board-rows");
  link.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(String(answer.status));
    const made = document.createElement("template");
    made.innerHTML = await answer.text();
    const body = made.content.getElementById("board-rows");
    if (view() !== table || !body) return;
    const n = body.rows.length;
    one("#board-rows").append(...body.rows);
    const left = Number(link.dataset.left) - n;
    if (left <= 0) link.remove();
    else {
      next.searchParams.set("from", String(Number(next.searchParams.get("from")) + n));
      link.href = next.href;
      link.dataset.left = String(left);
      link.textContent = `Show ${Math.min(n, left)} more of ${left.toLocaleString("en")}`;
    }
    announce(`${n} more rows`);
    showPicked();
  } catch {
    link.textContent = "The next rows could not be loaded. Try again";
    seen.unobserve(link);
  } finally {
    isLoading = false;
    link.removeAttribute("aria-busy");
    if (link.isConnected && link.textContent.startsWith("Show")) watch();
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    if (entry.target.dataset.more) more(entry.target);
    else later(entry.target);
  }
}, { rootMargin: "400px 0px" });

/* What stands below the table loads when it comes near; rows come first. */
async function later(box) {
  if (!box.dataset.later) return;
  const address = box.dataset.later;
  delete box.dataset.later;
  await swap(address, box.id, { history: "none" });
}

/* A reader who goes below the table stays there: rows then come when they are asked for. */
let isBelow = window.location.hash === "#board-notes";
async function goBelow() {
  const [link, box] = [one("a[data-more]"), one("#board-notes")];
  if (!box) return false;
  isBelow = true;
  if (link) seen.unobserve(link);
  await later(box);
  const fresh = one("#board-notes");
  fresh.tabIndex = -1;
  fresh.focus({ preventScroll: true });
  fresh.scrollIntoView({ block: "start" });
  return true;
}

function watch() {
  const link = isBelow ? null : one("a[data-more]");
  if (link) { seen.unobserve(link); seen.observe(link); }
  for (const box of all("[data-later]")) {
    if (!link) { seen.unobserve(box); seen.observe(box); }
  }
}

/* ---- What is still being worked out appears by itself. ---- */

let waited = 0;
let timer = 0;
let known = "";
function wait() {
  window.clearTimeout(timer);
  if (!view() || !view().dataset.wait) { waited = 0; return; }
  waited += 1;
  timer = window.setTimeout(async () => {
    const url = new URL(window.location.href);
    url.searchParams.set("part", "board-ready");
    try {
      const box = document.createElement("template");
      box.innerHTML = await (await fetch(url)).text();
      const now = box.content.getElementById("board-ready");
      if (now && now.dataset.ready !== known) {
        known = now.dataset.ready;
        const isBusy = document.querySelector(".cb-opened, #board-search:focus, .cb-drawers :focus");
        if (!isBusy || now.dataset.done) {
          forget();
          await swap(window.location.href, VIEW, { history: "none" });
        }
      }
    } catch { /* The server is away; the next round asks again. */ }
    wait();
  }, Math.min(8000, 700 * waited));
}

/* What has just been typed, and is not in the table yet, goes with whatever link is followed. */
function keepTyped(link) {
  const box = one("#board-search");
  if (!box) return;
  for (const name of ["href", "data-add"]) {
    if (!link.hasAttribute(name)) continue;
    const url = new URL(link.getAttribute(name), window.location.href);
    if ((url.searchParams.get("q") || "") === box.value.trim()) continue;
    if (box.value.trim()) url.searchParams.set("q", box.value.trim());
    else url.searchParams.delete("q");
    link.setAttribute(name, url.href);
  }
}

/* ---- Acts ---- */

document.addEventListener("click", (event) => {
  if (event.button || event.metaKey || event.ctrlKey || event.altKey) return;
  const target = event.target instanceof Element ? event.target : null;
  if (!target) return;
  const button = target.closest(".cb-opens");
  const link = target.closest("a[data-more]");
  const head = target.closest("a[data-add]");
  const closes = target.closest("[data-closes]");
  const swaps = target.closest(`#${VIEW} a[data-swap]`);
  if (swaps && swaps.dataset.key !== "reset") keepTyped(swaps);
  if (target.closest("#board-jump") && one("#board-notes")) {
    event.preventDefault();
    goBelow();
  } else if (button) {
    event.preventDefault();
    toggle(button);
  } else if (closes) {
    const owner = document.getElementById(`open-${closes.dataset.closes}`);
    if (owner) close(owner);
  } else if (link) {
    event.preventDefault();
    more(link);
  } else if (head && event.shiftKey) {
    event.preventDefault();
    swap(head.dataset.add, VIEW);
  }
}, true);

document.addEventListener("mousedown", (event) => {
  if (event.shiftKey && event.target.closest("a[data-add]")) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const target = event.target instanceof Element ? event.target : null;
  if (!target) return;
  const head = target.closest("a[data-add]");
  if (head && (event.key === " " || (event.key === "Enter" && event.shiftKey))) {
    event.preventDefault();
    swap(event.shiftKey ? head.dataset.add : head.href, VIEW);
    return;
  }
  const opened = target.closest(".cb-opened");
  if (event.key === "Escape") {
    const row = opened ? opened.previousElementSibling : target.closest("#board-rows tr");
    const owner = row && one(".cb-opens[aria-expanded='true']", row);
    if (owner) { event.preventDefault(); close(owner); }
    return;
  }
  if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key) || opened) return;
  if (!target.matches(".cb-opens, #board-rows [data-pick], #board-rows th a")) return;
  const kind = target.matches(".cb-opens") ? ".cb-opens" : target.matches("[data-pick]") ? "[data-pick]" : "th a";
  const rows = all("#board-rows > tr[data-submission]");
  const at = rows.indexOf(target.closest("tr"));
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (at < 0 || !rows[to]) return;
  event.preventDefault();
  one(kind, rows[to]).focus();
  rows[to].scrollIntoView({ block: "nearest" });
});

document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-pick]")) return;
  if (event.target.checked) picked.add(event.target.value);
  else picked.delete(event.target.value);
  showPicked();
});

/* A pin wants its column shown, and a hidden column is not pinned. */
document.addEventListener("input", (event) => {
  const { name, value, checked } = event.target;
  if (name === "pin" && checked) document.getElementById(`col-${value}`).checked = true;
  if (name === "cols" && !checked) document.getElementById(`pin-${value}`).checked = false;
}, true);

document.addEventListener("cb:swapped", (event) => {
  const { name } = event.detail;
  if (name !== VIEW && name !== "board-body") { watch(); return; }
  settleAddress();
  if (name === VIEW) fillForm();
  if (name === VIEW) refreshNotes();
  showPicked();
  fit();
  watch();
  wait();
});

/* What stands below the table is of one dimension or of all; it is asked for again when that changes. */
let shownTrait = "";
function traitNow() {
  const field = view() && one("input[name='preset']", view());
  return field ? field.value : "";
}
function refreshNotes() {
  const trait = traitNow();
  const box = document.getElementById("board-notes");
  if (trait === shownTrait || !box) return;
  shownTrait = trait;
  box.dataset.later = window.location.href;
}

shownTrait = traitNow();
fit();
showPicked();
watch();
wait();
