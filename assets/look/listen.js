/* The form of the listen page: a choice takes effect at once. */
import { all } from "./site.js";

/* A form with the state of its fields as the address, empty ones left out. */
function goTo(form) {
  const query = new URLSearchParams();
  const boxes = all("[data-system]", form);
  for (const [key, value] of new FormData(form)) if (value) query.set(key, value);
  if (boxes.length) query.set("systems", boxes.filter((box) => box.checked).map((box) => box.value).join(","));
  if (!query.get("systems")) query.delete("systems");
  window.location.href = `${form.getAttribute("action")}?${query.toString().replaceAll("%2C", ",")}`;
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("#listen-form")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  goTo(event.target);
}, true);
document.addEventListener("change", (event) => {
  if (event.target.matches("#listen-form select, #listen-form [name='blind']")) goTo(event.target.form);
});
