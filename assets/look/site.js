/* What every page shares. Pages with forms are replaced as a whole, so everything listens on the document. */

export const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
export const one = (selector, root = document) => root.querySelector(selector);

/* Say something to a reader who hears the page. */
export function announce(text) {
  const line = one("#cb-live");
  if (line && text) line.textContent = text;
}

/* ---- Parts of a page: what changes is asked for by itself and put in its place; the address keeps in step. ---- */

const LIFE_MS = 60_000;
const N_KEPT = 40;
const BUSY_MS = 150;
const TYPING_MS = 30;
const parts = new Map();
const coming = new Map();
let running = null;

function partAddress(address, name) {
  const url = new URL(address, window.location.href);
  url.searchParams.set("part", name);
  url.search = url.search.replaceAll("%2C", ",");
  url.hash = "";
  return url;
}

async function ask(address, name, signal) {
  const place = partAddress(address, name);
  if (place.origin !== window.location.origin) throw new Error("A part of this page comes from this site alone.");
  const url = place.href;
  const known = parts.get(url);
  if (known && performance.now() - known.at < LIFE_MS) return known.html;
  const early = signal && (await coming.get(url));
  if (signal) signal.throwIfAborted();
  if (early) return early;
  const answer = await fetch(url, { signal, headers: { Accept: "text/html" } });
  const html = await answer.text();
  if (!answer.ok) throw new Error(html.length < 400 && !html.includes("<") ? html : `The site answered ${answer.status}.`);
  parts.set(url, { html, at: performance.now() });
  while (parts.size > N_KEPT) parts.delete(parts.keys().next().value);
  return html;
}

/* Ask for a part before it is wanted: a link that is pointed at is a link that is about to be followed. Who follows it
   while the answer is on its way waits for that one. */
export function prefetch(address, name) {
  const url = partAddress(address, name).href;
  if (coming.has(url)) return;
  coming.set(url, ask(address, name).catch(() => "").finally(() => coming.delete(url)));
}

/* Let go of every part that was asked for: the site has something newer. */
export function forget() {
  parts.clear();
}

/* Put the part `name` of `address` in place of the element with that id.
   history: "push" for a step that Back undoes, "replace" for typing, "none" to leave the address alone. */
export async function swap(address, name, { history = "push", focus = "" } = {}) {
  const old = document.getElementById(name);
  const shown = new URL(address, window.location.href);
  if (!old || shown.origin !== window.location.origin) {
    if (/^https?:$/.test(shown.protocol)) window.location.href = shown.href;
    return null;
  }
  if (running) running.abort();
  const mine = new AbortController();
  running = mine;
  const busy = window.setTimeout(() => old.setAttribute("aria-busy", "true"), BUSY_MS);
  shown.searchParams.delete("part");
  shown.search = shown.search.replaceAll("%2C", ",");
  try {
    const html = await ask(shown.href, name, mine.signal);
    const box = document.createElement("template");
    box.innerHTML = html;
    const fresh = box.content.getElementById(name);
    if (!fresh) throw new Error("The site answered with something else.");
    const place = document.activeElement && old.contains(document.activeElement) ? focusPlace(document.activeElement) : "";
    const scrolled = all("[data-keep-scroll]", old).map((box) => [box.id, box.scrollLeft]);
    old.replaceWith(fresh);
    for (const [id, left] of scrolled) {
      const box = id && left && document.getElementById(id);
      if (box) box.scrollLeft = left;
    }
    if (history === "push" && shown.href !== window.location.href) window.history.pushState({ part: name }, "", shown);
    if (history === "replace") window.history.replaceState({ part: name }, "", shown);
    settle();
    const target = (focus && one(focus)) || (place && one(place));
    if (target) target.focus({ preventScroll: true });
    announce(fresh.dataset.announce);
    document.dispatchEvent(new CustomEvent("cb:swapped", { detail: { name, element: fresh } }));
    return fresh;
  } catch (error) {
    if (error.name === "AbortError") return null;
    failed(old, error, () => swap(address, name, { history, focus }));
    return null;
  } finally {
    window.clearTimeout(busy);
    old.removeAttribute("aria-busy");
    if (running === mine) running = null;
  }
}

function focusPlace(element) {
  if (element.id) return `#${CSS.escape(element.id)}`;
  const key = element.dataset.key;
  return key ? `[data-key="${CSS.escape(key)}"]` : "";
}

