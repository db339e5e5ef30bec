/* Figures: the library that draws them is large, so it is fetched when a figure comes into view, and not before. */
import { all, announce, forget, formAddress, one, swap } from "./site.js";

let library = null;

export function plotly() {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = document.body.dataset.plotly;
    script.addEventListener("load", () => resolve(window.Plotly));
    script.addEventListener("error", () => { library = null; script.remove(); reject(new Error("The library that draws figures did not load.")); });
    document.head.append(script);
  });
  return library;
}

/* ---- What is drawn comes as JSON, once for each address. ---- */

const N_KEPT = 24;
const LIFE_MS = 60_000;
const LONGEST_S = 10;
const known = new Map();

class NotYet extends Error {
  constructor(text, seconds) { super(text); this.seconds = seconds; }
}

function ask(address) {
  const kept = known.get(address);
  if (kept && performance.now() - kept.at < LIFE_MS) return kept.figure;
  const figure = fetch(address, { headers: { Accept: "application/json" } }).then(async (answer) => {
    if (answer.ok) return answer.json();
    const told = await answer.json().catch(() => ({}));
    const text = typeof told.detail === "string" ? told.detail : `The site answered ${answer.status}.`;
    if (answer.status === 503) throw new NotYet(text, Math.min(Number(answer.headers.get("Retry-After")) || 2, LONGEST_S));
    throw new Error(text);
  });
  known.set(address, { figure, at: performance.now() });
  figure.catch(() => known.delete(address));
  while (known.size > N_KEPT) known.delete(known.keys().next().value);
  return figure;
}

/* What a link or a form of the page of figures leads to is asked for at once, beside the part that tells of it. */
const KEYS = ["protocol", "trait", "tier", "split", "systems", "from", "show", "as"];

function ahead(address) {
  const asked = new URL(address, window.location.href).searchParams;
  const kept = new URLSearchParams(KEYS.filter((key) => asked.get(key)).map((key) => [key, asked.get(key)]));
  const query = kept.toString().replaceAll("%2C", ",").replaceAll("+", "%20");
  const name = asked.get("figure");
  if (name) ask(`/figure/${name}.json${query ? `?${query}` : ""}`).catch(() => undefined);
}

for (const kind of ["click", "pointerenter"]) {
  document.addEventListener(kind, (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[data-swap='figures-view']") : null;
    if (link && event.pointerType !== "touch") ahead(link.href);
  }, true);
}
document.addEventListener("input", (event) => {
  if (event.target.form && event.target.form.id === "figures-form") ahead(formAddress(event.target.form));
}, true);

/* ---- Colours and fonts are named in the figure and told by the page, which knows whether it is dark. ---- */

const NAMED = /^var\((--cb-[a-z0-9-]+)\)$/;
const narrow = window.matchMedia("(max-width: 640px)");

function dressed(value, key, look) {
  if (typeof value === "string") {
    const match = /color|family/.test(key) && NAMED.exec(value);
    return match ? look.getPropertyValue(match[1]).trim() : value;
  }
  if (Array.isArray(value)) return value.length && /color|colour|data|layout|annotations|shapes/.test(key) ? value.map((one) => dressed(one, key, look)) : value;
  if (value && typeof value === "object") return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, dressed(one, name, look)]));
  return value;
}

function put(root, path, value) {
  const steps = path.split(".");
  const last = steps.pop();
  let at = root;
  for (const step of steps) at = at[step] ??= {};
  at[last] = value;
}

function made(figure) {
  const look = window.getComputedStyle(document.documentElement);
  const fresh = structuredClone({ data: figure.data, layout: figure.layout });
  if (narrow.matches) {
    for (const [path, value] of Object.entries(figure.phone)) put(path.startsWith("data.") ? fresh : fresh.layout, path, value);
  }
  return { data: dressed(fresh.data, "data", look), layout: dressed(fresh.layout, "layout", look) };
}

/* ---- Drawing ---- */

const CONFIG = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false, showTips: false };
const plots = new Map();

function plotOf(box) {
  const kept = plots.get(box.id);
  if (kept && (!kept.isConnected || box.contains(kept))) return kept;
  const plot = document.createElement("div");
  plots.set(box.id, plot);
  return plot;
}

