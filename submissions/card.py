"""The card of a submission: what its maker says of the system. All of it is hostile until the display escapes it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

from submissions.hostile_text import BadText, regular, web_link
from submissions.problems import Problem, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What is said of one system; lengths in code points. Optional texts are empty if not given."""

    system: str
    """Name of the system, 1..64."""
    version: str
    """Version of the system, 1..32."""
    organisation: str
    """Who makes it, 1..80."""
    contact: str
    """How to reach the maker, 3..200; never published."""
    licence: str
    """Licence of the system, 1..64."""
    open_weights: bool | None
    """Whether the weights can be downloaded; None if not said."""
    parameters: str
    """Number of parameters in words, 0..32, for example "82 M"."""
    link: str
    """Web address, http or https, 0..300 visible ASCII characters."""
    how_instructions: str
    """How instructions reach the system, 0..1000; may have line breaks."""
    notes: str
    """Anything else, 0..2000; may have line breaks."""

    def public(self) -> dict[str, str | bool | None]:
        """Return everything but the contact."""
        return {name: value for name, value in asdict(self).items() if name != "contact"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CardField:
    """What one text field of a card may hold."""

    name: str
    """Name of the field in Card, in system.json and in the form."""
    max_chars: int
    """Longest text, code points."""
    min_chars: int = 0
    """Shortest text; 0 makes the field optional."""
    is_prose: bool = False
    """Line breaks are kept."""


TEXT_FIELDS = (
    CardField(name="system", max_chars=64, min_chars=1),
    CardField(name="version", max_chars=32, min_chars=1),
    CardField(name="organisation", max_chars=80, min_chars=1),
    CardField(name="contact", max_chars=200, min_chars=3),
    CardField(name="licence", max_chars=64, min_chars=1),
    CardField(name="parameters", max_chars=32),
    CardField(name="link", max_chars=300),
    CardField(name="how_instructions", max_chars=1000, is_prose=True),
    CardField(name="notes", max_chars=2000, is_prose=True),
)
"""The text fields of a card, in the order of the form; `open_weights` is the one other field."""

_TRUTHS: Mapping[object, bool | None] = {
    "yes": True,
    "true": True,
    "no": False,
    "false": False,
    "": None,
    "unknown": None,
}


def parse_card(fields: Mapping[str, object]) -> tuple[Card | None, tuple[Problem, ...]]:
    """Return the card that `fields` describe, and everything to say about them.

    Args:
        fields: values by field name, from a form or system.json; absent, None and blank values are "not given".

    Returns:
        The card, or None if there is a problem; problems and warnings, all of them.
    """
    values, problems = read_fields(fields)
    for field in TEXT_FIELDS:
        if field.min_chars and not values.get(field.name) and not _is_named(problems, field.name):
            problems += (_problem(field.name, f"{_words(field.name)} is missing", _length(field), "nothing"),)
    if any(problem.kind == "problem" for problem in problems):
        return None, problems
    texts = {field.name: str(values.get(field.name, "")) for field in TEXT_FIELDS}
    open_weights = values.get("open_weights")
    return Card(**texts, open_weights=open_weights if isinstance(open_weights, bool) else None), problems


def read_fields(fields: Mapping[str, object]) -> tuple[dict[str, str | bool], tuple[Problem, ...]]:
    """Return the good values of `fields` in regular form, and everything to say about the rest.

    Nothing is said of required fields that are absent: system.json may leave them to the form.
    """
    values: dict[str, str | bool] = {}
    problems = []
    for field in TEXT_FIELDS:
        value = _text(field, fields.get(field.name))
        if isinstance(value, BadText):
            problems.append(_problem(field.name, f"{_words(field.name)} is not accepted", value.allowed, value.got))
        elif value:
            values[field.name] = value
    truth = _truth(fields.get("open_weights"))
    if isinstance(truth, BadText):
        problems.append(_problem("open_weights", "Open weights is not accepted", truth.allowed, truth.got))
    elif truth is not None:
        values["open_weights"] = truth
    known = {field.name for field in TEXT_FIELDS} | {"open_weights"}
    unknown = [name for name in fields if name not in known]
    if unknown:
        problems.append(_unknown_fields(unknown, known))
    return values, tuple(problems)


def _text(field: CardField, value: object) -> str | BadText:
    if value is None:
        return ""
    if not isinstance(value, str):
        return BadText(allowed='text in quotation marks, such as "2.0"', got=_kind(value))
    text = regular(value, is_prose=field.is_prose, max_chars=field.max_chars)
    if isinstance(text, BadText) or not text:
        return text
    if len(text) < field.min_chars:
        return BadText(allowed=_length(field), got=f"{len(text)} characters")
    return web_link(text) if field.name == "link" else text


def _truth(value: object) -> bool | BadText | None:
    if value is None or isinstance(value, bool):
        return value
    key = value.strip().casefold() if isinstance(value, str) else None
    if key in _TRUTHS:
        return _TRUTHS[key]
    return BadText(allowed="true, false or nothing", got=shown(value) if isinstance(value, str) else _kind(value))


def _unknown_fields(unknown: list[str], known: set[str]) -> Problem:
    return Problem(
        kind="warning",
        code="unknown_card_field",
        what=f"{len(unknown):,} card field{'s are' if len(unknown) > 1 else ' is'} not known and not kept",
        where=", ".join(shown(str(name)) for name in unknown[:50]),
        allowed=", ".join(sorted(known)),
        got="",
    )


def _problem(field: str, what: str, allowed: str, got: str) -> Problem:
    return Problem(
        kind="problem", code="card_field", what=what, where=f"card field {field}", allowed=allowed, got=shown(got)
    )


def _is_named(problems: tuple[Problem, ...], field: str) -> bool:
    return any(problem.where == f"card field {field}" for problem in problems)


def _length(field: CardField) -> str:
    return f"{field.min_chars} to {field.max_chars:,} characters"


def _words(field: str) -> str:
    return field.replace("_", " ").capitalize()


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "something else")