function failed(element, error, again) {
  const before = one(":scope > .cb-swap-failed", element);
  if (before) before.remove();
  const note = document.createElement("div");
  note.className = "cb-notice cb-bad cb-swap-failed";
  note.setAttribute("role", "alert");
  const text = document.createElement("span");
  text.textContent = `This could not be loaded; what you see is what was there before. ${error.message} `;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "cb-button";
  button.textContent = "Try again";
  button.addEventListener("click", () => { note.remove(); again(); });
  note.append(text, button);
  element.prepend(note);
}

/* The address of a form's fields: empty ones are left out, several of one name are joined by commas. */
export function formAddress(form) {
  const query = new Map();
  for (const [key, value] of new FormData(form)) {
    if (value === "" || typeof value !== "string") continue;
    query.set(key, query.has(key) ? `${query.get(key)},${value}` : value);
  }
  const text = new URLSearchParams([...query]).toString().replaceAll("%2C", ",");
  const path = form.getAttribute("action") || window.location.pathname;
  return text ? `${path}?${text}` : path;
}

let typing = 0;
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target.closest("a[data-swap]");
  if (!link || link.getAttribute("aria-disabled") === "true" || link.closest(".cb-embedded")) return;
  event.preventDefault();
  window.clearTimeout(typing);
  swap(link.href, link.dataset.swap, { focus: link.dataset.focus || "" });
});
document.addEventListener("pointerenter", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[data-swap]") : null;
  if (link && event.pointerType !== "touch") prefetch(link.href, link.dataset.swap);
}, true);
/* A finger points at nothing before it presses; what it presses is asked for before it is lifted. */
document.addEventListener("pointerdown", (event) => {
  const link = event.target instanceof Element && !event.button ? event.target.closest("a[data-swap]") : null;
  if (link) prefetch(link.href, link.dataset.swap);
}, true);
document.addEventListener("input", (event) => {
  const form = event.target.closest ? event.target.closest("form[data-swap]") : null;
  if (!form || event.target.hasAttribute("data-apart")) return;
  const isText = event.target.matches("input[type='search'], input[type='text'], input:not([type])");
  window.clearTimeout(typing);
  typing = window.setTimeout(() => swap(formAddress(form), form.dataset.swap, { history: "replace" }), isText ? TYPING_MS : 0);
});
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.closest(".cb") || form.method === "post") return;
  event.preventDefault();
  if (form.dataset.swap) swap(formAddress(form), form.dataset.swap);
  else window.location.href = formAddress(form);
});
/* A link to a place on the same page counts as a step of the history too, but there is nothing to ask for. */
const where = () => window.location.pathname + window.location.search;
let last = where();
function remember() { last = where(); }
for (const kind of ["click", "keyup", "input"]) document.addEventListener(kind, () => window.setTimeout(remember), true);
document.addEventListener("cb:swapped", remember);
window.addEventListener("popstate", (event) => {
  if (where() === last) return;
  remember();
  const name = event.state && event.state.part;
  const found = name || (one("[data-view]") && one("[data-view]").id);
  if (found) swap(window.location.href, found, { history: "none" });
  else window.location.reload();
});

/* ---- Copying ---- */

async function copy(button, text, otherwise) {
  let said = "Copied";
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    said = otherwise;
  }
  const before = button.dataset.label || button.textContent;
  button.dataset.label = before;
  button.textContent = said;
  announce(said);
  window.setTimeout(() => { button.textContent = before; }, 1800);
}

/* A frame for another page that shows this one as it is now. */
function frame() {
  const url = new URL(window.location.href);
  url.searchParams.set("embed", "1");
  url.hash = "";
  const source = url.href.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe src="${source}" title="Castboard" width="100%" height="640" style="border:0" loading="lazy"></iframe>`;
}

/* ---- One tip for all: shown on hover and on focus, gone on Escape. ---- */

let tip = null;
function showTip(target) {
  hideTip();
  tip = document.createElement("div");
  tip.className = "cb-tip";
  tip.setAttribute("role", "tooltip");
  tip.textContent = target.dataset.tip;
  (one(".gradio-container") || document.body).append(tip);
  const place = target.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, place.left + place.width / 2 - size.width / 2), window.innerWidth - size.width - 8);
  const above = place.top - size.height - 8;
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : place.bottom + 8}px`;
}
function hideTip() {
  if (tip) tip.remove();
  tip = null;
}

/* ---- Times are shown as ages that keep growing. ---- */

