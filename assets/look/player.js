/* One player for any number of clips of one item: all run in step and one is heard, so changing over is instant and
   at the same position. Speech is brought to one level, so that louder does not pass for better.

   Nothing is fetched before the reader asks to hear something. */

const FADE_S = 0.008;
const TARGET_DBFS = -20;
const CEILING_DBFS = -1;
const MOST_DECODED_S = 900;
const FRAME_S = 0.02;
const ACTIVE_DB = 15.9;

const toDb = (amplitude) => (amplitude > 0 ? 20 * Math.log10(amplitude) : -Infinity);
const toGain = (db) => 10 ** (db / 20);

/* The gain of each clip, dB, that brings all to one speech level without clipping any.
   clips: [{id, levelDbfs, peakDbfs}], null where unknown; a clip of unknown level is left as it is.
   The common level is the highest that none has to be clipped for, and at most `target`. */
export function matchGains(clips, target = TARGET_DBFS) {
  const known = clips.filter((clip) => Number.isFinite(clip.levelDbfs));
  const room = known.map((clip) => clip.levelDbfs + CEILING_DBFS - (Number.isFinite(clip.peakDbfs) ? clip.peakDbfs : 0));
  const common = Math.min(target, ...room);
  return new Map(clips.map((clip) => [clip.id, Number.isFinite(clip.levelDbfs) ? common - clip.levelDbfs : 0]));
}

/* Speech level and peak of a decoded clip, dBFS: the level is that of the frames that are active against their own
   mean, as the board's instrument has it. */
export function levelsOf(buffer) {
  const samples = buffer.getChannelData(0);
  const size = Math.max(1, Math.round(FRAME_S * buffer.sampleRate));
  const powers = [];
  let peak = 0;
  for (let start = 0; start + size <= samples.length; start += size) {
    let sum = 0;
    for (let at = start; at < start + size; at += 1) {
      const value = samples[at];
      sum += value * value;
      if (Math.abs(value) > peak) peak = Math.abs(value);
    }
    powers.push(sum / size);
  }
  let active = powers.filter((power) => power > 0);
  while (active.length) {
    const mean = active.reduce((sum, power) => sum + power, 0) / active.length;
    const kept = active.filter((power) => power >= mean * 10 ** (-ACTIVE_DB / 10));
    if (kept.length >= active.length) return { levelDbfs: 10 * Math.log10(mean), peakDbfs: toDb(peak) };
    active = kept;
  }
  return { levelDbfs: null, peakDbfs: toDb(peak) };
}

/* Events: "change" whenever `state` changes, "position" while it plays, "ended" at the end of the clip that is heard. */
export class Player extends EventTarget {
  #context = null;
  #tracks = new Map();
  #order = [];
  #active = null;
  #position = 0;
  #startedAt = 0;
  #isPlaying = false;
  #isWanted = false;
  #isMatched = true;
  #isLooped = false;
  #abort = null;
  #gains = new Map();
  #frame = 0;

