/* The table of the board: picking systems to hear. Order and filters are the server's; they are parts of the page. */
import { all, one } from "./site.js";

function updateCompare() {
  const link = one("#board-compare");
  if (!link) return;
  const picked = all("[data-pick]:checked").map((box) => box.value);
  const protocol = one("#board-table").dataset.protocol;
  link.href = `/listen?protocol=${encodeURIComponent(protocol)}&systems=${picked.map(encodeURIComponent).join(",")}`;
  link.setAttribute("aria-disabled", picked.length ? "false" : "true");
  link.textContent = picked.length ? `Listen to ${picked.length} side by side` : "Listen side by side";
}

document.addEventListener("input", (event) => {
  if (event.target.matches("[data-pick]")) updateCompare();
});
