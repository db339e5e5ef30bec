"""A judge in this process: the naturalness predictor of `lite`, answering in the form that every judge answers in.

It hears naturalness only. With it the whole way of a judge runs without a network, a key or a bill.
"""

import io
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from evaluation.judge.backend import JudgeMisconfigured, Reply, Request, Sound, Usage
from evaluation.judge.mos import RATE_HZ, NaturalnessPredictor
from evaluation.records import PredictedMos

MODEL = "distillmos-0.9.1"
"""Model id of the predictor."""
TIE_WITHIN_MOS = 0.05
"""Predictions that are no further apart are called a tie."""
_MOST_SCORE = 3
_LOWEST_MOS, _HIGHEST_MOS = 1.0, 5.0
_DIMENSION = "naturalness"


class Predictor(Protocol):
    """Something that predicts how natural a clip sounds."""

    def predict(self, samples_16k: npt.NDArray[np.float32]) -> PredictedMos:
        """Return the opinion score, 1..5."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedBackend:
    """The predictor as a judge; make one with `load`. Threads take turns, since the predictor has one thread."""

    predictor: Predictor
    """What predicts."""
    model: str = MODEL
    """Model id of the predictor."""
    name: str = "embedded"
    """Name of the backend."""
    dimensions: tuple[str, ...] = (_DIMENSION,)
    """All that it judges."""
    turn: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    """Held while it predicts."""

    @classmethod
    def load(cls, *, model: str = MODEL) -> "EmbeddedBackend":
        """Return the backend with its pinned weights.

        Raises:
            JudgeMisconfigured: for another model.
            MissingDependency: if a package is not installed.
            WeightsMismatch: if the weights are not the pinned ones.
        """
        if model != MODEL:
            raise JudgeMisconfigured(f"the embedded judge has one model, {MODEL}; got {model!r:.80}")
        return cls(predictor=NaturalnessPredictor.load())

    def ask(self, request: Request) -> Reply:
        """Return a verdict on the naturalness of the request's two sounds.

        Raises:
            JudgeMisconfigured: if the request holds no two sounds, or asks for anything but one verdict.
        """
        sounds = [part for part in request.parts if isinstance(part, Sound)]
        wraps, kind = _asked_for(request.schema)
        if len(sounds) != 2:
            raise JudgeMisconfigured(f"the embedded judge compares two sounds, the request holds {len(sounds)}")
        a, b = (self._mos(sound) for sound in sounds)
        verdict: Any = _verdict(a, b, is_whole=kind == "integer")
        for name in wraps:
            verdict = {name: verdict}
        return Reply(
            text=json.dumps(verdict),
            model=self.model,
            finish="stop",
            usage=Usage(input_tokens=0, audio_tokens=0, output_tokens=0),
        )

    def _mos(self, sound: Sound) -> float:
        import soundfile
        import soxr

        try:
            samples, rate_hz = soundfile.read(io.BytesIO(sound.wav), dtype="float32", always_2d=True)
        except soundfile.LibsndfileError as error:
            raise JudgeMisconfigured(f"a sound of the request cannot be read as WAV: {error}") from error
        if samples.shape[1] != 1 or samples.shape[0] == 0:
            raise JudgeMisconfigured(f"a sound must be mono and not empty, got shape {samples.shape}")
        mono = samples[:, 0]
        if rate_hz != RATE_HZ:
            mono = np.asarray(soxr.resample(mono, rate_hz, RATE_HZ), dtype=np.float32)
        with self.turn:
            return self.predictor.predict(mono).mos


def score_of(mos: float) -> float:
    """Return the score of a predicted opinion score: 1..5 becomes 0..3, in steps of 0.01; higher is better."""
    return round(_MOST_SCORE * (mos - _LOWEST_MOS) / (_HIGHEST_MOS - _LOWEST_MOS), 2)


def _verdict(a: float, b: float, *, is_whole: bool) -> dict[str, Any]:
    lead = a - b
    winner = "tie" if abs(lead) <= TIE_WITHIN_MOS else "a" if lead > 0 else "b"
    scores = [round(score_of(mos)) if is_whole else score_of(mos) for mos in (a, b)]
    return {
        "reasoning_a": f"Predicted opinion score {a:.3f} of 5.",
        "reasoning_b": f"Predicted opinion score {b:.3f} of 5.",
        "comparison": f"The first is {lead:+.3f} from the second; within {TIE_WITHIN_MOS} is a tie.",
        "score_a": scores[0],
        "score_b": scores[1],
        "winner": winner,
        "confidence": round(min(1.0, abs(lead) / (_HIGHEST_MOS - _LOWEST_MOS)), 3) if winner != "tie" else 1.0,
    }


def _asked_for(schema: Mapping[str, Any]) -> tuple[tuple[str, ...], str]:
    """Return the names around the verdict, inmost first, and the type of its scores.

    Raises:
        JudgeMisconfigured: if the schema is not of one verdict, plain or under "naturalness".
    """
    wraps: list[str] = []
    properties = schema.get("properties", {})
    while "score_a" not in properties:
        if len(properties) != 1 or len(wraps) > 2:
            raise JudgeMisconfigured(
                f"the embedded judge hears {_DIMENSION} only and gives one verdict; "
                f"it was asked for {', '.join(sorted(map(str, properties))) or 'nothing'}"
            )
        (name,) = properties
        wraps.insert(0, name)
        properties = properties[name].get("properties", {})
    return tuple(wraps), str(properties["score_a"].get("type", "number"))
