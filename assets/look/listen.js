/* The listen page: one player for all voices of an item, keys, drawings. What is shown comes from the server. */
import { all, announce, forget, one, swap } from "./site.js";
import { Player, isSupported } from "./player.js";
import { describe, draw, fromBuffer } from "./wave.js";

const BODY = "listen-body";
const SEEK_S = 2;
const N_CONTOURS = 64;
const AGAIN_MS = 1500;
const N_AGAIN = 80;
const bar = one("#listen-player");
const contours = new Map();
let voices = [];
let drawn = 0;
let said = "";
let looking = 0;
let nLooked = 0;

const player = bar && isSupported() ? new Player({ onChange: show, onTime: move }) : null;
if (bar) bar.player = player;

const body = () => document.getElementById(BODY);
const isHidden = () => Boolean(body() && body().dataset.hidden);
const seconds = (value) => `${value.toFixed(1)} s`;
const decibel = (value) => `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value).toFixed(1)} dB`;
const scale = () => Math.max(0.1, ...voices.map((voice) => (voice.contour ? voice.contour.duration_s : 0)));

/* ---- the item's voices ---- */

function begin() {
  if (!player || !body()) return;
  const before = { item: bar.dataset.item, src: bar.dataset.src, state: player.state };
  const isBusy = before.state.isPlaying || before.state.isLoading;
  const found = all("[data-track][data-src]", body()).map((card) => ({
    id: card.dataset.track, card, name: card.dataset.voice, src: card.dataset.src, contourSrc: card.dataset.contour || "",
    levelDbfs: card.dataset.level ? Number(card.dataset.level) : null, canvas: one("canvas", card), contour: null, isAsked: false,
  }));
  voices = found.filter((voice) => voice.id !== "0").concat(found.filter((voice) => voice.id === "0"));
  const isSame = before.item === body().dataset.item;
  const current = (isSame && voices.find((voice) => voice.src === before.src))
    || voices.find((voice) => voice.id === before.state.current) || voices[0];
  bar.dataset.item = body().dataset.item || "";
  bar.hidden = !voices.length;
  document.documentElement.classList.toggle("cb-has-player", voices.length > 0);
  pick();
  player.set(voices.map(({ id, src, levelDbfs }) => ({ id, src, levelDbfs })), {
    current: current ? current.id : null, positionS: isSame ? before.state.positionS : 0,
  });
  watch();
  if (isBusy && current) player.play(current.id);
}

function pick() {
  one("#player-voices").replaceChildren(...voices.map((voice) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "cb-button cb-pick-voice";
    button.dataset.play = voice.id;
    button.dataset.key = `bar-${voice.id}`;
    button.textContent = voice.id === "0" ? "anchor" : voice.id;
    button.setAttribute("aria-label", `Hear ${voice.name}`);
    return button;
  }));
}

/* ---- what the player says ---- */

function show(state) {
  const voice = voices.find((other) => other.id === state.current);
  bar.dataset.state = state.isPlaying ? "playing" : state.isLoading ? "loading" : "paused";
  bar.dataset.current = state.current || "";
  bar.dataset.src = voice ? voice.src : "";
  one("#player-toggle").textContent = state.isPlaying ? "❚❚ Pause" : state.isLoading ? "… Loading" : "▶ Play";
  one("#player-voice").textContent = voice ? voice.name : "";
  one("#player-matched").checked = state.isMatched;
  one("#player-loop").checked = state.isLooped;
  for (const button of all("[data-play]")) press(button, state);
  const row = one("#player-voices"), on = one(".cb-current", row);
  if (on && row.scrollWidth > row.clientWidth) row.scrollLeft = on.offsetLeft - row.offsetLeft - row.clientWidth / 2;
  for (const track of state.tracks) decorate(track, state);
  one("#player-note").textContent = note(state);
  if (one("#player-error").textContent !== state.error) one("#player-error").textContent = state.error;
  one("#player-retry").hidden = !state.error;
  const now = state.isPlaying && voice ? `Playing ${voice.name}` : "";
  if (now !== said && !state.isLoading) {
    announce(now || "Paused");
    said = now;
  }
  move(state.positionS);
}

