/* One player for several clips of one item: the voice changes at the same instant, at the same level.

   const player = new Player({ onChange, onTime });
   player.set([{ id, src, levelDbfs }], { current, keepPosition });   nothing is fetched yet
   await player.play(id);  player.pause();  player.toggle();  player.choose(id);  player.seek(s);
   player.setMatched(true);  player.setLoop(false);  player.retry();  player.close();
   player.state -> what onChange is told. Nothing here touches the page. */

const FADE_S = 0.008;
const WAIT_MS = 1500;
const BUDGET_BYTES = 192 * 2 ** 20;
const PEAK_MOST_DBFS = -1;
export const TARGET_DBFS = -23;
const FRAME_S = 0.02;
const SILENT_DBFS = -60;

export const isSupported = () => typeof window.AudioContext === "function" && typeof window.fetch === "function";

/* Gains in dB that bring every level to one target: the quietest voice's, but at least -23 dBFS as far as no clip is
   driven into clipping. A level that is not known gets 0 dB. */
export function matchGains(tracks) {
  const known = tracks.filter((track) => Number.isFinite(track.levelDbfs));
  if (!known.length) return tracks.map(() => 0);
  const lowest = Math.min(...known.map((track) => track.levelDbfs));
  const ceilings = known.map((track) => track.levelDbfs + Math.max(PEAK_MOST_DBFS - (track.peakDbfs ?? 0), 0));
  const target = Math.max(lowest, Math.min(TARGET_DBFS, ...ceilings));
  return tracks.map((track) => {
    if (!Number.isFinite(track.levelDbfs)) return 0;
    const most = Math.max(PEAK_MOST_DBFS - (track.peakDbfs ?? 0), 0);
    return Math.round(Math.min(target - track.levelDbfs, most) * 100) / 100;
  });
}

/* Peak and active level of samples, dB re full scale: frames of 20 ms within 35 dB of the loudest count as speech. */
export function measure(buffer) {
  const samples = buffer.getChannelData(0);
  const size = Math.max(1, Math.round(FRAME_S * buffer.sampleRate));
  const powers = [];
  let peak = 0;
  for (let start = 0; start < samples.length; start += size) {
    const end = Math.min(start + size, samples.length);
    let sum = 0;
    for (let at = start; at < end; at += 1) {
      const value = samples[at];
      sum += value * value;
      if (value > peak) peak = value;
      else if (-value > peak) peak = -value;
    }
    powers.push(sum / (end - start));
  }
  const least = powers.reduce((most, power) => Math.max(most, power), 0) * 10 ** -3.5;
  const active = powers.filter((power) => power > 0 && power >= least);
  const level = active.length ? 10 * Math.log10(active.reduce((sum, one) => sum + one, 0) / active.length) : -Infinity;
  return { peakDbfs: peak > 0 ? 20 * Math.log10(peak) : -Infinity, levelDbfs: level > SILENT_DBFS ? level : null };
}

class ClipError extends Error {}

const ABSENT = "This clip is not there any more.";
const AWAY = "The clip could not be fetched: the connection failed.";
const BROKEN = "This browser cannot decode the clip.";
const BLOCKED = "The browser does not let sound start; press play again.";

export class Player {
  constructor({ onChange = () => {}, onTime = () => {} } = {}) {
    this.onChange = onChange;
    this.onTime = onTime;
    this.tracks = [];
    this.current = null;
    this.isPlaying = false;
    this.isLoading = false;
    this.isMatched = true;
    this.isLooped = false;
    this.error = "";
    this.positionS = 0;
    this.startedAt = 0;
    this.context = null;
    this.fetching = null;
    this.timer = 0;
    this.wish = 0;
  }

  /* Other clips: what plays stops, what is being fetched is let go. */
  set(tracks, { current = null, positionS = 0 } = {}) {
    this.halt();
    if (this.fetching) this.fetching.abort();
    this.fetching = null;
    this.wish += 1;
    this.tracks = tracks.map((track) => ({
      ...track, storedDbfs: track.levelDbfs ?? null, buffer: null, peakDbfs: null, gainDb: 0, durationS: null,
      error: "", loading: null, source: null, gain: null, isEvicted: false,
    }));
    const wanted = this.tracks.find((track) => track.id === current) || this.tracks[0];
    this.current = wanted ? wanted.id : null;
    this.positionS = positionS;
    this.isPlaying = this.isLoading = false;
    this.error = "";
    this.changed();
  }

  track(id = this.current) {
    return this.tracks.find((track) => track.id === id) || null;
  }

