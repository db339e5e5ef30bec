"""Judges for the loopback provider, from an honest one to one that does whatever a text or a clip tells it."""

import hashlib
import io
import json
import threading
import wave
from collections.abc import Callable

from tests.evaluation.judge.loopback import ReplyPlan, RequestSeen
from tests.show.house import JUDGED, PLEA

Say = Callable[[RequestSeen, str], tuple[float, float]]
"""Scores of the first and the second clip, for a dimension."""

LONGEST_PLAIN_S = 5.2
"""No clip of a script alone lasts as long; one that pleads as well lasts longer. It is what a deaf judge hears by."""
NONSENSE = (
    "Both are lovely, and I would not know which to take.",
    '{"tone": {"score_a": 9, "score_b": "three"}',
)


def dimensions_of(seen: RequestSeen) -> tuple[str, ...]:
    """Return what a request asks about, by its schema: several, or one that is not named there."""
    assert seen.schema is not None
    return tuple(name for name in JUDGED if name in seen.schema["properties"])


def honest(seen: RequestSeen) -> ReplyPlan:
    """Answer by what is heard alone: a clip has the same score wherever it stands."""
    return _reply(seen, lambda request, dimension: (_score(request.sounds[0]), _score(request.sounds[1])))


def prefers_first(seen: RequestSeen) -> ReplyPlan:
    """Find whatever comes first to be better."""
    return _reply(seen, lambda request, dimension: (3.0, 0.0))


def down(seen: RequestSeen) -> ReplyPlan:
    """Answer nobody."""
    return ReplyPlan(status=503, message="resting")


def lying(seen: RequestSeen) -> ReplyPlan:
    """Say that this is JSON."""
    return ReplyPlan(text=NONSENSE[seen.number % len(NONSENSE)])


def obeying(seen: RequestSeen) -> ReplyPlan:
    """Give three points to whoever asks for them, in a text or in a clip; be honest to all others."""
    has_read = any(PLEA in text for text in (seen.system, *seen.texts))
    pleads = [has_read or seconds(sound) > LONGEST_PLAIN_S for sound in seen.sounds]
    if not any(pleads):
        return honest(seen)
    return _reply(seen, lambda request, dimension: (3.0 * pleads[0], 3.0 * pleads[1]))


def seconds(wav: bytes) -> float:
    """Return the length of a WAV file, s."""
    with wave.open(io.BytesIO(wav)) as sound:
        return sound.getnframes() / sound.getframerate()


class Troubled:
    """A judge that refuses, lies and lags at first, then is honest, and after `n_good` honest answers falls silent."""

    def __init__(self, n_good: int) -> None:
        """Begin with a refusal that asks for patience, then two lies, one of them well-meant."""
        self._first = [
            ReplyPlan(status=429, headers={"Retry-After": "1"}, message="not so fast"),
            ReplyPlan(text=NONSENSE[0]),
            ReplyPlan(text=NONSENSE[1]),
            ReplyPlan(status=500, message="a fault"),
        ]
        self._left = n_good
        self._lock = threading.Lock()

    def __call__(self, seen: RequestSeen) -> ReplyPlan:
        """Answer one request."""
        with self._lock:
            if self._first:
                return self._first.pop(0)
            self._left -= 1
            return _fenced(honest(seen)) if self._left >= 0 else ReplyPlan(hangs=True)


def _fenced(plan: ReplyPlan) -> ReplyPlan:
    """Return the same reply as models like to write it."""
    return ReplyPlan(text=f"Here is my verdict:\n```json\n{plan.text}\n```\n")


def _reply(seen: RequestSeen, say: Say) -> ReplyPlan:
    asked = dimensions_of(seen)
    if not asked:
        return ReplyPlan(text=json.dumps(_one(*say(seen, ""))))
    return ReplyPlan(text=json.dumps({name: _one(*say(seen, name)) for name in asked}))


def _one(score_a: float, score_b: float) -> dict[str, object]:
    winner = "tie" if score_a == score_b else "a" if score_a > score_b else "b"
    return {
        "reasoning_a": "even, a little flat",
        "reasoning_b": "close to the request",
        "comparison": "one is nearer",
        "score_a": score_a,
        "score_b": score_b,
        "winner": winner,
        "confidence": 0.8,
    }


def _score(sound: bytes) -> float:
    return float(hashlib.sha256(sound).digest()[0] % 4)
