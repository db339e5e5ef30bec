"""What is typed into the search box: words, "phrases", -left out, and fields such as org: or size:>1B. Pure."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from leaderboard.table import amounts
from leaderboard.table.lines import Line
from leaderboard.table.styles import STYLES

Test = Callable[[Line], bool]

TEXTS: Mapping[str, str] = {
    "system": "system",
    "version": "version",
    "org": "org",
    "organisation": "org",
    "licence": "licence",
    "license": "licence",
    "id": "id",
}
"""Fields whose words must occur in one text, with that text's name."""
FIELDS = ("system:", "version:", "org:", "licence:", "open:", "size:", "style:", "after:", "before:", "score:")
"""Fields that a sentence lists; each column of numbers is one too."""
_ALWAYS = ("open", "size", "parameters", "style", "after", "since", "before", "until")
_TOKEN = re.compile(r'(?P<not>-?)(?:(?P<field>[^\W\d]\w*):(?=\S))?(?:"(?P<phrase>[^"]*)"?|(?P<word>\S+))')
_BARE = re.compile(r"-?(\w+):")
_OPEN: Mapping[str, bool | None] = {
    "yes": True,
    "true": True,
    "1": True,
    "no": False,
    "false": False,
    "0": False,
    "unknown": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A search that was understood, as far as it could be."""

    tests: tuple[Test, ...] = ()
    """All of them must hold."""
    problems: tuple[str, ...] = ()
    """What was not understood, one sentence each, with what there is."""
    wrong: tuple[tuple[str, str], ...] = ()
    """The same as the part of the search and what is allowed there."""

    def holds(self, line: Line) -> bool:
        """Say whether a row is found."""
        return all(test(line) for test in self.tests)


def needs_styles(text: str) -> bool:
    """Say whether a search asks how instructions reach the systems."""
    return "style:" in text.casefold()


def read(text: str, numbers: tuple[str, ...] = ()) -> Search:
    """Return what a text looks for.

    Args:
        text: as typed; any text is read, what means nothing is told as a problem.
        numbers: columns of numbers from 0 to 1 that the board has.
    """
    tests: list[Test] = []
    wrong: list[tuple[str, str]] = []
    for match in _TOKEN.finditer(text):
        value = (match["phrase"] if match["phrase"] is not None else match["word"]).strip()
        field = (match["field"] or "").casefold()
        if not value or (not field and _is_unfinished(value, numbers)):
            continue
        found = _test(field, value.casefold(), numbers)
        if isinstance(found, str):
            wrong.append((f"{field}:{value}" if field in _known(numbers) else f"{field}:", found))
        else:
            tests.append(_not(found) if match["not"] else found)
    problems = tuple(f"“{where}” is not understood: {allowed}." for where, allowed in wrong)
    return Search(tests=tuple(tests), problems=problems, wrong=tuple(wrong))


def allowed_fields(numbers: tuple[str, ...]) -> str:
    """Return the fields of a search, as a sentence lists them."""
    more = [f"{name}:" for name in numbers if f"{name}:" not in FIELDS]
    return f"fields are {' '.join((*FIELDS, *more))}; put a name that has a colon in quotes"


def _known(numbers: tuple[str, ...]) -> tuple[str, ...]:
    return (*TEXTS, *_ALWAYS, *numbers)


def _is_unfinished(value: str, numbers: tuple[str, ...]) -> bool:
    match = _BARE.fullmatch(value)
    return match is not None and match[1].casefold() in _known(numbers)


def _not(test: Test) -> Test:
    return lambda line: not test(line)


def _test(field: str, value: str, numbers: tuple[str, ...]) -> Test | str:
    """Return the test of one part of a search, or what is allowed instead."""
    if not field:
        return lambda line: (
            any(value in text for name, text in line.texts.items() if name != "id") or value in _name(line)
        )
    if field in TEXTS:
        name = TEXTS[field]
        return lambda line: value in line.texts[name]
    if field == "open":
        if value not in _OPEN:
            return "open: takes yes, no or unknown"
        return lambda line: line.row.is_open is _OPEN[value]
    if field in ("size", "parameters"):
        return _size(value)
    if field == "style":
        kinds = tuple(kind for kind in STYLES if kind.startswith(value))
        return (lambda line: line.values["style"] in kinds) if kinds else f"style: takes {', '.join(STYLES)}"
    if field in ("after", "since", "before", "until"):
        return _day(field, value)
    if field in numbers:
        found = amounts.number_range(value)
        column = field
        return (
            f"{field}: takes a number such as >0.5, 0.2-0.4 or 90%"
            if found is None
            else lambda line: found.holds(_as_number(line, column))
        )
    return allowed_fields(numbers)


def _size(value: str) -> Test | str:
    if value == "unknown":
        return lambda line: line.size is None
    found = amounts.size_range(value)
    if found is None:
        return "size: takes a number such as >1B, <=82M, 100M-1B, or unknown"
    return lambda line: found.holds(line.size)


def _day(field: str, value: str) -> Test | str:
    if amounts.day(value) is None:
        return f"{field}: takes a year, month or day such as 2026-01"
    if field in ("after", "since"):
        return lambda line: line.day >= value
    if field == "before":
        return lambda line: line.day < value
    return lambda line: line.day[: len(value)] <= value


def _as_number(line: Line, column: str) -> float | None:
    value = line.values.get(column)
    return None if isinstance(value, str) else value


def _name(line: Line) -> str:
    return f"{line.texts['system']} {line.texts['version']}"
