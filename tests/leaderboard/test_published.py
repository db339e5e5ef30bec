"""Published files as kept views."""

import dataclasses
from pathlib import Path

from leaderboard.context import make_context
from leaderboard.published import Kept, has_all_decisions
from submissions import layout
from tests.leaderboard.cast import SIX, make_protocol, make_site, play


def test_a_board_is_read_once_and_again_only_when_its_files_change(tmp_path: Path) -> None:
    """The same record for every visitor, and a new one after a publication."""
    site = make_site(tmp_path, SIX[:2])
    first = site.published.board("")
    assert site.published.board("") is first and len(first.rows) == 2
    play(site.files, site.corpus, site.protocols[0], SIX[2])
    after = site.published.board("")
    assert after is not first and len(after.rows) == 3 and has_all_decisions(after)


def test_rows_and_decisions_are_the_published_ones(tmp_path: Path) -> None:
    """Nothing is worked out anew on the way to a page."""
    site = make_site(tmp_path, SIX[:3])
    board = site.published.board("")
    lines = layout.read_leaderboard(site.files, board.protocol_id).to_pylist()
    assert [(row.submission, row.score, row.band.best, row.band.worst) for row in board.rows] == [
        (line["submission"], line["score"], line["rank_best"], line["rank_worst"]) for line in lines
    ]
    pairs = layout.read_decisions(site.files, board.protocol_id).to_pylist()
    assert [dataclasses.asdict(decision) for decision in board.decisions.values()] == pairs


def test_a_system_is_kept_with_its_samples_and_card(tmp_path: Path) -> None:
    """Summary and samples agree; the refused item has no clip."""
    site = make_site(tmp_path, (SIX[4],))
    board = site.published.board("")
    detail = site.published.detail(board, SIX[4].id)
    assert detail is not None and site.published.detail(board, SIX[4].id) is detail
    refused = [sample for sample in detail.samples.values() if sample.is_declined]
    assert len(refused) == detail.summary.n_declined == 1 and refused[0].clip_sha256 is None
    assert [dimension.dimension for dimension in detail.samples["it-000"].dimensions] == list(board.protocol.dimensions)
    assert site.published.detail(board, "nobody") is None


def test_an_older_protocols_board_stays_reachable(tmp_path: Path) -> None:
    """A board of a protocol that is no longer evaluated is offered after the site's own."""
    old = make_site(tmp_path, SIX[:1])
    changed = dataclasses.replace(make_protocol(old.corpus), name="lite-next")
    site = make_context(home=tmp_path, files=old.files, store=old.store, corpus=old.corpus, protocols=(changed,))
    boards = site.published.boards()
    assert [board.protocol.name for board in boards] == ["lite-next", "lite"]
    assert [len(board.rows) for board in boards] == [0, 1]
    assert site.published.board("unknown") is boards[0]
    found, row = site.published.home_of(SIX[0].id, "")
    assert found is boards[1] and row is not None


def test_the_least_used_value_goes_first() -> None:
    """No more is kept than was said."""
    kept: Kept[str] = Kept(2)
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    for name in ("a", "b", "a", "c", "a", "b"):
        assert kept.get(name, "1", lambda name=name: make(name)) == name  # type: ignore[misc]
    assert made == ["a", "b", "c", "b"]
    kept.get("b", "2", lambda: make("b again"))
    assert made[-1] == "b again"