function ago(seconds) {
  if (seconds < 5) return "just now";
  if (seconds < 90) return `${Math.round(seconds)} s ago`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min ago`;
  if (seconds < 129600) return `${Math.round(seconds / 3600)} h ago`;
  return `${Math.round(seconds / 86400)} d ago`;
}
function showAges() {
  for (const time of all("time[data-age]")) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000;
    if (Number.isFinite(seconds)) {
      const text = ago(Math.max(0, seconds));
      if (time.textContent !== text) time.textContent = text;
    }
  }
}

/* ---- Light and dark ---- */

function turnTheme() {
  const root = document.documentElement;
  const dark = !root.classList.contains("dark");
  root.classList.toggle("dark", dark);
  root.classList.toggle("light", !dark);
  try {
    window.localStorage.setItem("cb-theme", dark ? "dark" : "light");
  } catch {
    /* Storage may be off; the choice then holds for this page. */
  }
  document.dispatchEvent(new CustomEvent("cb:theme"));
}

/* ---- A button of the operator's page fills the form below, and leaves the reason and the doing to the operator. ---- */

function fill(selector, text) {
  const box = one(`${selector} textarea, ${selector} input`);
  if (!box) return;
  const kind = box instanceof HTMLTextAreaElement ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(box, text || "");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}
function prepareAct(button) {
  const choice = one(`#operator-act input[value="${button.dataset.operate}"]`);
  if (choice) choice.click();
  fill("#operator-target", button.dataset.target);
  fill("#operator-system", button.dataset.system);
  fill("#operator-organisation", button.dataset.organisation);
  const sure = one("#operator-sure input");
  if (sure && sure.checked) sure.click();
  const reason = one("#operator-reason textarea, #operator-reason input");
  if (reason) { reason.scrollIntoView({ block: "center" }); reason.focus({ preventScroll: true }); }
}

/* A refreshed page folds everything again; what a reader has unfolded is remembered here. */
const unfolded = new Set();

document.addEventListener("click", (event) => {
  const operate = event.target.closest("[data-operate]");
  if (operate) { prepareAct(operate); return; }
  const link = event.target.closest("[data-copy-link]");
  if (link) {
    const url = new URL(window.location.href);
    if (link.dataset.copyLink) url.hash = link.dataset.copyLink;
    copy(link, url.href, "Copy it from the address bar");
  }
  const text = event.target.closest("[data-copy-text]");
  if (text) copy(text, document.getElementById(text.dataset.copyText).textContent, "Copying is not allowed here");
  const embed = event.target.closest("[data-copy-embed]");
  if (embed) copy(embed, frame(), "Copying is not allowed here");
  if (event.target.closest("[data-theme-turn]")) turnTheme();
  const away = event.target.closest(".cb-embedded .cb a[href]");
  if (away) away.target = "_blank";
  const off = event.target.closest("[aria-disabled='true']");
  if (off && off.closest(".cb")) event.preventDefault();
  const summary = event.target.closest("summary");
  const details = summary && summary.parentElement;
  if (details && details.id) {
    if (details.open) unfolded.delete(details.id);
    else unfolded.add(details.id);
  }
}, true);
document.addEventListener("pointerover", (event) => {
  const target = event.target.closest ? event.target.closest("[data-tip]") : null;
  if (target && event.pointerType !== "touch") showTip(target);
  else hideTip();
});
document.addEventListener("focusin", (event) => {
  const target = event.target.closest("[data-tip]");
  if (target && target.matches(":focus-visible")) showTip(target);
  else hideTip();
});
document.addEventListener("focusout", hideTip);
document.addEventListener("scroll", hideTip, true);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") hideTip(); });
document.addEventListener("play", (event) => {
  for (const other of all("audio")) if (other !== event.target) other.pause();
}, true);

let isPlaced = false;
function settle() {
  for (const name of unfolded) {
    const details = document.getElementById(name);
    if (details && !details.open) details.open = true;
  }
  for (const code of all("[data-site-address]")) {
    code.textContent = code.textContent.replaceAll(code.dataset.siteAddress, window.location.origin);
    code.removeAttribute("data-site-address");
  }
  showAges();
  const title = one(".gradio-container .cb-ready h1");
  if (title) {
    const wanted = `${title.textContent} · Castboard`;
    if (document.title !== wanted) document.title = wanted;
    const target = window.location.hash.length > 1 && document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    if (!isPlaced && target) target.scrollIntoView();
    if (!isPlaced) isPlaced = Boolean(target) || !window.location.hash;
  }
}
let isDue = false;
new MutationObserver(() => {
  if (isDue) return;
  isDue = true;
  window.requestAnimationFrame(() => { isDue = false; settle(); });
}).observe(document.documentElement, { childList: true, subtree: true, attributes: true, attributeFilter: ["open"] });
window.setInterval(showAges, 1000);
settle();
