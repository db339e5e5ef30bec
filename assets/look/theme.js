/* Runs before the page is painted, so that a dark page never flashes light. The choice is the reader's, else the system's. */
(() => {
  "use strict";
  let chosen = null;
  try {
    chosen = window.localStorage.getItem("cb-theme");
  } catch {
    /* Storage may be off; the system's choice then holds. */
  }
  const asked = new URLSearchParams(window.location.search).get("__theme");
  const told = asked === "dark" || asked === "light" ? asked : chosen;
  const dark = told ? told === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.classList.add(dark ? "dark" : "light");
})();
