"""The method page's part on seasons: every protocol with rows, and what is different between two of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

from evaluation.codec import to_json
from evaluation.protocol import Protocol
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address
from leaderboard.views import Board

HERE = "/method"
_LEAD = (
    "Change anything of a recipe and it is another protocol with another id and a board of its own, a season. Rows of "
    "different seasons never share a table. Old seasons stay readable; clips are kept, so a system can get a row in "
    "each without being sent again."
)
_LONGEST = 72
_MOST = 60
_Flat = dict[str, str]


def section(board: Board, boards: Sequence[Board]) -> Markup | None:
    """Return the section; None while there is but one season."""
    if len(boards) < 2:
        return None
    others = [one for one in boards if one.protocol_id != board.protocol_id]
    head = el("tr", *(shell.column(text) for text in ("Season", "Scores", "Judge", "Systems")))
    table = el("table", el("thead", head), el("tbody", *(_row(one, board) for one in boards)), cls="cb-table")
    return el(
        "section",
        el("h2", "Seasons"),
        el("p", _LEAD),
        shell.scroll_box(table, "Seasons"),
        el("h3", f"What is different from {board.protocol.name} {board.protocol_id}, shown above"),
        *(_difference(board.protocol, one) for one in others),
        id="seasons",
    )


def differences(one: Protocol, other: Protocol) -> tuple[tuple[str, str, str], ...]:
    """Return what differs between two protocols: where, and what each says there ("" for nothing)."""
    here, there = _flat(one, other), _flat(other, one)
    keys = list(dict.fromkeys((*here, *there)))
    return tuple((key, here.get(key, ""), there.get(key, "")) for key in keys if here.get(key) != there.get(key))


def _row(one: Board, chosen: Board) -> Markup:
    name = join(one.protocol.name, " ", el("code", one.protocol_id))
    is_here = one.protocol_id == chosen.protocol_id
    link: Child = name if is_here else el("a", name, href=address(HERE, protocol=one.protocol_id))
    judge = one.protocol.judge
    return el(
        "tr",
        el("th", link, el("small", " (shown here)") if is_here else None, scope="row"),
        el("td", ", ".join(words.header(name).label.lower() for name in one.protocol.dimensions)),
        el("td", el("code", judge.model) if judge else "none"),
        el("td", el("a", f"{len(one.rows):,}", href=address("/", protocol=one.protocol_id))),
    )


def _difference(own: Protocol, other: Board) -> Markup:
    found = differences(own, other.protocol)
    rows = [
        el("tr", el("th", where, scope="row"), el("td", _short(here)), el("td", _short(there)))
        for where, here, there in found[:_MOST]
    ]
    title = f"{other.protocol.name} {other.protocol_id}"
    head = el("tr", *(shell.column(text) for text in ("What", "This one", title)))
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-text")
    more = el("p", f"{len(found) - _MOST:,} more; the protocol files hold all.") if len(found) > _MOST else None
    return el(
        "details",
        el("summary", el("b", title), f" differs in {display.count(len(found), 'place')}"),
        shell.scroll_box(table, f"What is different in {title}"),
        more,
        cls="cb-instrument",
    )


def _short(text: str) -> Child:
    if not text:
        return el("span", display.DASH, cls="cb-soft")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _flat(protocol: Protocol, other: Protocol) -> _Flat:
    """Return every single value of a recipe by where it stands; what the other has none of at all counts as one."""
    found: _Flat = {}
    for field in fields(Protocol):
        if field.name not in ("instruments", "judge"):
            found |= dict(_leaves(field.name, to_json(getattr(protocol, field.name))))
    for role, one in protocol.instruments.items():
        if role not in other.instruments:
            found[f"instruments.{role}"] = f"{one.name}, {one.package} {one.version}"
        else:
            found |= dict(_leaves(f"instruments.{role}", to_json(one)))
    judge = protocol.judge
    if judge is not None and other.judge is None:
        found["judge"] = f"{judge.model} through {judge.backend}, {', '.join(judge.dimensions)}"
    elif judge is not None:
        found |= dict(_leaves("judge", to_json(judge)))
    return found


def _leaves(where: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        if where.endswith((".files", ".weights", ".clips", ".texts")):
            yield where, f"{len(value)} hashes, {'; '.join(str(one)[:12] for one in value.values())}"
            return
        for key, one in value.items():
            if key != "is":
                yield from _leaves(f"{where}.{key}", one)
    elif isinstance(value, list):
        yield where, ", ".join(str(one) for one in value)
    elif value is not None:
        yield where, f"{value}"
