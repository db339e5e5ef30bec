"""A board of all nine dimensions is published, verified, tampered with, rescored and taken back like any other."""

import dataclasses
import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from evaluation.codec import sha256_of
from evaluation.judge.replies import JudgeReply
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, ItemId, Unread, Verdict
from evaluation.scoring import IncompleteReadings
from evaluation.summary import Summary
from evaluation.traits import NATURALNESS
from submissions import layout, parquet
from submissions.board import rebuild_board
from submissions.columns import sample_schema, shape_of
from submissions.evidence import read_readings
from submissions.publish import PublishError
from submissions.replies import decode_replies, replies_table, usage_of
from submissions.rescore import RescoreError, rescore
from submissions.result import Result, decode_result, encode_result
from submissions.store.folder import PublishedFolder
from submissions.verify import VerifyReport, verify
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example
from tests.submissions import tampering

FIRST, SECOND, ANCHOR = example.SUBMISSIONS


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems, the anchor among them, published under a protocol of nine dimensions; never changed."""
    base = tmp_path_factory.mktemp("nine")
    under = judged.protocol(anchor=judged.anchor_clips(base / "anchor"))
    for name in example.SUBMISSIONS:
        example.send(PublishedFolder(base / "published"), judged.submission(base / name, name, under), under)
    return base


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the published folder that a test may change."""
    yield shutil.copytree(made / "published", tmp_path / "published")


def blamed(report: VerifyReport) -> set[str]:
    """Return the files that a report names."""
    return {one.path for one in report.differences}


def id_of(root: Path) -> str:
    """Return the only protocol."""
    return next(iter(layout.read_protocols(PublishedFolder(root))))


def result_of(root: Path, name: str) -> Result:
    """Return a row's result."""
    path = layout.result_path(id_of(root), name)
    return decode_result(PublishedFolder(root).read(path), path)


def test_everything_comes_out_again(root: Path, made: Path) -> None:
    """Five sources a row, the replies among them, and every number is made anew from them."""
    report = verify(root)
    assert (report.differences, report.notes) == ((), ())
    assert report.counts.n_files == len(PublishedFolder(root).paths()) == 1 + 3 * 5 + 2 + 1
    paths = layout.source_paths(id_of(root), FIRST, is_judged=True)
    assert set(result_of(root, FIRST).files) == set(paths)
    one = judged.submission(made / "again", FIRST, layout.read_protocols(PublishedFolder(root))[id_of(root)])
    assert read_readings(layout.read_samples(PublishedFolder(root), id_of(root), FIRST)) == one.readings
    published = decode_replies((root / paths[4]).read_bytes(), paths[4])[1]
    assert sorted(published, key=repr) == sorted(one.replies, key=repr)


def test_judged_dimensions_are_scored_by_the_judge_alone(root: Path) -> None:
    """A score of 0..3 becomes its third, exactly; the predicted score has no say where the judge judges."""
    rows = layout.read_samples(PublishedFolder(root), id_of(root), FIRST).to_pylist()
    n_scored = 0
    for row in rows:
        for name in ("tone", NATURALNESS):
            score = row[f"judge_{name}_score"]
            if score is not None:
                assert row[f"desirability_{name}"] == score / 3.0
                assert (row[f"quantity_{name}"], row[f"measured_{name}"]) == (score, None)
                n_scored += 1
    assert n_scored > 4


def test_a_clip_that_speaks_to_the_judge_scores_nothing_judged(root: Path) -> None:
    """Its judged dimensions are 0 by its own fault, with the reason."""
    one = judged.submission(root.parent / "one", FIRST, layout.read_protocols(PublishedFolder(root))[id_of(root)])
    rows = layout.read_samples(PublishedFolder(root), id_of(root), FIRST).to_pylist()
    (row,) = [row for row in rows if row["transcript"] == judged.SPEAKS]
    assert row["item_id"] == one.clips[-1].item_id
    assert {row[f"reason_{name}"] for name in ("tone", NATURALNESS)} == {"addresses_judge"}
    assert {row[f"desirability_{name}"] for name in ("tone", NATURALNESS)} == {0.0}
    assert result_of(root, FIRST).summary.reasons["tone: addresses_judge"] == 1


