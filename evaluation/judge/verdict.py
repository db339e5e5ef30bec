"""One raw reply to verdicts, or to a reason why not. Pure, linear in the reply's length, and total on any text.

Repaired is only what can be meant in one way: a byte-order mark, a leading block of thoughts in its own tags, a code
fence, prose on lines of its own around the one object, line breaks inside strings, a comma before a closing bracket,
the case of a winner. A reply that is cut off is not repaired, however much of it came: its end is missing. A verdict
is never taken from inside a string, nor out of several objects.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, cast

from evaluation.judge.prompt import HIGHEST_SCORE

LONGEST_REPLY = 65_536
"""Most characters of a reply that is read."""
DEEPEST = 4
"""Most objects or lists inside each other; a reply needs two."""
WIDEST_TIE = 1.0
"""Most points between the scores of a tie."""

Side = Literal["a", "b", "tie"]

_KEYS = ("reasoning_a", "reasoning_b", "comparison", "score_a", "score_b", "winner", "confidence")
_TEXTS = _KEYS[:3]
_THOUGHTS = re.compile(r"\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:json|JSON)?[ \t]*$", re.MULTILINE)
_CLOSED_BY = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OneVerdict:
    """What one reply says of one dimension."""

    reasoning_a: str
    """What was heard in the first clip."""
    reasoning_b: str
    """What was heard in the second clip."""
    comparison: str
    """The differences."""
    score_a: float
    """Score of the first clip, 0..3."""
    score_b: float
    """Score of the second clip, 0..3."""
    winner: Side
    """Which clip is better."""
    confidence: float
    """How sure the judge is, by its own word, 0..1; nothing is computed from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """Why a reply says nothing."""

    reason: str
    """A clause in our own words that may follow "because"; it quotes nothing of the reply."""


class _Refused(Exception):
    """Carries the reason of a Malformed."""


def parse(text: str, dimensions: Sequence[str]) -> dict[str, OneVerdict] | Malformed:
    """Return the verdict of every dimension that a reply was asked for, or why there is none.

    A reply with one bad dimension is bad as a whole. The winner may not have the lower score, and the scores of a tie
    may not lie more than one point apart: such a reply says two things at once.

    Args:
        text: exactly what the model wrote.
        dimensions: what it was asked about; with one, the object is the verdict itself, else it holds one for each.
    """
    try:
        found = _object_in(text)
        if len(dimensions) == 1:
            return {dimensions[0]: _verdict(found, "the object")}
        if found.keys() != set(dimensions):
            raise _Refused("the object's keys were not exactly the dimensions that were asked about")
        return {name: _verdict(found[name], f'the value of "{name}"') for name in dimensions}
    except _Refused as refused:
        return Malformed(reason=str(refused))


def _object_in(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_REPLY:
        raise _Refused(f"it was longer than {LONGEST_REPLY} characters")
    bare = text.removeprefix("\ufeff")
    thoughts = _THOUGHTS.match(bare)
    bare = _FENCE.sub("", bare[thoughts.end() :] if thoughts else bare)
    start = bare.find("{")
    if start < 0:
        raise _Refused("it held no JSON object")
    end, commas = _end_of_object(bare, start)
    _check_surroundings(bare[:start], bare[end:])
    pieces = [bare[a:b] for a, b in zip([start, *(at + 1 for at in commas)], [*commas, end], strict=True)]
    return _loaded("".join(pieces))


def _end_of_object(text: str, start: int) -> tuple[int, list[int]]:
    """Return where the object that starts at `start` ends, and where commas stand that close nothing."""
    awaited: list[str] = []
    commas: list[int] = []
    comma: int | None = None
    is_string = is_escaped = False
    for at in range(start, len(text)):
        char = text[at]
        if is_string:
            is_string = is_escaped or char != '"'
            is_escaped = char == "\\" and not is_escaped
            continue
        if char in " \t\r\n":
            continue
        if char in _CLOSED_BY:
            awaited.append(_CLOSED_BY[char])
            if len(awaited) > DEEPEST:
                raise _Refused("its values were nested too deeply")
        elif char in "}]":
            if char != awaited.pop():
                raise _Refused("its brackets did not match")
            commas += [] if comma is None else [comma]
            if not awaited:
                return at + 1, commas
        is_string = char == '"'
        comma = at if char == "," else None
    raise _Refused("the JSON object was cut off before its end")


def _check_surroundings(before: str, after: str) -> None:
    if any(bracket in before + after for bracket in "{}[]"):
        raise _Refused("it held more than one JSON object, or brackets outside of it")
    if before.rpartition("\n")[2].strip() or after.partition("\n")[0].strip():
        raise _Refused("there was other text in the JSON object's own lines")


def _loaded(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, strict=False, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:  # also an integer of thousands of digits
        raise _Refused("the JSON object was not valid JSON") from error
    return cast(dict[str, Any], found)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused("a key occurred twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise _Refused(f"it held {name}, which is no JSON")


def _verdict(fields: object, where: str) -> OneVerdict:
    if not isinstance(fields, dict) or fields.keys() != set(_KEYS):
        raise _Refused(f"{where} must hold exactly the keys {', '.join(_KEYS)}")
    for key in _TEXTS:
        if not isinstance(fields[key], str):
            raise _Refused(f"{key} must be a text")
    winner = fields["winner"].strip().lower() if isinstance(fields["winner"], str) else None
    if winner not in ("a", "b", "tie"):
        raise _Refused('winner must be "a", "b" or "tie"')
    verdict = OneVerdict(
        **{key: _writable(fields[key]) for key in _TEXTS},
        score_a=_number(fields["score_a"], "score_a", HIGHEST_SCORE),
        score_b=_number(fields["score_b"], "score_b", HIGHEST_SCORE),
        winner=cast(Side, winner),
        confidence=_number(fields["confidence"], "confidence", 1),
    )
    lead = verdict.score_a - verdict.score_b
    if (verdict.winner == "a" and lead < 0) or (verdict.winner == "b" and lead > 0):
        raise _Refused("the winner had the lower score")
    if verdict.winner == "tie" and abs(lead) > WIDEST_TIE:
        raise _Refused(f"the scores of a tie were more than {WIDEST_TIE:g} apart")
    return verdict


def _number(value: object, key: str, highest: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Refused(f"{key} must be a number")
    if not 0 <= value <= highest or (isinstance(value, float) and not math.isfinite(value)):
        raise _Refused(f"{key} must be a number from 0 to {highest:g}")
    return float(value)


def _writable(text: str) -> str:
    """Return `text` without halves of surrogate pairs, which no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")
