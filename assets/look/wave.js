/* A clip's waveform with its level and its pitch, drawn from a contour; colours come from the page's styles. */

const BIN_S = 0.02;
const N_MOST = 600;
const LEVEL_DB = [-60, 0];
const F0_HZ = [60, 500];

/* The contour of decoded sound, without pitch: what is drawn where no stored one is. */
export function fromBuffer(buffer) {
  const samples = buffer.getChannelData(0);
  const binS = BIN_S * Math.max(1, Math.ceil(buffer.duration / (BIN_S * N_MOST)));
  const low = [], high = [], levels = [];
  for (let start = 0; start < buffer.duration; start += binS) {
    const from = Math.floor(start * buffer.sampleRate);
    const to = Math.min(samples.length, Math.floor((start + binS) * buffer.sampleRate));
    let least = 0, most = 0, sum = 0;
    for (let at = from; at < to; at += 1) {
      least = Math.min(least, samples[at]);
      most = Math.max(most, samples[at]);
      sum += samples[at] ** 2;
    }
    const power = to > from ? sum / (to - from) : 0;
    low.push(Math.round(least * 127));
    high.push(Math.round(most * 127));
    levels.push(power > 10 ** -9.6 ? Math.round(20 * Math.log10(power)) / 2 : null);
  }
  return { duration_s: buffer.duration, bin_s: binS, n_bins: low.length, low, high, level_dbfs: levels, f0_hz: low.map(() => null), isDecoded: true };
}

const median = (values) => (values.length ? [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] : null);

/* What a drawing shows, in words. A level would tell which system a hidden voice is: it is left out there. */
export function describe(contour, { isHidden = false } = {}) {
  const pitch = contour.f0_hz.filter((one) => one !== null);
  const levels = contour.level_dbfs.filter((one) => one !== null && one > LEVEL_DB[0]);
  const told = [`Waveform of ${contour.duration_s.toFixed(1)} s`];
  if (!isHidden && pitch.length) told.push(`pitch around ${Math.round(median(pitch))} Hz, from ${Math.round(Math.min(...pitch))} to ${Math.round(Math.max(...pitch))}`);
  if (!isHidden && levels.length) told.push(`level around ${Math.round(median(levels))} dBFS`);
  return told.join("; ") + (contour.isDecoded ? "; drawn from the sound, pitch is not stored yet." : ".");
}

/* Draw a contour; time runs over `scaleS` seconds so that several clips share one axis. */
export function draw(canvas, contour, { positionS = 0, scaleS = contour.duration_s } = {}) {
  const box = canvas.getBoundingClientRect();
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = Math.max(1, Math.round(box.width * ratio)), height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const paint = canvas.getContext("2d");
  const style = window.getComputedStyle(canvas);
  const colour = (name) => style.getPropertyValue(name).trim();
  paint.clearRect(0, 0, width, height);
  const x = (seconds) => (seconds / scaleS) * width;
  const middle = height / 2;
  paint.fillStyle = colour("--cb-line");
  paint.fillRect(0, Math.round(middle), x(contour.duration_s), 1);
  const most = Math.max(8, ...contour.high, ...contour.low.map((one) => -one));
  const tall = (middle - 2 * ratio) / most;
  for (let bin = 0; bin < contour.n_bins; bin += 1) {
    const start = bin * contour.bin_s;
    paint.fillStyle = colour(start < positionS ? "--cb-wave-heard" : "--cb-wave");
    const top = middle - contour.high[bin] * tall, bottom = middle - contour.low[bin] * tall;
    paint.fillRect(x(start), top, Math.max(1, x(contour.bin_s) - 0.5), Math.max(1, bottom - top));
  }
  line(paint, contour, contour.level_dbfs, LEVEL_DB, x, height, { colour: colour("--cb-wave-level"), width: 1.25 * ratio, isLog: false, dash: [4 * ratio, 2 * ratio] });
  line(paint, contour, contour.f0_hz, F0_HZ, x, height, { colour: colour("--cb-wave-pitch"), width: 2 * ratio, isLog: true, dash: [] });
  if (positionS > 0) {
    paint.fillStyle = colour("--cb-ink");
    paint.fillRect(Math.round(x(Math.min(positionS, contour.duration_s))), 0, Math.max(1, 1.5 * ratio), height);
  }
}

function line(paint, contour, values, [least, most], x, height, { colour, width, isLog, dash }) {
  const scale = isLog ? Math.log : (one) => one;
  const y = (value) => height - 2 - ((scale(Math.max(least, Math.min(most, value))) - scale(least)) / (scale(most) - scale(least))) * (height - 4);
  paint.strokeStyle = colour;
  paint.lineWidth = width;
  paint.setLineDash(dash);
  paint.beginPath();
  let isDown = false;
  values.forEach((value, bin) => {
    if (value === null) {
      isDown = false;
      return;
    }
    const at = x((bin + 0.5) * contour.bin_s);
    if (isDown) paint.lineTo(at, y(value));
    else paint.moveTo(at - 1, y(value)), paint.lineTo(at, y(value));
    isDown = true;
  });
  paint.stroke();
  paint.setLineDash([]);
}
