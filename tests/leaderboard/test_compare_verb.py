"""`compare` on a published board: the board's own decisions, and nothing of a hostile name reaches the terminal."""

import json
from pathlib import Path

import pytest

from leaderboard.cli import main
from leaderboard.context import Context
from leaderboard.local_board import place_on, systems
from submissions import layout
from submissions.local_result import Evaluation, LocalResult
from submissions.store.folder import PublishedFolder
from tests.leaderboard.cast import HOSTILE, SIX


def board_of(site: Context) -> tuple[PublishedFolder, str]:
    """Return a site's published folder and the id of its protocol."""
    files = PublishedFolder(site.home / "published")
    (protocol_id,) = layout.read_protocols(files)
    return files, protocol_id


def test_every_pair_is_the_boards_own_decision(six: Context, capsys: pytest.CaptureFixture[str]) -> None:
    """Whichever way round a pair is named."""
    files, protocol_id = board_of(six)
    for decision in layout.read_decisions(files, protocol_id).to_pylist()[:4]:
        pair = [decision["incumbent"], decision["challenger"]]
        assert main(["compare", *pair, "--board", str(six.home), "--protocol", protocol_id, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)["decision"]
        assert {name: told[name] for name in decision} == decision


def test_place_of_a_row_is_the_one_it_has(six: Context) -> None:
    """A board without one of its rows gives that row its own rank band and decisions back."""
    files, protocol_id = board_of(six)
    protocol = layout.read_protocols(files)[protocol_id]
    whole = systems(files, protocol)
    bands = {row["submission"]: (row["rank_best"], row["rank_worst"]) for row in _rows(files, protocol_id)}
    decided = {(one["challenger"], one["incumbent"]): one for one in _pairs(files, protocol_id)}
    for submission, row in whole.results.items():
        rest = {key: result for key, result in whole.results.items() if key != submission}
        others = type(whole)(files=files, protocol=protocol, results=rest)
        result = LocalResult(
            name="x",
            protocol=protocol_id,
            source_sha256="",
            is_partial=False,
            n_corpus_items=row.summary.n_items,
            warnings=(),
            files={},
            summary=row.summary,
            judge_usage=None,
        )
        found = place_on(others, Evaluation(result=result, protocol=protocol, evidence=whole.evidence(submission)))
        assert found is not None
        assert (found.band.best, found.band.worst) == bands[submission]
        for key in rest:
            mine = found.with_neighbour(key)
            board = decided.get((submission, key)) or decided[(key, submission)]
            assert (mine.lcb, mine.margin, mine.is_win) == (board["lcb"], board["margin"], board["is_win"])
        assert whole.twins(whole.evidence(submission)) == (submission,)


def test_names_that_mean_several_systems_are_refused(six: Context, capsys: pytest.CaptureFixture[str]) -> None:
    """Two versions of one name are told apart by version or id."""
    protocol_id = board_of(six)[1]
    where = ["--board", str(six.home), "--protocol", protocol_id]
    assert main(["compare", "Larkspur", "Gantry", *where]) == 1
    said = capsys.readouterr().err
    assert "means 2 systems" in said and SIX[0].id in said and SIX[1].id in said
    assert main(["compare", "larkspur 2.1", "Gantry", *where]) == 0
    assert "A: Larkspur 2.1" in capsys.readouterr().out


def test_hostile_names_are_only_shown(
    hostile: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No markup of a terminal library and no control code is obeyed."""
    monkeypatch.chdir(tmp_path)
    protocol_id = board_of(hostile)[1]
    where = ["--board", str(hostile.home), "--protocol", protocol_id]
    assert main(["compare", HOSTILE.id, SIX[0].id, *where]) == 0
    shown = capsys.readouterr().out
    assert "<img src=x" in shown
    assert not any(ord(sign) < 32 and sign != "\n" for sign in shown)


def _rows(files: PublishedFolder, protocol_id: str) -> list[dict[str, object]]:
    return layout.read_leaderboard(files, protocol_id).to_pylist()


def _pairs(files: PublishedFolder, protocol_id: str) -> list[dict[str, object]]:
    return layout.read_decisions(files, protocol_id).to_pylist()


@pytest.mark.parametrize("other", ["nobody", "nowhere/at.all", "absent.zip"])
def test_nothing_is_evaluated_in_vain(
    six: Context, other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who it is to be held against is looked up first: an evaluation may take hours, and a judge's money."""
    _, protocol_id = board_of(six)
    (tmp_path / "clips").mkdir()
    monkeypatch.chdir(tmp_path)
    place = ["--board", str(six.home), "--protocol", protocol_id]
    for verb in (["evaluate", "clips", "--against", other], ["compare", "clips", other]):
        assert main([*verb, *place]) == 1
        told = capsys.readouterr()
        assert other in told.err and "no " in told.err
        assert not told.out and not list(tmp_path.glob("*.castboard"))


def test_a_dry_run_needs_a_judge(
    six: Context, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without one an evaluation costs nothing, and is not begun under that flag."""
    _, protocol_id = board_of(six)
    (tmp_path / "clips").mkdir()
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "clips", "--dry-run", "--board", str(six.home), "--protocol", protocol_id]) == 1
    assert "has no judge" in capsys.readouterr().err
