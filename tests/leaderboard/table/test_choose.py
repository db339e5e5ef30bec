"""Which rows a table shows, in which order."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.protocol import load_shipped
from evaluation.records import RankBand
from leaderboard.table import search
from leaderboard.table.choose import chosen, numbers, ordered
from leaderboard.table.lines import Line, whole_board
from leaderboard.table.search import Search
from leaderboard.table.state import Filters, SortKey
from leaderboard.table.styles import style
from leaderboard.views import Board, Row

_LITE = load_shipped("lite")
_MEANS: dict[str, float | None] = dict.fromkeys(_LITE.dimensions, 0.5)
_ROW = Row(
    submission="s-1",
    system="Lark",
    version="2",
    organisation="Ohm",
    licence="MIT",
    is_open=True,
    parameters="1.2B",
    link="",
    received_at="2026-03-01T12:00:00.000Z",
    band=RankBand(best=1, worst=2),
    score=0.5,
    score_low=0.4,
    score_high=0.6,
    n_items=12,
    n_declined=0,
    coverage=1.0,
    gate_pass_rate=0.9,
    means=_MEANS,
)


def _lines(*rows: Row) -> tuple[Line, ...]:
    return whole_board(Board(protocol=_LITE, protocol_id="p", rows=rows, decisions={}, revision="1"), {}).lines


def _scored(*scores: float | None) -> tuple[Line, ...]:
    rows = (dataclasses.replace(_ROW, submission=f"s-{at}", score=score) for at, score in enumerate(scores))
    return _lines(*rows)


def _is_found(text: str, row: Row = _ROW) -> bool:
    return search.read(text, numbers(_LITE)).holds(_lines(row)[0])


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=8), st.booleans())
def test_sorting_orders_loses_nobody_and_puts_nothing_last(scores: list[float | None], is_descending: bool) -> None:
    """Every row is still there, in order; no score is no zero and comes last whichever way."""
    done = ordered(_scored(*scores), [SortKey(column="score", is_descending=is_descending)])
    found = [line.row.score for line in done]
    known = sorted((score for score in scores if score is not None), reverse=is_descending)
    assert found == known + [None] * (len(scores) - len(known))


def test_the_first_key_is_the_strongest_and_equal_rows_stay() -> None:
    """A second key orders within the first, and the published order within both."""
    rows = (
        dataclasses.replace(_ROW, submission=f"s-{at}", organisation=name, score=score)
        for at, (name, score) in enumerate([("B", 0.1), ("a", 0.1), ("A", 0.9), ("b", 0.1)])
    )
    keys = [SortKey(column="organisation", is_descending=False), SortKey(column="score", is_descending=True)]
    assert [line.row.submission for line in ordered(_lines(*rows), keys)] == ["s-2", "s-1", "s-0", "s-3"]


@pytest.mark.parametrize(
    ("filters", "is_shown"),
    [
        (Filters(), True),
        (Filters(only_open=True), True),
        (Filters(organisation="Ohm"), True),
        (Filters(organisation="ohm"), False),
        (Filters(licence="mit"), True),
        (Filters(licence="Apache-2.0"), False),
        (Filters(size=">1B"), True),
        (Filters(size="100M-1B"), False),
        (Filters(size="unknown"), False),
        (Filters(since="2026-03", until="2026-03"), True),
        (Filters(since="2026-03-02"), False),
        (Filters(until="2026-02"), False),
        (Filters(coverage=1.0), True),
        (Filters(style="prompt"), False),
        (Filters(only_newest=True), True),
    ],
)
def test_filters(filters: Filters, is_shown: bool) -> None:
    """Each filter keeps what it says; what is not known passes no filter that asks for it."""
    assert bool(chosen(_lines(_ROW), filters, Search())) is is_shown


@pytest.mark.parametrize("is_open", [False, None])
def test_only_weights_that_are_said_to_be_open_pass_the_filter(is_open: bool | None) -> None:
    """Weights of which nothing was said are not open."""
    assert not chosen(_lines(dataclasses.replace(_ROW, is_open=is_open)), Filters(only_open=True), Search())


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("ohm LARK", True),
        ("lark nobody", False),
        ('"lark 2"', True),
        ('"2 lark"', False),
        ("-ohm", False),
        ("-nobody lark", True),
        ("org:ohm licence:mit license:MIT", True),
        ('org:"Ohm"', True),
        ("-org:ohm", False),
        ("system:lark version:2 id:s-1", True),
        ("size:>1B", True),
        ("size:<1B", False),
        ("size:unknown", False),
        ("after:2026-01 before:2026-04", True),
        ("after:2026-04", False),
        ("before:2026-03-01", False),
        ("open:yes", True),
        ("open:no", False),
        ("score:>0.4 score:<0.6 pace:0.5 gate:90%", True),
        ("pace:>0.5", False),
        ("org:", True),
    ],
)
def test_a_search_knows_words_phrases_and_fields(text: str, is_found: bool) -> None:
    """All parts must hold; a minus turns one round; a field without a value is not finished and asks nothing."""
    assert _is_found(text) is is_found and not search.read(text, numbers(_LITE)).problems


def test_a_wrong_field_is_answered_with_the_fields_that_there_are() -> None:
    """A sentence names what was typed and lists every field; the rest of the search still holds."""
    found = search.read("colour:red lark size:huge", numbers(_LITE))
    assert len(found.problems) == 2 and found.holds(_lines(_ROW)[0])
    for field in ("org:", "licence:", "system:", "size:", "after:", "pace:"):
        assert field in found.problems[0]
    assert "colour:" in found.problems[0] and "size:huge" in found.problems[1] and ">1B" in found.problems[1]


@given(st.text(max_size=60))
def test_no_search_breaks(text: str) -> None:
    """Whatever is typed, the table answers."""
    search.read(text, numbers(_LITE)).holds(_lines(_ROW)[0])


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("As a natural-language prompt before the script.", "prompt"),
        ("Mapped to eight tags by a small language model.", "controls"),
        ("Through a reference clip that an LLM picks for the instruction.", "reference"),
        ("It ignores the instruction.", "ignored"),
        ("By magic.", "other"),
        ("  ", "unknown"),
    ],
)
def test_what_cards_say_of_instructions_is_sorted(told: str, kind: str) -> None:
    """A few kinds that a reader can choose from."""
    assert style(told) == kind