function press(button, state) {
  const isOn = button.dataset.play === state.current;
  button.setAttribute("aria-pressed", String(isOn && (state.isPlaying || state.isLoading)));
  button.classList.toggle("cb-current", isOn);
  const sign = one(".cb-play-sign", button), word = one(".cb-play-word", button);
  if (sign) sign.textContent = isOn && state.isPlaying ? "❚❚" : "▶";
  if (word) word.textContent = isOn && state.isPlaying ? "Pause" : isOn && state.isLoading ? "Loading" : "Play";
}

function note(state) {
  const track = state.tracks.find((other) => other.id === state.current);
  if (!state.isMatched) return "Original levels.";
  if (isHidden()) return "All voices at the same level.";
  if (!track || !track.isReady) return "Same level for all; nothing is fetched before you play.";
  return `${decibel(track.gainDb)} on this voice, ${track.storedDbfs === null ? "level measured here" : "by its stored speech level"}.`;
}

function decorate(track, state) {
  const voice = voices.find((other) => other.id === track.id);
  if (!voice) return;
  if (!voice.contour && track.isReady && voice.isAsked) {
    voice.contour = fromBuffer(player.track(track.id).buffer);
    tell(voice);
  }
  const level = one("[data-gain]", voice.card);
  if (level && !isHidden()) {
    level.dataset.own = level.dataset.own || level.textContent;
    level.textContent = level.dataset.own + (track.isReady && state.isMatched ? `, played ${decibel(track.gainDb)}` : "");
  }
  voice.card.classList.toggle("cb-failed", Boolean(track.error));
  voice.card.classList.toggle("cb-heard", track.id === state.current && state.isPlaying);
}

/* Where the sound is: the bar, and the drawings. */
function move(positionS) {
  const track = player.track();
  const isKnown = Boolean(track && track.durationS) || voices.some((voice) => voice.contour);
  const lengthS = (track && track.durationS) || scale();
  const seek = one("#player-seek");
  seek.max = lengthS.toFixed(2);
  seek.value = positionS.toFixed(2);
  seek.setAttribute("aria-valuetext", `${seconds(positionS)} of ${seconds(lengthS)}`);
  one("#player-time").textContent = isKnown ? `${positionS.toFixed(1)} / ${seconds(lengthS)}` : "";
  bar.dataset.position = positionS.toFixed(3);
  window.cancelAnimationFrame(drawn);
  drawn = window.requestAnimationFrame(() => paint(positionS));
}

/* ---- drawings ---- */

function paint(positionS = player.now()) {
  const scaleS = scale();
  for (const voice of voices) if (voice.contour && voice.canvas) draw(voice.canvas, voice.contour, { positionS, scaleS });
}

function tell(voice) {
  if (!voice.canvas) return;
  const text = describe(voice.contour, { isHidden: isHidden() });
  voice.canvas.setAttribute("aria-label", `${voice.name}: ${text}`);
  voice.canvas.dataset.drawn = voice.contour.isDecoded ? "sound" : "stored";
  one(".cb-wave-told", voice.card).textContent = text;
  paint();
}

async function contour(voice) {
  let known = contours.get(voice.contourSrc);
  if (known === undefined) {
    const answer = await fetch(voice.contourSrc).catch(() => null);
    const found = answer && answer.status === 200 ? await answer.json().catch(() => null) : null;
    known = found && found.schema_version === 1 ? found : null;
    contours.set(voice.contourSrc, known);
    while (contours.size > N_CONTOURS) contours.delete(contours.keys().next().value);
  }
  voice.isAsked = true;
  if (!voices.includes(voice)) return;
  const track = player.track(voice.id);
  if (known) {
    voice.contour = known;
    tell(voice);
  } else if (track && track.buffer) {
    show(player.state);
  } else {
    one(".cb-wave-told", voice.card).textContent = "No drawing of this clip is stored yet; it is drawn from the sound once you play.";
  }
}

/* A few kilobytes a voice, asked for only as its card comes into view. */
function watch() {
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const voice = entry.isIntersecting && voices.find((other) => other.canvas === entry.target);
      if (voice) {
        seen.unobserve(entry.target);
        contour(voice);
      }
    }
  }, { rootMargin: "200px" });
  for (const voice of voices) if (voice.canvas && voice.contourSrc) seen.observe(voice.canvas);
}

