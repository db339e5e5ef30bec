"""What a judge is asked: both clips between their texts, and the schema of the reply. Pure but for the texts' files.

A request never holds a system's name, a card or a file name. Script and instruction stand between marks that they
cannot contain, each line quoted, without control characters.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any

from evaluation.codec import sha256_of
from evaluation.errors import ProtocolError
from evaluation.judge.backend import Request, Sound
from evaluation.judge.rubrics import Texts, rubric_name, trait_called
from evaluation.pins import JudgeRecipe
from evaluation.records import Item
from evaluation.traits import NATURALNESS

LONGEST_REQUESTED = 60
"""Most characters of a requested value."""
HIGHEST_SCORE = 3
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_NOISE = " \t\r\n"

VERDICT_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "reasoning_a": {"type": "string"},
        "reasoning_b": {"type": "string"},
        "comparison": {"type": "string"},
        "score_a": {"type": "number", "minimum": 0, "maximum": HIGHEST_SCORE},
        "score_b": {"type": "number", "minimum": 0, "maximum": HIGHEST_SCORE},
        "winner": {"type": "string", "enum": ["a", "b", "tie"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
    "required": ["reasoning_a", "reasoning_b", "comparison", "score_a", "score_b", "winner", "confidence"],
    "additionalProperties": False,
}
"""What is said of one dimension; reasoning comes before any score."""


def build_request(
    recipe: JudgeRecipe,
    item: Item,
    dimensions: Sequence[str],
    first: Sound,
    second: Sound,
    *,
    texts: Texts,
    vote: int = 0,
    complaint: str | None = None,
) -> Request:
    """Return the request that asks about two prepared clips of one item.

    Args:
        recipe: temperature, votes and length of the reply.
        item: script, instruction, category and requested values.
        dimensions: one or more dimensions, in order.
        first: the clip that is called A.
        second: the clip that is called B.
        texts: wording and rubrics.
        vote: which of the recipe's votes, from 0. With several votes each is told its number: at temperature 0 equal
            requests would bring equal replies, and a majority of those is no majority.
        complaint: what was wrong with the reply to the last ask, in our own words; None at the first.

    Raises:
        ProtocolError: if a dimension has no rubric, or the item requests no value of it.
    """
    sections = texts.sections
    is_one = len(dimensions) == 1
    each = "" if is_one else ", once for each dimension"
    closing = [
        Template(sections["method"]).substitute(for_each=each),
        Template(sections["reply_one" if is_one else "reply_many"]).substitute(dimensions=_named(dimensions)),
    ]
    if recipe.votes > 1:
        closing.append(Template(sections["vote"]).substitute(vote=vote + 1, votes=recipe.votes))
    if complaint is not None:
        closing.append(Template(sections["again"]).substitute(reason=complaint))
    return Request(
        system=sections["system"],
        parts=(
            _opening(item, dimensions, texts),
            sections["clip_a"],
            first,
            sections["clip_b"],
            second,
            "\n\n".join(closing),
        ),
        schema=schema_of(dimensions),
        temperature=recipe.temperature,
        max_output_tokens=recipe.max_output_tokens,
    )


def schema_of(dimensions: Sequence[str]) -> dict[str, Any]:
    """Return the JSON schema of a reply: one verdict, or an object with one for each of several dimensions."""
    if len(dimensions) == 1:
        return dict(VERDICT_SCHEMA)
    return {
        "type": "object",
        "properties": {dimension: dict(VERDICT_SCHEMA) for dimension in dimensions},
        "required": list(dimensions),
        "additionalProperties": False,
    }


def n_characters(request: Request) -> int:
    """Return how many characters of text a request holds, for an estimate of its cost."""
    return len(request.system) + sum(len(part) for part in request.parts if isinstance(part, str))


def rubric(dimension: str, item: Item, texts: Texts) -> str:
    """Return the rubric of one dimension for one item, its requested value filled in.

    Raises:
        ProtocolError: if there is none, or no value is requested.
    """
    template = Template(texts.rubrics[rubric_name(dimension, item.category, texts)])
    if dimension == NATURALNESS:
        return template.substitute()
    trait = trait_called(dimension)
    return template.substitute(
        trait=trait.name,
        requested=requested_value(item.requested.get(dimension), dimension),
        explanation=trait.question,
        values=", ".join(trait.values),
        unit=trait.unit,
        tolerance=f"{trait.tolerance:g}",
    )


def requested_value(value: str | None, dimension: str) -> str:
    """Return the value that is requested of a trait, fit to stand in a sentence.

    Raises:
        ProtocolError: if there is none, or it is no short line of text.
    """
    plain = " ".join(_plain(value or "").split())
    if not plain or len(plain) > LONGEST_REQUESTED:
        raise ProtocolError(
            f"{dimension} can only be judged against a requested value: a text of 1 to {LONGEST_REQUESTED} characters "
            f"such as {trait_called(dimension).values[0]!r}; got {value!r:.80}"
        )
    return plain


def _opening(item: Item, dimensions: Sequence[str], texts: Texts) -> str:
    wrapper = Template(texts.sections["dimension"])
    rubrics = [wrapper.substitute(dimension=name, rubric=rubric(name, item, texts)) for name in dimensions]
    question = texts.sections["question_one" if len(dimensions) == 1 else "question_many"]
    return Template(texts.sections["request"]).substitute(
        fence=fence(item.instruction, item.script),
        instruction=_quoted(item.instruction),
        script=_quoted(item.script),
        question=Template(question).substitute(dimensions=_named(dimensions)),
        rubrics="\n\n".join(rubrics),
    )


def fence(*texts: str) -> str:
    """Return a mark that occurs in none of `texts`; the same texts get the same mark."""
    for attempt in range(1000):
        mark = "#" + sha256_of("\0".join((str(attempt), *texts)).encode("utf-8", "replace"))[:8]
        if all(mark not in text for text in texts):
            return mark
    raise ProtocolError("no mark can be found that the script does not hold")


def _quoted(text: str) -> str:
    lines = [line for line in (_plain(line).strip() for line in text.splitlines()) if line]
    return "\n".join(f"> {line}" for line in lines)


def _plain(text: str) -> str:
    """Return `text` without characters that nobody sees: controls, format marks, halves of a pair."""
    kept = (" " if char in _NOISE else char for char in text if char in _NOISE or not _is_hidden(char))
    return "".join(kept)


def _is_hidden(char: str) -> bool:
    return unicodedata.category(char) in _HIDDEN


def _named(dimensions: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in dimensions)