def test_the_summary_counts_wins_ties_losses_and_agreement(root: Path) -> None:
    """Every verdict is a win, a tie or a loss against the anchor; the age has a mean error in years."""
    summary: Summary = result_of(root, FIRST).summary
    readings = read_readings(layout.read_samples(PublishedFolder(root), id_of(root), FIRST))
    for name in ("tone", NATURALNESS):
        table = summary.judged[name]
        verdicts = [reading.verdicts[name] for reading in readings.values()]
        said = [verdict for verdict in verdicts if isinstance(verdict, Verdict)]
        assert table.n_wins + table.n_ties + table.n_losses == table.n_judged == len(said)
        assert table.consistent.n_hits == sum(verdict.is_consistent for verdict in said)
        assert table.mean_score == pytest.approx(sum(verdict.score for verdict in said) / len(said), abs=1e-6)
    error = summary.traits["age"].mean_error
    assert error is not None and 0 < error < 90
    assert all(sum(row.values()) == summary.traits["tone"].values[value].n_unread
               for value, row in summary.traits["tone"].confusion.items())  # fmt: skip


def test_usage_stands_in_the_result_and_on_the_board(root: Path) -> None:
    """Calls, malformed replies, tokens, money and models are sums over the replies."""
    path = layout.replies_path(id_of(root), FIRST)
    replies = decode_replies((root / path).read_bytes(), path)[1]
    usage = result_of(root, FIRST).judge_usage
    assert usage == usage_of(replies)
    assert usage is not None and usage.n_calls == len(replies)
    assert usage.n_malformed == sum('"cut' in reply.text for reply in replies) > 0
    (row,) = [
        row
        for row in layout.read_leaderboard(PublishedFolder(root), id_of(root)).to_pylist()
        if row["submission"] == FIRST
    ]
    assert (row["judge_n_calls"], row["judge_cost_micro_usd"]) == (usage.n_calls, usage.cost_micro_usd)
    unpriced = dataclasses.replace(replies[0], cost_micro_usd=None)
    assert usage_of([unpriced, *replies[1:]]).cost_micro_usd is None


def test_any_changed_cell_of_samples_or_replies_is_found_and_its_file_named(root: Path, made: Path) -> None:
    """One changed cell of any column, written again by another tool, makes the check fail and name that file."""
    rng = np.random.default_rng(3)
    # The columns that a board without a judge has too are tried with such a board.
    plain = sample_schema(shape_of(example.protocol(), example.items())).names
    for path in (layout.samples_path(id_of(root), FIRST), layout.replies_path(id_of(root), FIRST)):
        for column in (name for name in pq.read_schema(root / path).names if name not in plain):
            what = tampering.edit_cell(root / path, column, rng)
            assert blamed(verify(root)) == {path}, what
            shutil.copyfile(made / "published" / path, root / path)


def test_any_changed_byte_of_the_replies_is_found_and_their_file_named(root: Path, made: Path) -> None:
    """So is one that is cut off, or missing."""
    rng = np.random.default_rng(1)
    path = layout.replies_path(id_of(root), SECOND)
    for _ in range(8):
        what = tampering.flip_byte(root / path, rng)
        assert blamed(verify(root)) == {path}, what
        shutil.copyfile(made / "published" / path, root / path)
    (root / path).unlink()
    assert (verify(root).differences[0].path, verify(root).differences[0].published) == (path, "missing")


def _with_replies(root: Path, name: str, replies: list[JudgeReply]) -> None:
    """Replace a row's replies, forge its result and the board to fit."""
    files, protocol_id = PublishedFolder(root), id_of(root)
    path = layout.replies_path(protocol_id, name)
    data = parquet.encode_table(replies_table(replies))
    files.write(path, data)
    old = result_of(root, name)
    forged = dataclasses.replace(old, files={**old.files, path: sha256_of(data)}, judge_usage=usage_of(replies))
    files.write(layout.result_path(protocol_id, name), encode_result(forged))
    rebuild_board(files, protocol_id)


