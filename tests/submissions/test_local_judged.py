"""Under a protocol with a judge an evaluation tells its cost first, pays nothing twice, and gives a worker's bytes."""

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluation.judge.backend import JudgeUnavailable
from evaluation.judge_stage import AnchorMissing, JudgeProgress
from leaderboard.downloads import to_csv
from leaderboard.progress import OnlyEstimated, ProgressBar, estimate_sentence
from submissions import layout, local_result
from submissions.local_run import Job, Watch, run
from submissions.store.folder import FolderStore, PublishedFolder
from tests.submissions import test_judged_worker
from tests.submissions.judged_evaluation import after, down, prefers_first
from tests.submissions.small_evaluation import tree
from tests.submissions.test_judged_worker import N_CALLS, Bench


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Give the surroundings of a judged worker."""
    yield from test_judged_worker.bench.__wrapped__(tmp_path)


def job_of(bench: Bench, source: Path, out: Path) -> Job:
    """Return the evaluation of a zip under the judged protocol."""
    return Job(
        source=source, out=out, station=bench.station, anchors=bench.station.published, name="parrot", to_csv=to_csv
    )


def test_estimate_comes_first_and_bytes_are_a_workers(bench: Bench, tmp_path: Path) -> None:
    """The worker that comes after finds every reply in the cache; both tables are the same bytes."""
    submission = bench.send("parrot", 300.0)
    before = tree(bench.home / "published")
    told: list[JudgeProgress] = []

    def on_judging(at: JudgeProgress) -> None:
        if not told:
            assert not bench.server.seen, "the estimate is told before the first call"
        told.append(at)

    out = tmp_path / "parrot.castboard"
    job = job_of(bench, FolderStore(bench.home).upload_path(submission), out)
    found = run(job, Watch(on_judging=on_judging))
    assert told[0].expected.calls == len(bench.server.seen) == N_CALLS
    assert f"asked {N_CALLS} times about 3 clips" in estimate_sentence(told[0])
    assert "USD" in estimate_sentence(told[0])
    assert told[-1].tally.n_calls == N_CALLS
    assert found.result.judge_usage is not None and found.result.judge_usage.n_calls == N_CALLS
    assert tree(bench.home / "published") == before
    assert bench.run() == submission
    assert len(bench.server.seen) == N_CALLS
    files, protocol_id = bench.station.published, bench.station.protocol.id
    assert (out / local_result.SAMPLES).read_bytes() == files.read(layout.samples_path(protocol_id, submission))
    assert (out / local_result.REPLIES).read_bytes() == files.read(layout.replies_path(protocol_id, submission))


def test_a_judge_that_goes_down_costs_no_call_twice(bench: Bench, tmp_path: Path) -> None:
    """The evaluation stops without a result; the next one asks for the rest alone."""
    upload = FolderStore(bench.home).upload_path(bench.send("parrot", 300.0))
    job = job_of(bench, upload, tmp_path / "out")
    bench.server.judge = after(3, down)
    with pytest.raises(JudgeUnavailable):
        run(job, Watch())
    assert not local_result.is_finished(job.out)
    bench.server.seen.clear()
    bench.server.judge = prefers_first
    told: list[JudgeProgress] = []
    run(job, Watch(on_judging=told.append))
    assert len(bench.server.seen) == N_CALLS - 3
    assert told[-1].tally.n_cached == 3


def test_anchor_must_be_there_unless_it_is_what_is_evaluated(bench: Bench, tmp_path: Path) -> None:
    """Without a board the anchor itself can be evaluated, and nothing else."""
    nowhere = PublishedFolder(tmp_path / "nowhere")
    store = FolderStore(bench.home)
    other = job_of(bench, store.upload_path(bench.send("parrot", 300.0)), tmp_path / "other")
    with pytest.raises(AnchorMissing, match="fetch"):
        run(dataclasses.replace(other, anchors=nowhere), Watch())
    own = job_of(bench, store.upload_path(bench.anchor), tmp_path / "own")
    assert run(dataclasses.replace(own, anchors=nowhere), Watch()).result.summary.n_items == 3


def test_a_dry_run_tells_the_cost_and_asks_nothing(bench: Bench, tmp_path: Path) -> None:
    """What was measured is kept, so the true run measures nothing again."""
    job = job_of(bench, FolderStore(bench.home).upload_path(bench.send("parrot", 300.0)), tmp_path / "out")
    bar = ProgressBar("parrot", is_dry=True)
    with pytest.raises(OnlyEstimated), bar:
        run(job, bar.watch())
    assert not bench.server.seen and not local_result.is_finished(job.out)
    read: list[int] = []
    run(job, Watch(on_reading=lambda at: read.append(at.clips_done)))
    assert len(bench.server.seen) == N_CALLS
    assert read[0] == 3, "all clips were read before"
