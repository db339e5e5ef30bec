"""What stands beside a board is held against it: an instrument's card belongs to it and counts what it says."""

import dataclasses
from pathlib import Path

import pytest

from evaluation import cards
from evaluation.bootstrap import Interval
from evaluation.protocol import load_shipped
from submissions import layout
from submissions.recheck_beside import card_difference
from submissions.store.folder import PublishedFolder

LITE = load_shipped("lite")
CARD = cards.matching(LITE, cards.shipped())["gender"]
PATH = layout.card_path(LITE.id, "gender")


def found(folder: Path, data: bytes) -> str | None:
    """Publish `data` as the card of gender, and return what is said of it."""
    files = PublishedFolder(folder)
    files.write(PATH, data)
    wrong = card_difference(files, PATH, LITE)
    return wrong.sentence() if wrong else None


def test_a_card_that_counts_what_it_says_is_no_difference(tmp_path: Path) -> None:
    """The shipped one, byte for byte."""
    assert found(tmp_path, cards.encode(CARD)) is None


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"accuracy": dataclasses.replace(CARD.accuracy, rate=0.999)}, "accuracy.rate: published 0.999"),
        (
            {"accuracy": dataclasses.replace(CARD.accuracy, interval=Interval(low=0.99, high=1.0))},
            "accuracy.interval.high: published 1.0",
        ),
        ({"classes": CARD.classes[::-1]}, "classes[0].label"),
        ({"trait": "pace"}, "pace"),
        ({"instrument": dataclasses.replace(CARD.instrument, sha256="0" * 64)}, "instrument.sha256"),
    ],
)
def test_a_forged_figure_is_named(tmp_path: Path, change: dict[str, object], where: str) -> None:
    """Whatever does not follow from the counts of the card, or makes it the card of something else."""
    told = found(tmp_path, cards.encode(dataclasses.replace(CARD, **change)))  # type: ignore[arg-type]
    assert told is not None
    assert where in told


def test_other_bytes_of_the_same_card_are_named(tmp_path: Path) -> None:
    """A published card is canonical, so that its hash is its own."""
    assert "other bytes" in (found(tmp_path, cards.encode(CARD) + b"\n") or "")
