/* Blind listening: one player for the clips of a trial, keys, and a count of what was played. The page works without it.
   Levels are measured from the sound alone, every clip has one length, and nothing here knows which clip is whose. */
import { all, announce, one } from "./site.js";
import { Player, isSupported } from "./player.js";

const SEEK_S = 2;
const MOST = 9999;
const form = one("#vote-form");
const bar = form && one("#vote-player", form);
const count = { plays: 0, ms: 0, since: 0, heard: "" };
const player = bar && isSupported() ? new Player({ onChange: show, onTime: move }) : null;

function begin() {
  const natives = all("audio[data-clip]", form);
  const tracks = natives.map((native) => ({ id: native.dataset.clip, src: native.getAttribute("src"), levelDbfs: null }));
  for (const native of natives) native.remove();
  document.documentElement.classList.add("cb-has-player");
  bar.hidden = one("#vote-keys", form).hidden = false;
  bar.player = player;
  player.set(tracks);
}

/* What was played: a voice that begins or takes over is one play. */
function tally(state) {
  const heard = state.isPlaying ? state.current : "";
  if (heard === count.heard) return;
  if (count.since) count.ms += performance.now() - count.since;
  count.since = heard ? performance.now() : 0;
  if (heard) count.plays += 1;
  if (heard || !state.isLoading) announce(heard ? `Playing clip ${heard}` : "Paused");
  count.heard = heard;
}

function show(state) {
  tally(state);
  bar.dataset.state = state.isPlaying ? "playing" : state.isLoading ? "loading" : "paused";
  bar.dataset.current = state.current || "";
  one("#vote-toggle").textContent = state.isPlaying ? "❚❚ Pause" : state.isLoading ? "… Loading" : "▶ Play";
  for (const button of all("[data-play]", form)) {
    const isOn = button.dataset.play === state.current;
    button.setAttribute("aria-pressed", String(isOn && (state.isPlaying || state.isLoading)));
    button.classList.toggle("cb-current", isOn);
    one(".cb-play-sign", button).textContent = isOn && state.isPlaying ? "❚❚" : "▶";
    one(".cb-play-word", button).textContent = isOn && state.isPlaying ? "Pause" : isOn && state.isLoading ? "Loading" : "Play";
    button.closest(".cb-vote-clip").classList.toggle("cb-playing", isOn && state.isPlaying);
  }
  if (one("#vote-error").textContent !== state.error) one("#vote-error").textContent = state.error;
  one("#vote-retry").hidden = !state.error;
  move(state.positionS);
}

/* One scale for all clips, so that the bar tells of none more than of another. */
function move(positionS) {
  const lengthS = Math.max(0, ...player.tracks.map((track) => track.durationS || 0));
  const seek = one("#vote-seek");
  seek.max = (lengthS || 1).toFixed(2);
  seek.value = positionS.toFixed(2);
  seek.setAttribute("aria-valuetext", `${positionS.toFixed(1)} s of ${lengthS.toFixed(1)} s`);
  one("#vote-time").textContent = lengthS ? `${positionS.toFixed(1)} / ${lengthS.toFixed(1)} s` : "";
}

function hear(label) {
  if (!player.track(label)) return false;
  player.play(label);
  return true;
}

const KEYS = {
  " ": () => player.toggle(),
  ArrowLeft: () => player.seek(player.now() - SEEK_S),
  ArrowRight: () => player.seek(player.now() + SEEK_S),
};

function typed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target instanceof Element ? event.target : document.body;
  if (at.closest("textarea, select, input:not([type=radio], [type=checkbox], [type=range])")) return;
  const act = KEYS[event.key];
  if (act && at.closest("button, a, input, summary")) return;
  if (!act && (event.repeat || !hear(event.key.toUpperCase()))) return;
  if (act && !(event.repeat && event.key === " ")) act();
  event.preventDefault();
}

function pressed(event) {
  const button = event.target.closest("[data-play]");
  if (button && button.dataset.play === player.state.current) player.toggle();
  else if (button) hear(button.dataset.play);
  else if (event.target.closest("#vote-toggle")) player.toggle();
  else if (event.target.closest("#vote-retry")) player.retry();
}

function send() {
  player.pause();
  form.elements.namedItem("n_plays").value = String(Math.min(count.plays, MOST));
  form.elements.namedItem("listened_s").value = String(Math.min(Math.round(count.ms / 1000), MOST));
}

if (form) {
  form.addEventListener("submit", () => {
    if (player) send();
    one("#vote-send", form).disabled = true;
  });
  window.addEventListener("pageshow", () => { one("#vote-send", form).disabled = false; });
}
if (player) {
  document.addEventListener("keydown", typed);
  form.addEventListener("click", pressed);
  form.addEventListener("input", (event) => { if (event.target.id === "vote-seek") player.seek(event.target.value); });
  window.addEventListener("pagehide", () => player.pause());
  begin();
}
