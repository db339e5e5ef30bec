"""Duels through the real clients against a provider on this machine: held, committed, verified, taken back."""

import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge.judging import JudgingProgress
from evaluation.judge.judging_skips import why_not_sent
from evaluation.scoring import passes_gate
from submissions import layout, parquet
from submissions.belongings import belongings, take_away
from submissions.duel_contest import DuelRefused, commit, committed_duel, read_duel
from submissions.duel_work import expected
from submissions.duels import decode_duel, encode_duel
from submissions.replies import decode_replies
from submissions.store.folder import PublishedFolder
from submissions.verify import verify
from tests.evaluation.judge.loopback import Loopback
from tests.submissions.duel_example import THIRD, A, B, Ring, liar, longer_wins, ring
from tests.submissions.judged_evaluation import after, down, prefers_first
from tests.submissions.small_evaluation import tree


@pytest.fixture
def stage(tmp_path: Path) -> Ring:
    """A judged board of three."""
    return ring(tmp_path)


def paths(stage: Ring) -> tuple[Path, Path]:
    """Return where the duel of A and B and its replies lie."""
    under = stage.protocol.id
    places = (layout.duel_path(under, A, B), layout.duel_replies_path(under, A, B))
    return stage.files.local_path(places[0]), stage.files.local_path(places[1])


@pytest.mark.parametrize("backend", ["openai", "gemini"])
def test_a_duel_is_held_once_and_verifies(tmp_path: Path, backend: str) -> None:
    """Every item that both may be heard on is judged in both orders; again costs nothing and changes nothing."""
    stage = ring(tmp_path, backend=backend)
    match = stage.match()
    with Loopback(longer_wins) as server:
        duel = stage.hold(server)
        n_calls = len(server.seen)
        before = tree(tmp_path / "published")
        assert stage.hold(server, B, A) == duel
        assert len(server.seen) == n_calls == 2 * len(match.sent) == expected(match, ()).calls > 2
    assert tree(tmp_path / "published") == before
    assert duel.overall.n_items == len(match.sent) and duel.overall.n_inconsistent == 0
    assert duel.usage.n_calls == n_calls and duel.usage.audio_tokens > 0
    assert sum(duel.left_out.values()) == len(match.skipped) > 0
    assert set(duel.left_out) >= {"declined", "addresses_judge"}
    report = verify(tmp_path / "published")
    assert report.is_identical and not report.notes


def test_winners_are_those_whose_clips_are_better(stage: Ring) -> None:
    """The judge prefers the longer clip; the verdicts say so for the right side."""
    with Loopback(longer_wins) as server:
        stage.hold(server)
    held, match = read_duel(stage.files, stage.protocol.id, B, A), stage.match()
    assert held is not None
    assert set(held.verdicts) == {item.id for item in match.sent}
    wins = {item: row["tone"].winner for item, row in held.verdicts.items()}  # type: ignore[union-attr]
    length = {name: {item: clip.duration_s for item, clip in match.evidence[name].clips.items()} for name in (A, B)}
    assert wins == {item: "clip" if length[A][item] > length[B][item] else "anchor" for item in wins}
    overall = held.duel.overall
    assert (overall.n_wins, overall.n_losses) == tuple(2 * [*wins.values()].count(side) for side in ("clip", "anchor"))


def test_a_judge_that_prefers_what_comes_first_gives_ties(stage: Ring) -> None:
    """Every verdict is a tie on which the orders disagree, and nobody is ahead."""
    with Loopback(prefers_first) as server:
        found = stage.hold(server).overall
    assert found.n_ties == found.n_inconsistent == 2 * found.n_items > 0
    assert (found.n_wins, found.n_losses, found.share, found.ahead) == (0, 0, 0.5, "neither")
    assert found.mean_a == found.mean_b


def test_a_judge_that_lies_about_json_is_asked_again(stage: Ring) -> None:
    """The broken replies are kept, counted and published with the rest."""
    with Loopback(liar) as server:
        duel = stage.hold(server)
        assert duel.usage.n_calls == len(server.seen)
    assert duel.usage.n_malformed == duel.usage.n_calls // 2 and duel.overall.n_not_judged == 0
    assert verify(stage.home / "published").is_identical


def test_a_judge_that_never_answers_well_judges_nothing(stage: Ring) -> None:
    """Not judged is a count of its own, and no share is made up."""
    with Loopback(lambda _: longer_wins(_).__class__(text="no")) as server:
        found = stage.hold(server).overall
    assert (found.n_items, found.share, found.ahead) == (0, None, "neither")
    assert found.n_not_judged == 2 * len(stage.match().sent)
    assert verify(stage.home / "published").is_identical


def test_an_outage_loses_nothing(stage: Ring) -> None:
    """Nothing is published half; started again, only the missing calls are made."""
    told: list[JudgingProgress] = []
    with Loopback(after(3, down, longer_wins)) as server:
        with pytest.raises(JudgeUnavailable):
            stage.hold(server, on_progress=told.append)
        assert committed_duel(stage.files, stage.protocol.id, A, B) is None
        n_failed = len(server.seen) - len(server.answered)
        server.judge = longer_wins
        stage.hold(server, on_progress=told.append)
        assert len(server.answered) == 2 * len(stage.match().sent)
        assert len(server.seen) == len(server.answered) + n_failed
    assert told[-1].n_cached == 3


