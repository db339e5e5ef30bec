"""What verdicts come to in a duel: counts, shares with intervals, and who is ahead."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import SchemaError
from evaluation.protocol import load_shipped
from evaluation.records import ItemId, Unread, Verdict
from submissions.duels import LEAST_DECIDED, DuelTally, decode_duel, flipped, tally

CONSTANTS = load_shipped("lite").constants
NOT = Unread(reason="not_judged", fault="instrument")
OTHER = {"clip": "anchor", "anchor": "clip", "tie": "tie"}


def verdict(winner: str, *, score: float = 2.0, anchor: float = 1.0, is_consistent: bool = True) -> Verdict:
    """Return one verdict."""
    return Verdict(score=score, anchor_score=anchor, winner=winner, is_consistent=is_consistent, n_replies=2)


def table(*rows: dict[str, Verdict | Unread]) -> dict[ItemId, dict[str, Verdict | Unread]]:
    """Return verdicts of items in order."""
    return {ItemId(f"it-{at}"): row for at, row in enumerate(rows)}


def of_winners(winners: str) -> DuelTally:
    """Return the tally of one dimension: c for a win, a for a loss, t for a tie."""
    names = {"c": "clip", "a": "anchor", "t": "tie"}
    return tally(table(*({"tone": verdict(names[sign])} for sign in winners)), ("tone",), CONSTANTS)


def test_counts_and_means_are_those_of_the_verdicts() -> None:
    """Wins, losses, ties, disagreements and verdicts that are missing are counted apart."""
    found = tally(
        table(
            {"tone": verdict("clip", score=3, anchor=1)},
            {"tone": verdict("anchor", score=1, anchor=2)},
            {"tone": verdict("tie", score=2, anchor=2)},
            {"tone": verdict("tie", score=1.5, anchor=1.5, is_consistent=False)},
            {"tone": NOT},
        ),
        ("tone",),
        CONSTANTS,
    )
    assert (found.n_wins, found.n_losses, found.n_ties, found.n_inconsistent, found.n_not_judged) == (1, 1, 2, 1, 1)
    assert (found.n_items, found.share, found.mean_a, found.mean_b) == (4, 0.5, 1.875, 1.625)
    assert found.ahead == "neither"


def test_an_item_counts_once_over_all_dimensions() -> None:
    """Its share is the mean over its verdicts, whatever their number."""
    rows = table(
        {"tone": verdict("clip"), "naturalness": verdict("tie")}, {"tone": verdict("anchor"), "naturalness": NOT}
    )
    found = tally(rows, ("tone", "naturalness"), CONSTANTS)
    assert (found.n_items, found.share, found.n_not_judged) == (2, 0.375, 1)


def test_nobody_is_ahead_by_few_items() -> None:
    """Even if all fall to one side; from the least number on, one is."""
    assert of_winners("c" * (LEAST_DECIDED - 1)).ahead == "neither"
    assert of_winners("c" * LEAST_DECIDED).ahead == "a"
    assert of_winners("a" * LEAST_DECIDED).ahead == "b"
    assert of_winners("c" * (LEAST_DECIDED - 1) + "t" * 40).ahead == "neither"
    assert 2 * 0.5**LEAST_DECIDED < CONSTANTS.alpha < 2 * 0.5 ** (LEAST_DECIDED - 1)


def test_ties_alone_separate_nobody() -> None:
    """An interval without width at one half excludes nothing."""
    found = of_winners("t" * 30)
    assert (found.share, found.share_low, found.share_high, found.ahead) == (0.5, 0.5, 0.5, "neither")


def test_nothing_judged_is_no_number() -> None:
    """Without a verdict there is neither share nor mean, and with one no interval."""
    none, one = tally({}, ("tone",), CONSTANTS), of_winners("c")
    assert (none.share, none.mean_a, none.share_low, none.ahead) == (None, None, None, "neither")
    assert (one.share, one.share_low, one.ahead) == (1.0, None, "neither")


@given(st.text(alphabet="cat", min_size=0, max_size=40))
def test_a_tally_seen_from_the_other_side_is_that_of_the_changed_verdicts(winners: str) -> None:
    """But for the draw of the interval's ends, which lie within a resample of each other."""
    there, back = flipped(of_winners(winners)), of_winners(winners.translate(str.maketrans("ca", "ac")))
    loose = {"share_low": None, "share_high": None, "ahead": "neither", "mean_a": None, "mean_b": None}
    assert dataclasses.replace(there, **loose) == dataclasses.replace(back, **loose)
    if there.share_low is not None:
        assert there.share_low == pytest.approx(back.share_low, abs=0.05)
        assert there.share_high == pytest.approx(back.share_high, abs=0.05)
    assert flipped(there) == of_winners(winners)


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"[" * 100_000, json.dumps({"schema_version": 1}).encode()])
def test_what_is_no_duel_is_refused_by_name(data: bytes) -> None:
    """With the path, never with a traceback of another kind."""
    with pytest.raises(SchemaError, match="duels/x"):
        decode_duel(data, "duels/x")
