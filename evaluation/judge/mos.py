"""How natural a clip sounds: the opinion score that DistillMOS predicts. A predictor, not a judge.

The network hears windows of 7.68 s. A longer clip is heard in overlapping windows, each scaled to its own
peak, and their mean is the clip's score, as in the package. The code here only leaves out work: one window at
a time (small memory), and the silence after a short clip is computed once and repeated.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation import heap, torchaudio_cpu, weights
from evaluation.records import PredictedMos

RATE_HZ = 16_000
INSTALL = "pip install distillmos==0.9.1 torchaudio==2.11.1 torch==2.13.0"
WEIGHTS_PACKAGE = "distillmos"
WEIGHTS_FILE = "weights/distill_mos_v7.pt"
WEIGHTS_SHA256 = "b18b3ac60227267cfb91e5d00ce22cc7b73716fd92f269484da1446e27031a40"

PACKAGE_HOP_S = 1.0
"""Largest step between windows in the package."""

_WINDOW_SAMPLES = 122_880
_STEP_SAMPLES = 160  # of one spectrogram frame
_N_FRAMES = _WINDOW_SAMPLES // _STEP_SAMPLES  # of a window; the network halves them once
_MARGIN_FRAMES = 16  # the network looks 6 frames to either side, so beyond this silence is all alike; even
_PEAK_FLOOR = 1e-8  # the package's guard against a division by zero

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class NaturalnessPredictor:
    """DistillMOS on one CPU thread; make one with `load`."""

    network: Any
    """The torch module, in evaluation mode, hearing single windows."""
    hop_s: float
    """Largest step between the windows of a long clip, s."""

    @classmethod
    def load(cls, *, hop_s: float = PACKAGE_HOP_S, n_threads: int = 1) -> "NaturalnessPredictor":
        """Return the predictor with its pinned weights.

        Args:
            hop_s: largest step between windows, s, in (0, 7.68]; 1 is the package's.
            n_threads: CPU threads of torch, for the whole process.

        Raises:
            MissingDependency: if distillmos, torch or torchaudio is not installed.
            WeightsMismatch: if the weights are not the pinned ones.
        """
        if not 0 < hop_s * RATE_HZ <= _WINDOW_SAMPLES:
            raise ValueError(f"hop_s must be in (0, {_WINDOW_SAMPLES / RATE_HZ}], got {hop_s}")
        path = weights.locate(WEIGHTS_PACKAGE, WEIGHTS_FILE, WEIGHTS_SHA256, INSTALL)
        for package in ("torch", "torchaudio", "xls_r_sqa"):
            weights.package_folder(package, INSTALL)
        heap.keep_freed_memory()
        torchaudio_cpu.prepare()
        import torch
        from distillmos import ConvTransformerSQAModel

        torch.set_num_threads(n_threads)
        network = ConvTransformerSQAModel(load_weights=False, segmenting_in_forward=False)
        network.load_state_dict(torch.load(path, map_location="cpu", weights_only=True)["model"])
        return cls(network=network.eval(), hop_s=hop_s)

    def predict(self, samples_16k: Samples) -> PredictedMos:
        """Return the predicted mean opinion score of one clip; higher is better.

        Args:
            samples_16k: mono clip at 16 kHz, shape (n,), n > 0, float32 in [-1, 1].

        Raises:
            ValueError: for another shape or type, or no sample at all.

        Source: Stahl and Gamper, "Distillation and Pruning for Scalable Self-Supervised Representation-Based
        Speech Quality Assessment", arXiv 2502.05356; package distillmos 0.9.1.
        """
        if samples_16k.ndim != 1 or samples_16k.dtype != np.float32 or samples_16k.size == 0:
            raise ValueError(f"a clip must be float32 of shape (n,), got {samples_16k.dtype} {samples_16k.shape}")
        starts = window_starts(samples_16k.size, hop_s=self.hop_s)
        qualities = [self._quality(samples_16k[start : start + _WINDOW_SAMPLES]) for start in starts]
        mos = 1 + 4 * math.fsum(qualities) / len(qualities)
        return PredictedMos(mos=round(min(5.0, max(1.0, mos)), 6))

    def _quality(self, window: Samples) -> float:
        """Return the network's quality of one window of at most 7.68 s, 0..1."""
        import torch

        with torch.inference_mode():
            return float(self.network.transformer_pool_attn(self._features(window)))

    def _features(self, window: Samples) -> Any:
        """Return the convolutional features of a window that silence fills up to 7.68 s, [1, 384, features]."""
        import torch

        n_frames = math.ceil(window.size / _STEP_SAMPLES) + 2 * _MARGIN_FRAMES
        n_frames = min(_N_FRAMES, n_frames + n_frames % 2)
        heard = torch.zeros(1, n_frames * _STEP_SAMPLES)
        heard[0, : window.size] = torch.from_numpy(window / (np.abs(window).max() + np.float32(_PEAK_FLOOR)))
        features = self.network.cnn(heard).permute(0, 2, 1)
        n_left_out = (_N_FRAMES - n_frames) // 2
        silent = (n_frames - _MARGIN_FRAMES) // 2  # a column that sees neither the clip nor the window's end
        repeated = features[:, silent : silent + 1].expand(-1, n_left_out, -1)
        return torch.cat([features[:, :silent], repeated, features[:, silent:]], dim=1)


def window_starts(n_samples: int, *, hop_s: float) -> tuple[int, ...]:
    """Return where the windows of a clip start, in samples at 16 kHz: evenly spread, at most `hop_s` apart."""
    excess = max(0, n_samples - _WINDOW_SAMPLES)
    n_windows = math.ceil(excess / (hop_s * RATE_HZ)) + 1
    return tuple(int(share * excess) for share in np.linspace(0, 1, n_windows))
