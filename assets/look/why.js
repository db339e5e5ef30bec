/* How a number was made: the bars of a drawing say what they hold when a finger or a pointer rests on them. */
import { all } from "./site.js";

for (const bar of all(".cb-histogram rect > title")) bar.parentElement.dataset.tip = bar.textContent;
