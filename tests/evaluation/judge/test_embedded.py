"""The predictor as a judge."""

import io
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from evaluation.judge import verdict
from evaluation.judge.backend import JudgeMisconfigured, Request, Sound
from evaluation.judge.cache import FolderCache
from evaluation.judge.calls import Caller
from evaluation.judge.calls_key import key_of
from evaluation.judge.embedded import EmbeddedBackend, score_of
from evaluation.judge.open_backend import open_backend
from evaluation.judge.prompt import schema_of
from evaluation.judge.spend import load_prices
from evaluation.records import PredictedMos

NATURAL = ("naturalness",)


class ByLevel:
    """Predicts the loudest sample, from 1 to 5."""

    def predict(self, samples_16k: npt.NDArray[np.float32]) -> PredictedMos:
        """Return 1 for silence and 5 for full scale."""
        return PredictedMos(mos=float(1 + 4 * np.abs(samples_16k).max()))


def tone(level: float, *, rate_hz: int = 16_000) -> Sound:
    """Return a second of a constant."""
    file = io.BytesIO()
    soundfile.write(file, np.full(rate_hz, level, dtype=np.float32), rate_hz, format="WAV", subtype="FLOAT")
    return Sound(wav=file.getvalue(), duration_s=1.0)


def question(*sounds: Sound, dimensions: tuple[str, ...] = NATURAL) -> Request:
    """Return a request about `sounds`."""
    schema = schema_of(dimensions)
    return Request(system="s", parts=("t", *sounds), schema=schema, temperature=0.0, max_output_tokens=99)


def test_verdict_is_read_like_any_judges() -> None:
    """The reply passes the parser of all judges: the better clip wins, scores are the predictions on 0 to 3."""
    reply = EmbeddedBackend(predictor=ByLevel()).ask(question(tone(0.25), tone(0.75)))
    read = verdict.parse(reply.text, NATURAL)
    assert isinstance(read, dict)
    one = read["naturalness"]
    assert (one.score_a, one.score_b, one.winner) == (0.75, 2.25, "b")
    assert reply.finish == "stop"


@given(a=st.floats(0, 1, width=32), b=st.floats(0, 1, width=32))
def test_order_does_not_matter(a: float, b: float) -> None:
    """Swapped clips swap scores and winner, and the parser accepts every verdict."""
    backend = EmbeddedBackend(predictor=ByLevel())
    one, two = (json.loads(backend.ask(question(*pair)).text) for pair in ((tone(a), tone(b)), (tone(b), tone(a))))
    assert (one["score_a"], one["score_b"]) == (two["score_b"], two["score_a"])
    assert one["winner"] == {"a": "b", "b": "a", "tie": "tie"}[two["winner"]]
    assert isinstance(verdict.parse(json.dumps(one), NATURAL), dict)


def test_scores_span_the_scale() -> None:
    """The worst prediction is 0, the best 3, and better is never less."""
    assert (score_of(1.0), score_of(3.0), score_of(5.0)) == (0.0, 1.5, 3.0)
    scores = [score_of(mos) for mos in np.linspace(1, 5, 200)]
    assert scores == sorted(scores)


def test_other_dimensions_are_refused(tmp_path: Path) -> None:
    """A combined question is refused by the backend, one about tone by the caller, each saying what it can hear."""
    backend = EmbeddedBackend(predictor=ByLevel())
    with pytest.raises(JudgeMisconfigured, match="naturalness only"):
        backend.ask(question(tone(0.1), tone(0.2), dimensions=("tone", "naturalness")))
    asked = question(tone(0.1), tone(0.2))
    judge = Caller(backend, cache=FolderCache(folder=tmp_path), run="r", prices=load_prices())
    with pytest.raises(JudgeMisconfigured, match="not tone"):
        judge.ask(asked, key_of(asked, backend, dimensions=("tone",), order="clip_first", vote=0, ask=0))
    key = key_of(asked, backend, dimensions=NATURAL, order="clip_first", vote=0, ask=0)
    assert judge.ask(asked, key).cost_micro_usd == 0


@pytest.mark.parametrize("n", [0, 1, 3])
def test_needs_two_sounds(n: int) -> None:
    """A comparison is of two."""
    with pytest.raises(JudgeMisconfigured, match=f"holds {n}"):
        EmbeddedBackend(predictor=ByLevel()).ask(question(*[tone(0.1)] * n))


def test_sound_that_is_none_is_refused() -> None:
    """Bytes that are no WAV are told."""
    with pytest.raises(JudgeMisconfigured, match="cannot be read"):
        EmbeddedBackend(predictor=ByLevel()).ask(question(tone(0.1), Sound(wav=b"RIFF", duration_s=1.0)))


def test_clips_are_heard_at_16_khz() -> None:
    """A clip at another rate is brought to the predictor's."""
    heard: list[int] = []

    class Counting(ByLevel):
        def predict(self, samples_16k: npt.NDArray[np.float32]) -> PredictedMos:
            heard.append(samples_16k.size)
            return PredictedMos(mos=3.0)

    EmbeddedBackend(predictor=Counting()).ask(question(tone(0.1, rate_hz=24_000), tone(0.1)))
    assert heard == [16_000, 16_000]


@pytest.mark.models
def test_real_predictor_is_a_judge() -> None:
    """With its real weights the embedded judge gives a verdict that the parser accepts, scores on the scale."""
    backend = open_backend("embedded", "distillmos-0.9.1", url=None, key=None, timeout_s=1.0)
    seconds = np.arange(32_000) / 16_000
    buzz = sum(np.sin(2 * np.pi * 120 * k * seconds) / k for k in range(1, 20)) * (0.1 + 0.1 * np.sin(12 * seconds))
    noise = np.random.default_rng(1).normal(0, 0.2, 32_000)
    reply = backend.ask(question(*(_as_sound(samples) for samples in (buzz, noise))))
    assert isinstance(verdict.parse(reply.text, NATURAL), dict)


def test_unknown_backends_and_models() -> None:
    """A name that is none is refused, with those that are."""
    with pytest.raises(JudgeMisconfigured, match="gemini, openai or embedded"):
        open_backend("claude", "m", url=None, key=None, timeout_s=1.0)
    with pytest.raises(JudgeMisconfigured, match=r"distillmos-0\.9\.1"):
        open_backend("embedded", "utmos", url=None, key=None, timeout_s=1.0)


def _as_sound(samples: npt.NDArray[np.float64]) -> Sound:
    file = io.BytesIO()
    soundfile.write(file, samples.astype(np.float32), 16_000, format="WAV", subtype="PCM_16")
    return Sound(wav=file.getvalue(), duration_s=2.0)
