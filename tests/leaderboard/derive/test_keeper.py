"""The keeper answers what is made, says "not yet" else, and takes over what did not change."""

import dataclasses
import shutil
from io import BufferedReader
from pathlib import Path

import pytest

from evaluation.errors import CastboardError
from evaluation.traits import TRAITS
from leaderboard.context import Context
from leaderboard.derive import keeper as module
from leaderboard.derive import making
from leaderboard.derive.keeper import FOLDER, SliceKeeper
from leaderboard.derive.records import ALL, ScoreTable, Slice, prepared
from leaderboard.derive.view import SliceView
from leaderboard.views import Board
from submissions.store.folder import PublishedFolder
from tests.leaderboard import cast


class Watched(PublishedFolder):
    """A published folder that remembers which tables were opened, and can be away."""

    opened: list[str]
    is_away = False

    def open(self, path: str) -> BufferedReader:
        """Open a file, or fail as a hub does."""
        if self.is_away:
            raise CastboardError("the store is away")
        self.opened.append(path)
        return super().open(path)


@pytest.fixture
def files(six: Context) -> Watched:
    """The files of the site with six systems."""
    watched = Watched(six.home / "published")
    watched.opened = []
    return watched


@pytest.fixture
def board(six: Context) -> Board:
    """Its board."""
    return six.published.boards()[0]


def _less(board: Board, n_rows: int) -> Board:
    return dataclasses.replace(board, rows=board.rows[:n_rows], revision=f"{n_rows} rows")


def _same(one: SliceKeeper, other: SliceKeeper, board: Board) -> bool:
    def shown(keeper: SliceKeeper, part: Slice) -> list[object]:
        view = keeper.view(board, part)
        return [view.row(row.submission) if view else None for row in board.rows]

    return all(shown(one, part) == shown(other, part) for part in prepared(board.protocol))


def test_small(files: Watched, board: Board, tmp_path: Path) -> None:
    """A small board is answered at once, whatever slice is asked for."""
    keeper = SliceKeeper(files, tmp_path)
    assert keeper.view(board, Slice(trait="pace", split="held_out")) is not None
    assert keeper.progress(board).is_ready
    assert keeper.view(board) is keeper.view(board)


def test_not_yet(files: Watched, board: Board, tmp_path: Path) -> None:
    """A large board is worked out in the background, and what it says then is what a small one says at once."""
    keeper = SliceKeeper(files, tmp_path, n_at_once=0)
    assert keeper.view(board, Slice(tier=2)) is None
    before = keeper.stamp()
    assert keeper.settle(board)
    assert keeper.progress(board).is_ready
    assert keeper.stamp() != before
    assert _same(keeper, SliceKeeper(files, tmp_path / "other"), board)
    assert keeper.view(board, Slice(tier=2, split="public")) is None, "this one is not made ahead"
    assert keeper.settle(board)
    assert keeper.view(board, Slice(tier=2, split="public")) is not None


def test_next_start(files: Watched, board: Board, tmp_path: Path) -> None:
    """The next process opens no published table, and says the same."""
    first = SliceKeeper(files, tmp_path, n_at_once=0)
    assert first.settle(board)
    assert len(files.opened) == len(board.rows) + 1, "each table once, and the items of one"
    files.opened.clear()
    second = SliceKeeper(files, tmp_path, n_at_once=0)
    assert second.settle(board)
    assert files.opened == []
    assert second.stamp() == first.stamp()
    assert _same(first, second, board)


def test_one_more(files: Watched, board: Board, tmp_path: Path) -> None:
    """A new system costs its own table, a withdrawn one none; both boards are what they would be alone."""
    keeper = SliceKeeper(files, tmp_path, n_at_once=0)
    assert keeper.settle(_less(board, 5))
    files.opened.clear()
    assert keeper.settle(board)
    assert [Path(path).stem for path in files.opened] == [board.rows[5].submission]
    assert _same(keeper, SliceKeeper(files, tmp_path / "b"), board)
    files.opened.clear()
    assert keeper.settle(_less(board, 3))
    assert files.opened == []
    assert _same(keeper, SliceKeeper(files, tmp_path / "c"), _less(board, 3))
    assert len(list((tmp_path / FOLDER / board.protocol_id / "rows").iterdir())) == 3 + 1


def test_damaged_disk(files: Watched, board: Board, tmp_path: Path) -> None:
    """Whatever is damaged or gone on disk is made again."""
    first = SliceKeeper(files, tmp_path, n_at_once=0)
    assert first.settle(board)
    kept = sorted(path for path in (tmp_path / FOLDER).rglob("*") if path.is_file())
    for place, path in enumerate(kept):
        path.write_bytes(b"" if place % 2 else path.read_bytes()[:-9] + b"nonsense!")
    second = SliceKeeper(files, tmp_path, n_at_once=0)
    assert second.settle(board)
    assert _same(first, second, board)
    shutil.rmtree(tmp_path / FOLDER)
    assert SliceKeeper(files, tmp_path, n_at_once=0).settle(board)
    assert len([path for path in (tmp_path / FOLDER).rglob("*") if path.is_file()]) == len(kept)