  get state() {
    const track = this.track();
    return {
      current: this.current, isPlaying: this.isPlaying, isLoading: this.isLoading, isMatched: this.isMatched,
      isLooped: this.isLooped, positionS: this.now(), durationS: track ? track.durationS : null,
      error: this.error || (track ? track.error : ""),
      tracks: this.tracks.map(({ id, gainDb, levelDbfs, storedDbfs, durationS, error, buffer }) => (
        { id, gainDb: this.isMatched ? gainDb : 0, levelDbfs, storedDbfs, durationS, error, isReady: Boolean(buffer) })),
    };
  }

  /* Where the sound is, s. */
  now() {
    if (!this.isPlaying || !this.context) return this.positionS;
    const track = this.track();
    const at = Math.max(0, this.context.currentTime - this.startedAt);
    return track && track.durationS ? Math.min(at, track.durationS) : at;
  }

  /* The gain that a voice really has at this moment, as a factor; the one that is heard is not 0. */
  gainValue(id = this.current) {
    const track = this.track(id);
    return track && track.gain ? track.gain.gain.value : 0;
  }

  async play(id = this.current) {
    if (!this.track(id)) return;
    if (this.isPlaying) {
      await this.choose(id);
      return;
    }
    const mine = (this.wish += 1);
    this.current = id;
    this.error = "";
    this.isLoading = true;
    this.changed();
    try {
      if (!this.context) this.context = new window.AudioContext({ latencyHint: "interactive" });
      const woken = this.context.state === "running" ? true : await Promise.race([this.context.resume().then(() => true), wait(WAIT_MS)]);
      if (mine !== this.wish) return;
      if (!woken) throw new ClipError(BLOCKED);
      await this.loadAll(id);
      if (mine !== this.wish) return;
      const track = this.track();
      if (!track.buffer) throw new ClipError(track.error || BROKEN);
      this.start(this.positionS >= track.durationS - FADE_S ? 0 : this.positionS);
    } catch (error) {
      if (mine !== this.wish || error.name === "AbortError") return;
      this.error = error instanceof ClipError ? error.message : BROKEN;
    } finally {
      if (mine === this.wish) this.isLoading = false;
      this.changed();
    }
  }

  pause() {
    this.wish += 1;
    this.positionS = this.now();
    this.halt();
    this.isPlaying = this.isLoading = false;
    this.changed();
  }

  toggle() {
    if (this.isPlaying || this.isLoading) this.pause();
    else this.play();
  }

  /* Hear another voice from where this one is; past the other's end it starts from its beginning. */
  async choose(id) {
    const track = this.track(id);
    if (!track || id === this.current) return;
    const at = this.now();
    this.current = id;
    if (!this.isPlaying) {
      if (track.durationS !== null) this.positionS = Math.min(at, track.durationS);
      if (this.isLoading) await this.play(id);
      else this.changed();
      return;
    }
    if (track.source && at < track.durationS - FADE_S) {
      this.balance();
      this.changed();
      return;
    }
    this.positionS = track.durationS !== null && at >= track.durationS - FADE_S ? 0 : at;
    if (track.buffer) {
      this.start(this.positionS);
      this.changed();
      return;
    }
    this.halt();
    this.isPlaying = false;
    await this.play(id);
  }

  seek(seconds) {
    const track = this.track();
    const most = track && track.durationS !== null ? track.durationS : Infinity;
    this.positionS = Math.max(0, Math.min(Number(seconds) || 0, most));
    if (this.isPlaying) this.start(Math.min(this.positionS, Math.max(0, most - FADE_S)));
    this.changed();
  }

  setMatched(isMatched) {
    this.isMatched = Boolean(isMatched);
    this.balance();
    this.changed();
  }

  setLoop(isLooped) {
    this.isLooped = Boolean(isLooped);
    this.changed();
  }

  retry() {
    for (const track of this.tracks) if (track.error) Object.assign(track, { error: "", loading: null });
    this.error = "";
    return this.play();
  }

  close() {
    this.set([]);
    if (this.context) this.context.close();
    this.context = null;
  }

  /* ---- fetching and decoding ---- */

  async loadAll(first) {
    if (!this.fetching) this.fetching = new AbortController();
    const wanted = this.track(first);
    const jobs = [this.load(wanted, true), ...this.tracks.filter((track) => track !== wanted).map((track) => this.load(track))];
    await jobs[0];
    await Promise.race([Promise.all(jobs), wait(WAIT_MS)]);
  }

  load(track, isWanted = false) {
    if (track.buffer || track.error) return Promise.resolve();
    if (track.isEvicted && !isWanted) return Promise.resolve();
    if (!track.loading) track.loading = this.fetched(track, this.fetching.signal).finally(() => { track.loading = null; });
    return track.loading;
  }