def test_a_committed_duel_never_changes(stage: Ring) -> None:
    """Other replies are refused, and what was published stays."""
    with Loopback(longer_wins) as server:
        stage.hold(server)
    before = tree(stage.home / "published")
    _, replies = decode_replies(paths(stage)[1].read_bytes(), "replies")
    with pytest.raises(DuelRefused, match="never changes"):
        commit(stage.files, stage.match(), replies[:-2])
    assert tree(stage.home / "published") == before


def test_who_cannot_meet_is_told_everything(stage: Ring) -> None:
    """Strangers, missing clips and oneself, all at once."""
    stage.files.remove(layout.clips_path(THIRD))
    with pytest.raises(DuelRefused, match=r"'nobody' has no row .*; the clips of third-system are not published"):
        stage.match("nobody", THIRD)
    with pytest.raises(DuelRefused, match="cannot meet itself"):
        stage.match(A, A)
    with pytest.raises(DuelRefused, match=r"'\.\./x' has no row"):
        stage.match("../x", A)


def test_no_clip_is_heard_that_may_not_be(stage: Ring) -> None:
    """Whichever of the two it is of: silent, vetoed, or speaking to the judge."""
    match = stage.match()
    unfit = {
        name: {
            item.id
            for item in match.items
            if (reading := match.evidence[name].readings.get(item.id)) is not None
            and why_not_sent(item, reading, has_passed_gate=passes_gate(stage.protocol, item, reading)) is not None
        }
        for name in (A, B)
    }
    assert unfit[A] - unfit[B] and unfit[B] - unfit[A]
    assert unfit[A] | unfit[B] <= set(match.skipped)


@pytest.mark.parametrize("is_sealed", [False, True])
def test_one_changed_reply_is_found(stage: Ring, is_sealed: bool) -> None:
    """Whether or not whoever changed it sealed the file again, the file is named."""
    with Loopback(longer_wins) as server:
        stage.hold(server)
    path = paths(stage)[1]
    table = parquet.decode_table(path.read_bytes(), "x") if is_sealed else pq.read_table(io.BytesIO(path.read_bytes()))
    texts = table["text"].to_pylist()
    texts[0] = texts[0].replace('"winner": "a"', '"winner": "b"').replace('"winner": "b"', '"winner": "a"', 1)
    texts[0] = texts[0].replace("3", "2")
    place = table.column_names.index("text")
    edited = table.set_column(place, table.schema.field(place), pa.array(texts))
    if is_sealed:
        path.write_bytes(parquet.encode_table(edited))
    else:
        pq.write_table(edited, path)
    found = verify(stage.home / "published").differences
    assert found and {one.path for one in found} == {layout.duel_replies_path(stage.protocol.id, A, B)}


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        (b'"n_wins":', b'"n_wins":9', "n_wins"),
        (b'"ahead":"neither"', b'"ahead":"a"', "ahead"),
        (b'"model":"tiny-judge"', b'"model":"other"', "recipe"),
        (b'"left_out":{', b'"left_out":{"bribed":1,', "left_out"),
    ],
)
def test_a_changed_duel_is_found(stage: Ring, old: bytes, new: bytes, where: str) -> None:
    """With the place in the file."""
    with Loopback(prefers_first) as server:
        stage.hold(server)
    path = paths(stage)[0]
    path.write_bytes(encode_duel(decode_duel(path.read_bytes().replace(old, new, 1), "x")))
    (found,) = verify(stage.home / "published").differences
    assert where in found.where and found.path == layout.duel_path(stage.protocol.id, A, B)


def test_damaged_and_missing_files_are_differences(stage: Ring) -> None:
    """Never errors; replies alone are only noted, for a publisher may have been killed there."""
    with Loopback(prefers_first) as server:
        stage.hold(server)
    whole, replies = (path.read_bytes() for path in paths(stage))
    root = stage.home / "published"
    for data in (b"{}", b"[" * 9, whole[:-9]):
        paths(stage)[0].write_bytes(data)
        assert [one.path for one in verify(root).differences] == [layout.duel_path(stage.protocol.id, A, B)]
    paths(stage)[0].write_bytes(whole)
    paths(stage)[1].unlink()
    assert [one.published for one in verify(root).differences] == ["missing"]
    paths(stage)[1].write_bytes(replies)
    paths(stage)[0].unlink()
    report = verify(root)
    assert report.is_identical and "belongs to no committed duel" in report.notes[0]


def test_a_copied_duel_of_another_pair_is_found(stage: Ring) -> None:
    """Its name is part of what it says."""
    with Loopback(prefers_first) as server:
        stage.hold(server)
    files = PublishedFolder(stage.home / "published")
    stolen = layout.duel_path(stage.protocol.id, A, THIRD)
    files.write(stolen, paths(stage)[0].read_bytes())
    assert [(one.path, one.where) for one in verify(stage.home / "published").differences] == [(stolen, "a, b")]


def test_a_duel_beside_a_board_without_a_judge_is_the_embedded_one_s(tmp_path: Path) -> None:
    """Anybody else's judge is named as a difference."""
    stage = ring(tmp_path, is_judged=False)
    with Loopback(prefers_first) as server:
        stage.hold(server)
    (found,) = verify(tmp_path / "published").differences
    assert (found.where, found.published) == ("recipe.backend", "openai")


def test_withdrawal_takes_the_duel_along(stage: Ring) -> None:
    """Both files are gone, the folder verifies, and nobody can meet the one who left."""
    with Loopback(prefers_first) as server:
        stage.hold(server)
    take_away(stage.files, belongings(stage.files, B))
    assert not stage.files.paths("duels/")
    assert verify(stage.home / "published").is_identical
    with pytest.raises(DuelRefused, match="has no row"):
        stage.match()