def test_one_digit_of_a_reply_forged_all_the_way_up_contradicts_the_verdicts(root: Path) -> None:
    """With every hash made to fit, the table still holds another verdict than follows from the replies."""
    path = layout.replies_path(id_of(root), FIRST)
    replies = list(decode_replies((root / path).read_bytes(), path)[1])
    index = next(i for i, reply in enumerate(replies) if '"cut' not in reply.text)
    said = json.loads(replies[index].text)
    loser = {"a": "b", "b": "a", "tie": "a"}[said["tone"]["winner"]]
    said["tone"] |= {"winner": loser, f"score_{loser}": 3, f"score_{'a' if loser == 'b' else 'b'}": 0}
    replies[index] = dataclasses.replace(replies[index], text=json.dumps(said))
    _with_replies(root, FIRST, replies)
    report = verify(root)
    assert any("judge_tone_score" in one.where for one in report.differences)
    assert layout.samples_path(id_of(root), FIRST) in blamed(report)


def test_replies_of_another_order_a_stranger_or_twice_are_differences(root: Path, made: Path) -> None:
    """What no publisher writes is named as the replies' fault, whatever the hashes say."""
    path = layout.replies_path(id_of(root), FIRST)
    replies = list(decode_replies((root / path).read_bytes(), path)[1])
    stranger = dataclasses.replace(replies[0], item_id=example.items()[2].id)  # declined
    for forged in (replies[::-1], [*replies, stranger], [*replies, replies[-1]]):
        shutil.rmtree(root)
        shutil.copytree(made / "published", root)
        _with_replies(root, FIRST, forged)
        assert path in blamed(verify(root))


def test_replies_of_another_model_are_a_difference(root: Path) -> None:
    """A board names its judge; replies that another model wrote are none of its, with every hash made to fit."""
    path = layout.replies_path(id_of(root), FIRST)
    replies = list(decode_replies((root / path).read_bytes(), path)[1])
    replies[3] = dataclasses.replace(replies[3], model="cheaper-1")
    _with_replies(root, FIRST, replies)
    (found,) = verify(root).differences
    assert (found.path, found.where, found.published) == (path, "model", "cheaper-1")


def test_verdicts_without_their_replies_are_not_published(tmp_path: Path) -> None:
    """A reply less, one of a declined item, or replies without a judge stop everything before the first write."""
    files = PublishedFolder(tmp_path / "published")
    under = judged.protocol()
    one = judged.submission(tmp_path / "one", FIRST, under)
    for replies, message in (
        (one.replies[:-1], "do not follow"),
        ((*one.replies, one.replies[0]), "twice"),
        ((dataclasses.replace(one.replies[0], item_id=example.items()[2].id), *one.replies[1:]), "corpus lacks"),
    ):
        with pytest.raises(PublishError, match=message):
            example.send(files, dataclasses.replace(one, replies=replies), under)
    plain = example.submission(tmp_path / "plain", FIRST)
    with pytest.raises(PublishError, match="no judge"):
        example.send(files, dataclasses.replace(plain, replies=one.replies), example.protocol())
    assert files.paths() == ()


def test_a_clip_that_the_judge_did_not_judge_is_a_hole(tmp_path: Path) -> None:
    """Not judged is our side's fault: never a 0, and no row."""
    under = judged.protocol()
    one = judged.submission(tmp_path / "one", FIRST, under)
    item = next(reply.item_id for reply in one.replies)
    hole = Unread(reason="not_judged", fault="instrument", detail="No reply.")
    readings = {**one.readings, item: dataclasses.replace(one.readings[item], verdicts={"tone": hole})}
    with pytest.raises(IncompleteReadings, match="tone: No reply"):
        example.send(PublishedFolder(tmp_path / "out"), dataclasses.replace(one, readings=readings), under)