def test_other_version(files: Watched, board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another version of the program kept is not taken for ours."""
    assert SliceKeeper(files, tmp_path, n_at_once=0).settle(board)
    files.opened.clear()
    monkeypatch.setattr(making, "VERSION", making.VERSION + 1)
    assert SliceKeeper(files, tmp_path, n_at_once=0).settle(board)
    assert len(files.opened) == len(board.rows) + 1


def test_no_disk(files: Watched, board: Board, tmp_path: Path) -> None:
    """Where nothing can be kept, all of it is in memory."""
    (tmp_path / FOLDER).write_text("in the way")
    keeper = SliceKeeper(files, tmp_path, n_at_once=0)
    assert keeper.settle(board)
    assert keeper.view(board) is not None


@pytest.mark.parametrize("n_at_once", [0, 40])
def test_away(files: Watched, board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_at_once: int) -> None:
    """A store that is away gives "not yet"; when it has rested, pages are asked anew and it is tried again."""
    files.is_away = True
    keeper = SliceKeeper(files, tmp_path, n_at_once=n_at_once)
    assert keeper.view(board) is None
    assert not keeper.settle(board)
    assert keeper.progress(board).is_failing
    files.is_away = False
    assert keeper.view(board) is None, "not at once"
    before = keeper.stamp()
    monkeypatch.setattr(module, "RETRY_S", 0.0)
    assert keeper.stamp() != before
    keeper.view(board)
    assert keeper.settle(board)
    assert keeper.view(board) is not None
    assert not keeper.progress(board).is_failing


def test_damaged_table(tmp_path: Path) -> None:
    """A system whose table is damaged is left out and named; the others are compared."""
    context = cast.make_site(tmp_path, cast.SIX[:3])
    board = context.published.boards()[0]
    lost = board.rows[1].submission
    (tmp_path / "published" / "per_sample" / board.protocol_id / f"{lost}.parquet").write_bytes(b"PAR1")
    table = context.slices.table(board)
    assert table is not None
    assert table.left_out == (lost,)
    view = context.slices.view(board)
    assert view is not None
    assert view.submissions == (board.rows[0].submission, board.rows[2].submission)
    assert view.row(lost) is None


def test_empty(tmp_path: Path) -> None:
    """A board without a row has a table and views without a system."""
    context = cast.make_site(tmp_path, ())
    board = context.published.boards()[0]
    for part in prepared(board.protocol):
        view = context.slices.view(board, part)
        assert view is not None
        assert view.submissions == ()
        assert view.gap is None


def test_unknown_dimension(files: Watched, board: Board, tmp_path: Path) -> None:
    """A dimension that the board does not score is refused, not waited for."""
    with pytest.raises(KeyError, match="colour"):
        SliceKeeper(files, tmp_path).view(board, Slice(trait="colour"))


def test_bounded(files: Watched, board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory holds so many slices and boards; what had to go is made again when it is asked for, and work ends."""
    monkeypatch.setattr(module, "N_VIEWS", 4)
    monkeypatch.setattr(module, "N_BOARDS", 2)
    keeper = SliceKeeper(files, tmp_path, n_at_once=0)
    for place in range(3):
        other = dataclasses.replace(board, protocol_id=f"{place:012x}", rows=())
        assert keeper.settle(dataclasses.replace(other, revision=str(place)))
    assert keeper.settle(board)
    assert len(keeper._views) == 4
    assert len(keeper._desks) == 2
    assert keeper.view(board, ALL) is None
    assert keeper.settle(board)
    assert keeper.view(board, ALL) is not None


def test_who_asks_for_everything_holds_nobody_up(
    files: Watched, board: Board, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many slices wait at most, and what is made ahead for everybody comes in between, not after all of them."""
    keeper = SliceKeeper(files, tmp_path, n_at_once=0)
    made: list[Slice] = []
    view = making.Maker.view

    def told(self: making.Maker, table: ScoreTable, part: Slice, *, is_kept: bool = True) -> SliceView:
        made.append(part)
        return view(self, table, part, is_kept=is_kept)

    monkeypatch.setattr(making.Maker, "view", told)
    monkeypatch.setattr(module, "N_WANTED", 5)
    with monkeypatch.context() as still:
        still.setattr(SliceKeeper, "_go_on", lambda *_: None)
        odd = [Slice(trait=name, tier=tier, split="public") for name in board.protocol.dimensions for tier in (0, 1, 2)]
        assert [keeper.view(board, part) for part in odd] == [None] * len(odd)
    assert keeper.settle(board)
    assert [part in odd for part in made[:10]] == [True, False] * 5
    assert sum(part in odd for part in made) == 5


def test_all_that_can_be_asked_of_a_board_stays_in_memory(board: Board) -> None:
    """Whoever asks for every part in turn, again and again, has each made once."""
    n_all = (1 + len(TRAITS) + 1) * 4 * 3
    assert n_all + len(prepared(board.protocol)) <= module.N_VIEWS
