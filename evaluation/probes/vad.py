"""Where a clip holds speech: silero-vad's probabilities, one for each 32 ms, in one call of its sequence model.

The package's own front end imports torch; the model needs only onnxruntime, so it is run here directly.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation import weights

RATE_HZ = 16_000
FRAME_SAMPLES = 512
CONTEXT_SAMPLES = 64
STATE_SIZE = 128
BLOCK_FRAMES = 512  # bounds the memory of a long clip; the state runs on, so blocks change nothing
ENTER = 0.5
LEAVE = 0.35

PACKAGE = "silero_vad"
WEIGHTS_FILE = "data/silero_vad_16k_sequence.onnx"
WEIGHTS_SHA256 = "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85"
INSTALL = "pip install silero-vad==6.2.3 onnxruntime==1.32.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vad:
    """A loaded voice activity detector; the same samples give the same answer on one machine."""

    session: Any
    """onnxruntime session of the sequence model, one thread."""

    @classmethod
    def load(cls) -> "Vad":
        """Return the detector, its weights checked.

        Raises:
            MissingDependency: the package is not installed.
            WeightsMismatch: its model is not the one that this version names.
        """
        import onnxruntime

        path = weights.locate(PACKAGE, WEIGHTS_FILE, WEIGHTS_SHA256, INSTALL)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        return cls(session=onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]))

    def speech(self, samples_16k: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return which 32 ms frames are speech.

        Args:
            samples_16k: mono, shape (n,), float32 at 16 kHz, of ordinary speech level.

        Returns:
            Shape (ceil(n / 512),). A frame opens speech at probability 0.5 and closes it below 0.35.
        """
        return _with_hysteresis(self._probabilities(samples_16k))

    def _probabilities(self, samples_16k: NDArray[np.float32]) -> NDArray[np.float32]:
        frames = _frames(samples_16k)
        hidden = np.zeros((1, 1, STATE_SIZE), dtype=np.float32)
        cell = np.zeros((1, 1, STATE_SIZE), dtype=np.float32)
        parts = []
        for first in range(0, len(frames), BLOCK_FRAMES):
            feed = {"input": frames[first : first + BLOCK_FRAMES], "h": hidden, "c": cell}
            values, hidden, cell = self.session.run(["speech_probs", "hn", "cn"], feed)
            parts.append(np.asarray(values, dtype=np.float32).reshape(-1))
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)


def _frames(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    n_frames = -(-samples.size // FRAME_SAMPLES)
    padded = np.zeros(CONTEXT_SAMPLES + n_frames * FRAME_SAMPLES, dtype=np.float32)
    padded[CONTEXT_SAMPLES : CONTEXT_SAMPLES + samples.size] = samples
    if not n_frames:
        return np.zeros((0, CONTEXT_SAMPLES + FRAME_SAMPLES), dtype=np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(padded, CONTEXT_SAMPLES + FRAME_SAMPLES)
    return np.ascontiguousarray(windows[::FRAME_SAMPLES])


def _with_hysteresis(probabilities: NDArray[np.float32]) -> NDArray[np.bool_]:
    speech = np.zeros(probabilities.size, dtype=np.bool_)
    is_open = False
    for index, probability in enumerate(probabilities):
        is_open = probability >= (LEAVE if is_open else ENTER)
        speech[index] = is_open
    return speech