/* A walk whose tables are still being read: look again by itself, ever less often, until it is there. */
function lookAgain() {
  window.clearTimeout(looking);
  if (!body() || !body().dataset.waiting) nLooked = 0;
  else if (nLooked < N_AGAIN) looking = window.setTimeout(look, Math.min(AGAIN_MS * (1 + nLooked / 4), 10_000));
}

function look() {
  nLooked += 1;
  if (!body() || !body().dataset.waiting) return;
  if (document.hidden) {
    lookAgain();
    return;
  }
  forget();
  swap(window.location.href, BODY, { history: "none" }).then(lookAgain);
}

/* The form stands outside of what is swapped: after a step back it is set to what the address says. */
function setForm(element) {
  const form = document.getElementById("listen-form");
  if (!form || !element.dataset.form) return;
  const told = new URLSearchParams(element.dataset.form);
  for (const field of all("input[name]:not([type=hidden]), select[name]", form)) {
    const value = told.get(field.name) || "";
    if (field !== document.activeElement && field.value !== value) field.value = value;
  }
}

/* ---- hands ---- */

function hear(id) {
  if (!voices.some((voice) => voice.id === id)) return;
  if (player.state.current === id) player.toggle();
  else player.play(id);
}

function follow(name) {
  const link = document.getElementById(name);
  if (link && link.matches("a")) link.click();
}

function showKeys() {
  const box = one("#listen-keys");
  if (box && !box.open) box.showModal();
}

function sought(event, canvas) {
  const voice = voices.find((other) => other.canvas === canvas);
  if (!voice || !voice.contour) return;
  const box = canvas.getBoundingClientRect();
  const at = Math.min(((event.clientX - box.left) / box.width) * scale(), voice.contour.duration_s);
  if (player.state.current !== voice.id) player.choose(voice.id);
  player.seek(at);
}

const KEYS = {
  " ": () => player.toggle(),
  ArrowLeft: () => player.seek(player.now() - SEEK_S),
  ArrowRight: () => player.seek(player.now() + SEEK_S),
  ArrowUp: () => follow("listen-previous"),
  p: () => follow("listen-previous"),
  ArrowDown: () => follow("listen-next"),
  n: () => follow("listen-next"),
  m: () => player.setMatched(!player.isMatched),
  l: () => player.setLoop(!player.isLooped),
  b: () => follow("listen-blind"),
  "?": showKeys,
};
const WRITES = "input:not([type='checkbox'], [type='range']), select, textarea, dialog[open], audio";

function typed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target instanceof Element ? event.target : document.body;
  if (at.closest(WRITES)) return;
  if (event.key === " " && at.closest("button, summary, a, input, [tabindex]:not(main)")) return;
  if (event.key.startsWith("Arrow") && at.closest("input[type='range'], [tabindex]:not(main)")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const act = /^[0-9]$/.test(key) ? () => player.play(key) : KEYS[key];
  if (!act || (event.repeat && !key.startsWith("Arrow"))) return;
  event.preventDefault();
  act();
}

function pressed(event) {
  const at = event.target instanceof Element ? event.target : document.body;
  const button = at.closest("[data-play]");
  if (button) hear(button.dataset.play);
  else if (at.closest("#player-toggle")) player.toggle();
  else if (at.closest("#player-retry")) player.retry();
  else if (at.closest("#player-keys")) showKeys();
  else if (at.matches("canvas.cb-wave")) sought(event, at);
}

function turned(event) {
  if (event.target.id === "player-seek") player.seek(event.target.value);
  if (event.target.id === "player-matched") player.setMatched(event.target.checked);
  if (event.target.id === "player-loop") player.setLoop(event.target.checked);
}

document.addEventListener("cb:swapped", (event) => {
  if (event.detail.name !== BODY) return;
  setForm(event.detail.element);
  lookAgain();
});
lookAgain();
if (player) {
  document.addEventListener("keydown", typed);
  document.addEventListener("click", pressed);
  document.addEventListener("input", turned);
  document.addEventListener("cb:swapped", (event) => { if (event.detail.name === BODY) begin(); });
  document.addEventListener("cb:theme", () => paint());
  window.addEventListener("resize", () => paint());
  window.addEventListener("pagehide", () => player.pause());
  begin();
}
