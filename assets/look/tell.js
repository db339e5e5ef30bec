/* What every page tells of itself: how it is cited now, and a tour for who is here for the first time. */

import { all, one } from "./site.js";

const PLACE = "https://this-site";
const SEEN = "cb-tour";

/* ---- The address in a citation is the one that is shown, filters and all. ---- */

function cited() {
  const url = new URL(window.location.href);
  for (const key of ["part", "embed", "__theme"]) url.searchParams.delete(key);
  url.hash = "";
  const now = url.href.replaceAll("%2C", ",");
  for (const code of all("code[data-cited]")) {
    const was = code.dataset.cited.replaceAll(PLACE, window.location.origin);
    const text = code.textContent.replaceAll(PLACE, window.location.origin);
    code.textContent = text.replaceAll(was, now);
    code.dataset.cited = now;
  }
}

function openCite() {
  const box = one("#cite");
  if (!box) return;
  box.open = true;
  cited();
  box.scrollIntoView({ block: "center" });
  one("summary", box).focus({ preventScroll: true });
}

/* Another board has another stamp: its last lines are asked for when the protocol changed. */
const protocolOf = () => new URL(window.location.href).searchParams.get("protocol") || "";
let shown = protocolOf();
async function restamp() {
  if (protocolOf() === shown || !one("#page-stamp")) return;
  shown = protocolOf();
  const url = new URL(window.location.href);
  url.searchParams.set("part", "page-stamp");
  url.hash = "";
  try {
    const answer = await fetch(url, { headers: { Accept: "text/html" } });
    const box = document.createElement("template");
    box.innerHTML = await answer.text();
    const fresh = box.content.getElementById("page-stamp");
    const old = one("#page-stamp");
    if (answer.ok && fresh && old) old.replaceWith(fresh);
  } catch {
    /* The stamp that was there stays; it names its own protocol. */
  }
}

/* ---- The tour is loaded when somebody takes it. ---- */

async function tour() {
  remember();
  const { start } = await import("./tour.js");
  start();
}
function remember() {
  const offer = one("#cb-offer");
  if (offer) offer.remove();
  try {
    window.localStorage.setItem(SEEN, "1");
  } catch {
    /* Storage may be off; the offer then comes again with the next page. */
  }
}
function isNew() {
  try {
    return window.localStorage.getItem(SEEN) === null;
  } catch {
    return false;
  }
}

/* Offered once, beside the title where it hides nothing, to who sees the board for the first time. */
function offer() {
  const foot = one("a[data-tour]");
  if (!foot || !one("#page-board") || !isNew() || document.documentElement.classList.contains("cb-embedded")) return;
  const box = document.createElement("aside");
  box.id = "cb-offer";
  box.className = "cb cb-offer";
  box.setAttribute("aria-label", foot.textContent);
  const take = document.createElement("button");
  take.type = "button";
  take.className = "cb-button";
  take.textContent = foot.textContent;
  take.addEventListener("click", tour);
  const leave = document.createElement("button");
  leave.type = "button";
  leave.className = "cb-button cb-quiet";
  leave.textContent = "No, thanks";
  leave.addEventListener("click", remember);
  box.append(take, leave);
  (one(".cb-title .cb-aside") || document.body).append(box);
}

document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = event.target instanceof Element ? event.target.closest("a[data-tour]") : null;
  if (link && one("#page-board")) { event.preventDefault(); tour(); return; }
  const cite = event.target instanceof Element ? event.target.closest("[data-cite]") : null;
  if (cite && one("#cite")) { event.preventDefault(); openCite(); }
});
document.addEventListener("toggle", (event) => { if (event.target.id === "cite" && event.target.open) cited(); }, true);
document.addEventListener("cb:swapped", () => { restamp().then(cited); });
if (window.location.hash === "#tour" && one("#page-board")) tour();
else offer();