def test_half_a_surrogate_in_a_reply_does_not_stop_a_row(tmp_path: Path) -> None:
    """A judge may escape what no text can hold; the row is published and verifies."""
    under = judged.protocol()
    one = judged.submission(tmp_path / "one", FIRST, under)
    text = one.replies[0].text.replace("Heard 1", "Heard \ud800 1")
    replies = (dataclasses.replace(one.replies[0], text=text), *one.replies[1:])
    example.send(PublishedFolder(tmp_path / "out"), dataclasses.replace(one, replies=replies), under)
    assert verify(tmp_path / "out").is_identical


@pytest.mark.parametrize("dimensions", [("emotion",), ("pace", "gender", NATURALNESS, "tone")])
def test_any_dimension_can_be_judged(tmp_path: Path, dimensions: tuple[str, ...]) -> None:
    """A judge that is named for pace or gender decides it, one call for each, and an instrument's reading is kept."""
    named = (*dimensions, *(("tone",) if "tone" not in dimensions else ()))
    under = judged.protocol(judged=named, is_combined=False)
    one = judged.submission(tmp_path / "one", FIRST, under)
    example.send(PublishedFolder(tmp_path / "out"), one, under)
    assert verify(tmp_path / "out").is_identical
    for row in layout.read_samples(PublishedFolder(tmp_path / "out"), under.id, FIRST).to_pylist():
        for name in named:
            if row[f"judge_{name}_score"] is not None:
                assert row[f"desirability_{name}"] == row[f"judge_{name}_score"] / 3.0


def test_an_anchor_with_other_clips_is_a_difference_of_the_recipe(tmp_path: Path) -> None:
    """A recipe that names other hashes than the anchor's published clips is blamed, clip by clip."""
    hashes = judged.anchor_clips(tmp_path / "anchor")
    item = min(hashes)
    under = judged.protocol(anchor={**hashes, item: "0" * 64})
    example.send(PublishedFolder(tmp_path / "out"), judged.submission(tmp_path / "one", ANCHOR, under), under)
    report = verify(tmp_path / "out")
    assert blamed(report) == {layout.protocol_path(under.id)}
    assert [one.where for one in report.differences] == [f"judge.anchor.clips.{item}"]


def test_a_judged_board_is_scored_anew_with_its_replies(root: Path) -> None:
    """Under fewer dimensions the same replies stand beside the new row; another judge is refused."""
    files = PublishedFolder(root)
    old = layout.read_protocols(files)[id_of(root)]
    slim = dataclasses.replace(
        old,
        name="slim",
        dimensions=("age", "tone"),
        not_measured={name: "Not asked for." for name in old.dimensions if name not in ("age", "tone")},
    )
    old_id = id_of(root)
    assert [change.submission for change in rescore(files, old_id, slim)] == sorted(example.SUBMISSIONS)
    assert files.read(layout.replies_path(slim.id, FIRST)) == files.read(layout.replies_path(old_id, FIRST))
    assert verify(root).is_identical
    assert old.judge is not None
    other = dataclasses.replace(old, judge=dataclasses.replace(old.judge, model="another"))
    for target, message in ((other, "replies of its judge"), (dataclasses.replace(old, judge=None), "has no judge")):
        with pytest.raises(RescoreError, match=message):
            rescore(files, old_id, target)


def test_the_deep_check_asks_no_judge(root: Path) -> None:
    """Instruments measure the clips again; verdicts are not theirs to give."""

    def read(under: Protocol, clips_dir: Path, clips: Sequence[Clip]) -> dict[ItemId, ClipReadings]:
        return {clip.item_id: dataclasses.replace(known[clip.sha256], verdicts={}) for clip in clips}

    tables = [layout.read_samples(PublishedFolder(root), id_of(root), name) for name in example.SUBMISSIONS]
    known = {reading.clip_sha256: reading for table in tables for reading in read_readings(table).values()}
    report = verify(root, deep=100, open_reader=lambda: read)
    assert report.is_identical and report.counts.n_remeasured == 3 * (example.N_ITEMS - 1)