  async fetched(track, signal) {
    try {
      const answer = await fetch(track.src, { signal }).catch((error) => {
        throw error.name === "AbortError" ? error : new ClipError(AWAY);
      });
      if (!answer.ok) throw new ClipError(answer.status === 404 || answer.status === 410 ? ABSENT : `${AWAY} (${answer.status})`);
      const bytes = await answer.arrayBuffer().catch((error) => {
        throw error.name === "AbortError" ? error : new ClipError(AWAY);
      });
      const buffer = await this.context.decodeAudioData(bytes).catch(() => { throw new ClipError(BROKEN); });
      if (signal.aborted) return;
      const found = measure(buffer);
      track.buffer = buffer;
      track.durationS = buffer.duration;
      track.peakDbfs = found.peakDbfs;
      track.levelDbfs = track.storedDbfs ?? found.levelDbfs;
      this.keepWithin(track);
      this.weigh();
      if (this.isPlaying && track.buffer) this.join(track);
    } catch (error) {
      if (error.name === "AbortError" || signal.aborted) return;
      track.error = error instanceof ClipError ? error.message : BROKEN;
    }
    if (!signal.aborted) this.changed();
  }

  /* Decoded sound stays below a budget: voices that are not heard are let go and fetched again when they are wanted. */
  keepWithin(fresh) {
    const bytes = (track) => (track.buffer ? track.buffer.length * track.buffer.numberOfChannels * 4 : 0);
    let sum = this.tracks.reduce((total, track) => total + bytes(track), 0);
    for (const track of this.tracks) {
      if (sum <= BUDGET_BYTES) return;
      if (!track.buffer || track === fresh && fresh.id === this.current || track.id === this.current) continue;
      sum -= bytes(track);
      drop(track);
      track.buffer = null;
      track.isEvicted = true;
    }
  }

  weigh() {
    const gains = matchGains(this.tracks);
    this.tracks.forEach((track, at) => { track.gainDb = gains[at]; });
    this.balance();
  }

  /* ---- sound: every decoded voice runs in step, and only one is let through ---- */

  start(offsetS) {
    this.halt();
    const at = this.context.currentTime + 0.005;
    this.startedAt = at - offsetS;
    this.isPlaying = true;
    for (const track of this.tracks) this.join(track, at);
    this.tick();
  }

  join(track, when = this.context.currentTime + 0.005) {
    const offset = when - this.startedAt;
    if (!track.buffer || track.source || offset >= track.durationS) return;
    const source = this.context.createBufferSource();
    const gain = this.context.createGain();
    source.buffer = track.buffer;
    source.connect(gain).connect(this.context.destination);
    gain.gain.value = 0;
    source.onended = () => { if (track.source === source) this.ended(track); };
    Object.assign(track, { source, gain });
    source.start(when, Math.max(0, offset));
    if (track.id === this.current) fade(gain, this.factor(track), this.context.currentTime);
  }

  factor(track) {
    return this.isMatched ? 10 ** (track.gainDb / 20) : 1;
  }

  balance() {
    if (!this.isPlaying) return;
    for (const track of this.tracks) {
      if (track.gain) fade(track.gain, track.id === this.current ? this.factor(track) : 0, this.context.currentTime);
    }
  }

  ended(track) {
    drop(track);
    if (track.id !== this.current || !this.isPlaying) return;
    if (this.isLooped) {
      this.start(0);
    } else {
      this.halt();
      this.isPlaying = false;
      this.positionS = track.durationS;
      this.onTime(this.positionS);
    }
    this.changed();
  }

  halt() {
    for (const track of this.tracks) drop(track, this.context);
    window.cancelAnimationFrame(this.timer);
  }

  tick() {
    window.cancelAnimationFrame(this.timer);
    const step = () => {
      if (!this.isPlaying) return;
      this.onTime(this.now());
      this.timer = window.requestAnimationFrame(step);
    };
    this.timer = window.requestAnimationFrame(step);
  }

  changed() {
    this.onChange(this.state);
  }
}

function fade(node, value, at) {
  node.gain.cancelScheduledValues(at);
  node.gain.setValueAtTime(node.gain.value, at);
  node.gain.linearRampToValueAtTime(value, at + FADE_S);
}

function drop(track, context = null) {
  const { source, gain } = track;
  track.source = track.gain = null;
  if (!source) return;
  source.onended = null;
  if (context) {
    fade(gain, 0, context.currentTime);
    source.stop(context.currentTime + FADE_S);
  } else {
    source.disconnect();
  }
}

const wait = (milliseconds) => new Promise((done) => { window.setTimeout(() => done(false), milliseconds); });
