"""The generator of crowded boards: what it publishes is a board like any other, and it can be interrupted."""

from pathlib import Path

import pytest

from submissions import layout
from submissions.verify import verify
from tests.bench.crowd import Size, build
from tests.bench.crowd_cast import crowd

SMALL = Size(n_systems=6, n_items=12, n_season=3, n_nine=2, n_voices=0)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the home of a small crowd."""
    home = tmp_path_factory.mktemp("crowd")
    build(home, SMALL, n_processes=1)
    return home


def test_a_crowd_is_a_board_that_can_be_recomputed(home: Path) -> None:
    """Everything that the generator publishes comes out the same when it is made anew from its sources."""
    report = verify(home / "published")
    assert report.is_identical, report.differences[:3]
    assert (report.counts.n_protocols, report.counts.n_rows, report.counts.n_items) == (3, 11, 11 * 12)


def test_an_interrupted_crowd_goes_on_and_ends_the_same(home: Path) -> None:
    """A row whose result was never written is published again, and no byte of the crowd differs from before."""
    published = home / "published"
    before = {path: path.read_bytes() for path in sorted(published.rglob("*")) if path.is_file()}
    lite = build(home, SMALL, n_processes=1).protocols[0]
    for path in (layout.result_path(lite.id, "s00000000003"), layout.leaderboard_path(lite.id)):
        (published / path).unlink()
    build(home, SMALL, n_processes=1)
    assert {path: path.read_bytes() for path in sorted(published.rglob("*")) if path.is_file()} == before


def test_another_size_is_refused_where_a_crowd_stands(home: Path) -> None:
    """A folder is never a mixture of two crowds."""
    with pytest.raises(ValueError, match="another folder"):
        build(home, Size(n_systems=7, n_items=12), n_processes=1)


def test_a_big_crowd_holds_what_readers_filter_by() -> None:
    """Versions, refusals, hostile names, all kinds of licences and sizes, and nearly as many names as systems."""
    voices = crowd(500, 496, 6)
    cards = [voice.card for voice in voices]
    assert sum(voice.provenance.supersedes is not None for voice in voices) > 50
    assert sum(bool(voice.declined) for voice in voices) > 20
    assert {True, False, None} <= {card["open_weights"] for card in cards}
    assert {"1.2B", "82M", "unknown"} <= {str(card["parameters"]) for card in cards}
    assert sum("<script>" in str(card["system"]) for card in cards) >= 1
    assert len({(card["system"], card["version"]) for card in cards}) > 450
