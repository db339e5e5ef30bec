// Blind listening: one clip at a time, keys, and a count of what was played. The page works without it.
import { all, one } from "./site.js";

const form = one("#vote-form");

if (form) {
  const players = all("audio", form);
  const count = { plays: 0, ms: 0, since: 0 };
  const field = (name) => form.elements.namedItem(name);

  const settle = () => {
    if (count.since) count.ms += performance.now() - count.since;
    count.since = 0;
  };
  const stopAll = (but) => players.forEach((player) => player !== but && player.pause());

  players.forEach((player) => {
    player.addEventListener("play", () => {
      stopAll(player);
      settle();
      count.plays += 1;
      count.since = performance.now();
      player.parentElement.classList.add("cb-playing");
    });
    const ended = () => {
      if (players.every((other) => other.paused)) settle();
      player.parentElement.classList.remove("cb-playing");
    };
    player.addEventListener("pause", ended);
    player.addEventListener("ended", ended);
  });

  form.addEventListener("submit", () => {
    stopAll(null);
    settle();
    field("n_plays").value = String(Math.min(count.plays, 9999));
    field("listened_s").value = String(Math.min(Math.round(count.ms / 1000), 9999));
    one("#vote-send", form).disabled = true;
  });
  window.addEventListener("pageshow", () => { one("#vote-send", form).disabled = false; });

  const start = (label) => {
    const player = players.find((each) => each.dataset.clip === label);
    if (!player) return false;
    stopAll(player);
    player.currentTime = 0;
    player.play().catch(() => {});
    return true;
  };

  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isField = at.matches("input, textarea, select, button, a, audio");
    if (event.key === " " && !isField) {
      stopAll(null);
      event.preventDefault();
    } else if (!at.matches("textarea, select, input:not([type=radio]):not([type=checkbox])")) {
      if (start(event.key.toUpperCase())) event.preventDefault();
    }
  });
  const keys = one("#vote-keys", form);
  if (keys) keys.hidden = false;
}