async function draw(box) {
  const address = box.dataset.figure;
  const busy = window.setTimeout(() => box.setAttribute("aria-busy", "true"), 120);
  try {
    const [Plotly, figure] = await Promise.all([plotly(), ask(address)]);
    if (!box.isConnected || box.dataset.figure !== address) return;
    const plot = plotOf(box);
    if (plot.parentElement !== box) box.replaceChildren(plot);
    const { data, layout } = made(figure);
    await Plotly.react(plot, data, layout, CONFIG);
    box.style.minHeight = "";
    box.dataset.drawn = address;
    box.setAttribute("aria-label", figure.alt);
    plot.removeAllListeners("plotly_click");
    plot.on("plotly_click", (event) => open(figure, event));
    plot.classList.toggle("cb-fig-opens", Boolean(figure.opens));
  } catch (error) {
    if (box.isConnected) failed(box, error);
  } finally {
    window.clearTimeout(busy);
    box.removeAttribute("aria-busy");
  }
}

function failed(box, error) {
  const note = document.createElement("p");
  note.className = "cb-fig-wait";
  note.textContent = error.message;
  box.replaceChildren(note);
  if (error instanceof NotYet) {
    window.setTimeout(() => { if (box.isConnected) draw(box); }, error.seconds * 1000);
    return;
  }
  const button = document.createElement("button");
  button.type = "button";
  button.className = "cb-button";
  button.textContent = "Try again";
  button.addEventListener("click", () => draw(box));
  box.append(button);
}

/* A click opens what a mark stands for; a touch only tells it, as it cannot point first. */
function open(figure, event) {
  const point = event.points[0];
  if (!point || !window.matchMedia("(hover: hover)").matches) return;
  const query = new URLSearchParams(figure.protocol ? { protocol: figure.protocol } : {});
  if (figure.opens === "pair") {
    const [row, column] = Array.isArray(point.pointIndex) ? point.pointIndex : [];
    const [a, b] = [figure.keys[row], figure.keys[column]];
    if (!a || !b || a === b) return;
    query.set("a", a);
    query.set("b", b);
    window.location.href = `/matrix?${query}#pair`;
  } else if (figure.opens === "system" && typeof point.customdata === "string" && point.customdata) {
    query.set("id", point.customdata);
    window.location.href = `/system?${query}`;
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "240px" });

/* A figure beside a page's numbers is not what the reader came for: it costs nothing before the page is moved. */
let isMoved = false;
const held = new Set();
for (const act of ["scroll", "pointerdown", "keydown"]) {
  document.addEventListener(act, () => {
    if (isMoved) return;
    isMoved = true;
    for (const box of held) seen.observe(box);
    held.clear();
  }, { capture: true, passive: true });
}

let waiting = 0;
function look() {
  for (const box of all("[data-figure]")) {
    if (box.dataset.watched) continue;
    box.dataset.watched = "1";
    const kept = plots.get(box.id);
    if (kept && !kept.isConnected) {  /* The same figure of something else: what was drawn changes in its place. */
      box.replaceChildren(kept);
      draw(box);
    } else if (isMoved || !box.closest(".cb-fig-small")) seen.observe(box);
    else held.add(box);
  }
  for (const [name, plot] of plots) {
    if (plot.isConnected) continue;
    plots.delete(name);
    if (window.Plotly) window.Plotly.purge(plot);
  }
  window.clearTimeout(waiting);
  const box = one("[data-figure-wait]");
  if (box) waiting = window.setTimeout(() => {
    if (!box.isConnected) return;
    forget();
    swap(window.location.href, box.closest("[data-view]").id, { history: "none" });
  }, 2500);
}

function again() {
  for (const box of all("[data-figure][data-drawn]")) draw(box);
}

/* ---- Images ---- */

async function save(button) {
  const kind = button.dataset.figureImage;
  const box = one("[data-figure]", button.closest(".cb-fig"));
  const before = button.textContent;
  button.disabled = true;
  try {
    const [Plotly, figure] = await Promise.all([plotly(), ask(box.dataset.figure)]);
    const { data, layout } = made(figure);
    const paper = window.getComputedStyle(document.documentElement).getPropertyValue("--cb-fig-sheet").trim();
    const size = { width: Math.max(box.clientWidth, 360), height: layout.height };
    const image = await Plotly.toImage({ data, layout: { ...layout, paper_bgcolor: paper } }, { format: kind, scale: 2, ...size });
    const link = document.createElement("a");
    link.href = image;
    link.download = `castboard-${figure.figure}.${kind}`;
    link.click();
    announce("Saved");
  } catch (error) {
    announce(`The image could not be made. ${error.message}`);
    button.textContent = "Not made";
    window.setTimeout(() => { button.textContent = before; }, 1800);
  } finally {
    button.disabled = false;
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-figure-image]");
  if (button) save(button);
});
document.addEventListener("cb:swapped", look);
document.addEventListener("cb:theme", again);
narrow.addEventListener("change", again);
look();