  /* Take other clips: [{id, src, levelDbfs?, peakDbfs?}]. What was heard before stops; nothing is fetched. */
  load(tracks) {
    this.pause();
    this.#abort?.abort();
    this.#abort = null;
    this.#tracks = new Map(tracks.map((track) => [track.id, {
      id: track.id, src: track.src, levelDbfs: numberOf(track.levelDbfs), peakDbfs: numberOf(track.peakDbfs),
      buffer: null, source: null, gain: null, status: "idle", error: "", loading: null,
    }]));
    this.#order = tracks.map((track) => track.id);
    this.#active = this.#order[0] ?? null;
    this.#position = 0;
    this.#gains = this.#worked();
    this.#changed();
  }

  get state() {
    const active = this.#tracks.get(this.#active);
    return {
      active: this.#active,
      order: [...this.#order],
      positionS: this.position,
      durationS: active?.buffer?.duration ?? null,
      isPlaying: this.#isPlaying,
      isLoading: this.#isWanted && !this.#isPlaying,
      isMatched: this.#isMatched,
      isLooped: this.#isLooped,
      gainsDb: Object.fromEntries([...this.#gains].map(([id, db]) => [id, this.#isMatched ? db : 0])),
      status: Object.fromEntries([...this.#tracks.values()].map((track) => [track.id, track.status])),
      errors: Object.fromEntries([...this.#tracks.values()].filter((track) => track.error).map((track) => [track.id, track.error])),
    };
  }

  /* Where the clip that is heard is, s. */
  get position() {
    if (!this.#isPlaying) return this.#position;
    const passed = this.#position + (this.#context.currentTime - this.#startedAt);
    const length = this.#tracks.get(this.#active)?.buffer?.duration ?? passed;
    return Math.min(passed, length);
  }

  /* The gain that is set on a clip now, as a factor; 0 for one that is not heard. For tests and read-outs. */
  gainOf(id) {
    if (id !== this.#active) return 0;
    return toGain(this.#isMatched ? this.#gains.get(id) ?? 0 : 0);
  }

  /* The decoded clip, once it is there; null before. */
  bufferOf(id) {
    return this.#tracks.get(id)?.buffer ?? null;
  }

  /* Hear a clip, from where the last one was. Must be called in a reader's click or key. */
  async play(id = this.#active) {
    const track = this.#tracks.get(id);
    if (!track) return;
    this.#isWanted = true;
    this.#context ??= new AudioContext({ latencyHint: "interactive" });
    if (this.#context.state === "suspended") await this.#context.resume();
    this.#choose(id);
    this.#changed();
    try {
      await this.#fetched(track);
    } catch {
      if (this.#active === id) this.#isWanted = false;
      this.#changed();
      return;
    }
    if (!this.#isWanted || this.#active !== id || this.#tracks.get(id) !== track) return;
    if (!this.#isPlaying) this.#start();
    this.#heard();
    this.#fetchRest();
  }

  pause() {
    this.#isWanted = false;
    if (this.#isPlaying) {
      this.#position = this.position;
      this.#stop();
    }
    this.#changed();
  }

  toggle() {
    return this.#isPlaying || this.#isWanted ? this.pause() : this.play();
  }

  /* Change over to another clip at the same position; while paused it is only picked. */
  pick(id) {
    if (!this.#tracks.has(id)) return;
    if (this.#isPlaying || this.#isWanted) {
      this.play(id);
      return;
    }
    this.#choose(id);
    this.#changed();
  }

  seek(seconds) {
    const length = this.#tracks.get(this.#active)?.buffer?.duration ?? Infinity;
    const wasPlaying = this.#isPlaying;
    if (wasPlaying) this.#stop();
    this.#position = Math.min(Math.max(0, seconds), Math.max(0, length - 0.01));
    if (wasPlaying) this.#start();
    this.#changed();
  }

  setMatched(isMatched) {
    this.#isMatched = isMatched;
    this.#heard();
    this.#changed();
  }

  setLooped(isLooped) {
    this.#isLooped = isLooped;
    this.#changed();
  }

  /* Try a clip again that could not be had. */
  retry(id) {
    const track = this.#tracks.get(id);
    if (!track) return;
    track.error = "";
    track.status = "idle";
    track.loading = null;
    this.play(id);
  }

  #choose(id) {
    if (id === this.#active) return;
    const at = this.position;
    this.#active = id;
    const length = this.#tracks.get(id).buffer?.duration ?? Infinity;
    if (at >= length) this.#restart(0);
    else if (this.#isPlaying && !this.#tracks.get(id).buffer) this.#wait(at);
    else this.#heard();
  }

  #restart(position) {
    const wasPlaying = this.#isPlaying;
    if (wasPlaying) this.#stop();
    this.#position = position;
    if (wasPlaying) this.#start();
  }

  /* The clip is not there yet: hold the position until it is. */
  #wait(position) {
    this.#stop();
    this.#position = position;
  }

  #start() {
    this.#startedAt = this.#context.currentTime + 0.005;
    this.#isPlaying = true;
    for (const track of this.#tracks.values()) if (track.buffer) this.#attach(track);
    this.#heard(0);
    const tick = () => {
      if (!this.#isPlaying) return;
      this.dispatchEvent(new Event("position"));
      this.#frame = requestAnimationFrame(tick);
    };
    this.#frame = requestAnimationFrame(tick);
  }

  #attach(track) {
    const now = Math.max(this.#startedAt, this.#context.currentTime);
    const offset = this.#position + (now - this.#startedAt);
    if (offset >= track.buffer.duration) return;
    const source = this.#context.createBufferSource();
    const gain = this.#context.createGain();
    gain.gain.value = 0;
    source.buffer = track.buffer;
    source.connect(gain).connect(this.#context.destination);
    source.addEventListener("ended", () => { if (track.source === source) this.#finished(track); });
    source.start(now, offset);
    track.source = source;
    track.gain = gain;
  }

  #finished(track) {
    track.source = null;
    track.gain = null;
    if (!this.#isPlaying || track.id !== this.#active) return;
    this.#stop();
    this.#position = 0;
    if (this.#isLooped) this.#start();
    else this.#isWanted = false;
    this.#changed();
    if (!this.#isLooped) this.dispatchEvent(new Event("ended"));
  }

  #stop() {
    this.#isPlaying = false;
    cancelAnimationFrame(this.#frame);
    for (const track of this.#tracks.values()) {
      const { source } = track;
      track.source = null;
      track.gain = null;
      if (source) { source.stop(); source.disconnect(); }
    }
  }

  /* Bring every clip to what it should be heard with: the picked one to its gain, the others to nothing. */
  #heard(fadeS = FADE_S) {
    if (!this.#context) return;
    const now = this.#context.currentTime;
    for (const track of this.#tracks.values()) {
      if (!track.gain) continue;
      const { gain } = track.gain;
      const wanted = this.gainOf(track.id);
      gain.cancelScheduledValues(now);
      gain.setValueAtTime(gain.value, now);
      gain.linearRampToValueAtTime(wanted, now + Math.max(fadeS, 0.001));
    }
  }

  async #fetchRest() {
    let decodedS = 0;
    for (const id of this.#order) {
      const track = this.#tracks.get(id);
      if (!track || decodedS > MOST_DECODED_S) return;
      try {
        await this.#fetched(track);
      } catch {
        continue;
      }
      decodedS += track.buffer.duration;
    }
  }

  #fetched(track) {
    track.loading ??= this.#decode(track).catch((error) => {
      track.loading = null;
      throw error;
    });
    return track.loading;
  }

  async #decode(track) {
    this.#abort ??= new AbortController();
    const { signal } = this.#abort;
    track.status = "loading";
    this.#changed();
    try {
      const answer = await fetch(track.src, { signal });
      if (!answer.ok) throw new Error(answer.status === 404 ? "This clip is no longer there." : `The site answered ${answer.status}.`);
      const bytes = await answer.arrayBuffer();
      track.buffer = await this.#context.decodeAudioData(bytes).catch(() => { throw new Error("This browser cannot decode the clip."); });
    } catch (error) {
      track.status = error.name === "AbortError" ? "idle" : "failed";
      track.error = error.name === "AbortError" ? "" : error instanceof TypeError ? "The clip could not be fetched; is the network there?" : error.message;
      this.#changed();
      throw error;
    }
    if (signal.aborted) throw new DOMException("other clips are wanted", "AbortError");
    const found = levelsOf(track.buffer);
    track.levelDbfs ??= found.levelDbfs;
    track.peakDbfs = found.peakDbfs;
    track.status = "ready";
    this.#gains = this.#worked();
    if (this.#isPlaying) this.#attach(track);
    this.#heard();
    this.#changed();
  }

  #worked() {
    return matchGains([...this.#tracks.values()]);
  }

  #changed() {
    this.dispatchEvent(new Event("change"));
  }
}

function numberOf(value) {
  const number = value === null || value === undefined || value === "" ? NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}
