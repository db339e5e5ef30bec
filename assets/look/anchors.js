/* Every heading of a section that has an address of its own gets the button that copies it. */

import { all } from "./site.js";

const NEVER = "summary, a, form, dialog, details:not([id]), .cb-anchored, .cb-tour, .cb-notice";

/* The id by which a heading is reached: its own, its section's, or that of what stands right below it. */
function addressOf(heading) {
  if (heading.id) return heading.id;
  const around = heading.parentElement;
  if (around.id && around.tagName !== "MAIN" && around.querySelector("h2, h3") === heading) return around.id;
  let below = heading.nextElementSibling;
  while (below && !/^H[1-6]$/.test(below.tagName)) {
    const found = below.id ? below : below.querySelector("[id]");
    if (found) return found.id;
    below = below.nextElementSibling;
  }
  return "";
}

function mark(root) {
  for (const heading of all("h2, h3", root)) {
    if (heading.closest(NEVER) || !heading.closest("main")) continue;
    const id = addressOf(heading);
    if (!id) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "cb-anchor";
    button.textContent = "#";
    button.dataset.copyLink = id;
    button.title = "Copy link";
    button.setAttribute("aria-label", `Copy a link to “${heading.textContent.trim()}”`);
    const row = document.createElement("div");
    row.className = "cb-anchored";
    heading.replaceWith(row);
    row.append(heading, button);
  }
}

mark(document);
document.addEventListener("cb:swapped", (event) => mark(event.detail.element.parentElement || document));
