/* The tour: a card beside what it speaks of. Nothing behind it is blocked; arrows step, Escape ends it. */

import { all, announce, one } from "./site.js";

let steps = null;
let at = 0;
let card = null;
let before = null;
let marked = null;

/* The words are those of the page /tour, which is the same tour without a script. */
async function read() {
  const answer = await fetch("/tour?part=tour-steps", { headers: { Accept: "text/html" } });
  if (!answer.ok) throw new Error(`The site answered ${answer.status}.`);
  const box = document.createElement("template");
  box.innerHTML = await answer.text();
  return all("[data-target]", box.content).map((step) => ({
    title: one("h2", step).textContent,
    text: one("p", step).textContent,
    target: step.dataset.target,
  }));
}

function style() {
  if (one("link[data-tour-look]")) return Promise.resolve();
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = new URL("./tour.css", import.meta.url).href;
  link.dataset.tourLook = "1";
  return new Promise((done) => {
    link.addEventListener("load", done);
    link.addEventListener("error", done);
    document.head.append(link);
  });
}

export async function start() {
  if (card) return;
  try {
    [steps] = await Promise.all([steps || read(), style()]);
  } catch {
    window.location.href = "/tour";
    return;
  }
  before = document.activeElement;
  card = document.createElement("section");
  card.className = "cb cb-tour";
  card.tabIndex = -1;
  card.setAttribute("role", "dialog");
  card.setAttribute("aria-modal", "false");
  card.setAttribute("aria-labelledby", "cb-tour-title");
  card.setAttribute("aria-describedby", "cb-tour-text");
  document.body.append(card);
  document.addEventListener("keydown", key);
  window.addEventListener("resize", place);
  document.addEventListener("cb:swapped", place);
  at = 0;
  show();
}

function button(label, act, look = "") {
  const made = document.createElement("button");
  made.type = "button";
  made.className = `cb-button ${look}`;
  made.textContent = label;
  made.addEventListener("click", act);
  return made;
}

function show() {
  const step = steps[at];
  const title = document.createElement("h2");
  title.id = "cb-tour-title";
  title.textContent = step.title;
  const text = document.createElement("p");
  text.id = "cb-tour-text";
  text.textContent = step.text;
  const count = document.createElement("span");
  count.className = "cb-tour-count";
  count.textContent = `${at + 1} of ${steps.length}`;
  const acts = document.createElement("div");
  acts.className = "cb-tour-acts";
  const isLast = at === steps.length - 1;
  const back = button("Back", () => turn(-1), "cb-quiet");
  back.disabled = at === 0;
  acts.append(count, back, button(isLast ? "Done" : "Next", () => (isLast ? stop() : turn(1)), "cb-strong"));
  const end = button("End the tour", stop, "cb-quiet cb-tour-end");
  card.replaceChildren(title, text, acts, end);
  mark(step.target);
  place();
  card.focus({ preventScroll: true });
  announce(`${step.title}. ${step.text}`);
}

function mark(selector) {
  if (marked) marked.classList.remove("cb-tour-here");
  marked = all(selector).find((found) => found.getClientRects().length > 0) || null;
  if (!marked) return;
  marked.classList.add("cb-tour-here");
  const isCalm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  marked.scrollIntoView({ block: "center", inline: "nearest", behavior: isCalm ? "auto" : "smooth" });
}

/* On a phone the card lies at the lower edge; else it stands where it does not cover what it speaks of. */
function place() {
  if (!card) return;
  const isLow = !marked || marked.getBoundingClientRect().top > window.innerHeight / 2;
  card.classList.toggle("cb-tour-above", isLow && Boolean(marked) && window.innerWidth > 720);
}

function turn(by) {
  at = Math.min(Math.max(at + by, 0), steps.length - 1);
  show();
}

function key(event) {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  if (event.key === "Escape") { stop(); return; }
  if (event.target instanceof Element && event.target.closest("input, textarea, select, audio")) return;
  if (event.key === "ArrowRight") { event.preventDefault(); turn(1); }
  if (event.key === "ArrowLeft") { event.preventDefault(); turn(-1); }
}

function stop() {
  if (marked) marked.classList.remove("cb-tour-here");
  marked = null;
  document.removeEventListener("keydown", key);
  window.removeEventListener("resize", place);
  document.removeEventListener("cb:swapped", place);
  if (card) card.remove();
  card = null;
  if (window.location.hash === "#tour") window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
}
