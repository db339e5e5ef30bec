"""An evaluation without a server is the worker's own, goes on where it stopped, and is never shown half-done."""

import dataclasses
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from evaluation.errors import CastboardError, SchemaError
from evaluation.run import Engine
from leaderboard.downloads import to_csv
from submissions import layout, local_result
from submissions.local_run import Busy, Job, Refused, Watch, run
from submissions.reception import Upload, receive
from submissions.station import Station
from submissions.store import atomic
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.worker import Worker
from tests.submissions.small_evaluation import (
    SteadyEngine,
    acoustic_protocol,
    make_corpus,
    scripts_of,
    tones,
    tree,
    write_zip,
)
from tests.submissions.work_examples import NOON

CARD = {"system": "A", "version": "1", "organisation": "O", "contact": "c@example.org", "licence": "MIT"}


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Give a corpus of three items."""
    return make_corpus(tmp_path, 3)


@pytest.fixture
def engine(corpus: Corpus) -> SteadyEngine:
    """Give an engine that hears the scripts."""
    return SteadyEngine(scripts_of(corpus))


@pytest.fixture
def job(tmp_path: Path, corpus: Corpus, engine: SteadyEngine) -> Job:
    """Give the evaluation of a clean zip."""
    files = PublishedFolder(tmp_path / "home" / "published")
    station = Station(
        name="w1",
        store=FolderStore(tmp_path / "home"),
        published=files,
        corpus=corpus,
        protocol=acoustic_protocol(corpus.pin),
        open_engine=lambda _: engine.opened(),
        preflight=lambda _: None,
        clock=lambda: NOON,
        decoder_processes=1,
        shard_size=1,
    )
    return Job(
        source=write_zip(tmp_path / "a.zip", tones(corpus), system=CARD),
        out=tmp_path / "a.castboard",
        station=station,
        anchors=files,
        name="A",
        to_csv=to_csv,
    )


def test_per_sample_table_is_byte_for_byte_a_publication(job: Job, tmp_path: Path) -> None:
    """The same zip through a worker gives the same table and figures; evaluating leaves the home alone."""
    found = run(job, Watch())
    assert not (tmp_path / "home").exists()
    station = job.station
    (tmp_path / "passing").mkdir()
    upload = Upload(zip_path=job.source, card_fields=CARD, submitter=None)
    receipt = receive(
        upload,
        corpus=station.corpus,
        store=FolderStore(tmp_path / "home"),
        work_dir=tmp_path / "passing",
        now=NOON,
        code_version="0.1.0",
        decoder_processes=1,
    )
    Worker(station).run_once()
    published = station.published.read(layout.samples_path(station.protocol.id, receipt.submission))
    assert (job.out / local_result.SAMPLES).read_bytes() == published
    (result,) = layout.read_results(station.published, station.protocol.id)
    assert found.result.summary == result.summary
    assert found.result.source_sha256 == receipt.zip_sha256


def test_folder_gives_the_table_of_its_zip(job: Job, tmp_path: Path, corpus: Corpus) -> None:
    """How the clips came makes no difference."""
    run(job, Watch())
    folder = tmp_path / "clips"
    folder.mkdir()
    for item, audio in tones(corpus).items():
        (folder / f"{item}.wav").write_bytes(audio)
    run(dataclasses.replace(job, source=folder, out=tmp_path / "b.castboard"), Watch())
    assert (tmp_path / "b.castboard" / local_result.SAMPLES).read_bytes() == (
        job.out / local_result.SAMPLES
    ).read_bytes()


def test_a_stopped_run_goes_on_from_its_shards(job: Job, engine: SteadyEngine) -> None:
    """What was read is not read again, no result is there before the end, and the bytes are those of a single run."""

    class Killed(Exception):
        pass

    @contextmanager
    def dying(_: object) -> Iterator[Engine]:
        yield engine

    def stop(progress: object) -> None:
        if len(engine.read_shards) == 2:
            raise Killed

    with pytest.raises(Killed):
        run(
            dataclasses.replace(job, station=dataclasses.replace(job.station, open_engine=dying)),
            Watch(on_reading=stop),
        )
    assert not local_result.is_finished(job.out)
    with pytest.raises(CastboardError, match="no finished evaluation"):
        local_result.read(job.out)
    run(job, Watch())
    assert engine.read_shards == [0, 1, 2]
    resumed = tree(job.out)
    shutil.rmtree(job.out)
    run(job, Watch())
    assert tree(job.out) == resumed


def test_a_second_process_is_turned_away(job: Job) -> None:
    """Two evaluations never write into one folder."""
    run(job, Watch())
    with atomic.locked(job.out / ".at-work", exclusive=True), pytest.raises(Busy):
        run(job, Watch())


def test_folder_of_something_else_is_left_alone(job: Job, tmp_path: Path) -> None:
    """Neither other files nor another evaluation are written over."""
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "result.json").write_text("mine")
    with pytest.raises(CastboardError, match="something else"):
        run(dataclasses.replace(job, out=tmp_path / "thesis"), Watch())
    assert tree(tmp_path / "thesis") == {"result.json": b"mine"}
    run(job, Watch())
    other = shutil.copy(job.source, tmp_path / "other.zip")
    with pytest.raises(CastboardError, match="something else"):
        run(dataclasses.replace(job, source=Path(other)), Watch())


def test_problems_come_all_at_once_and_leave_no_result(job: Job, tmp_path: Path, corpus: Corpus) -> None:
    """A zip that is not fit is refused as by a check, also where an earlier one was evaluated."""
    run(job, Watch())
    write_zip(job.source, {"it-00": b"no audio", "it-09": b"unknown"})
    with pytest.raises(Refused) as caught:
        run(job, Watch())
    assert {problem.code for problem in caught.value.checked.problems} >= {"missing_items", "unknown_name", "not_audio"}
    assert not local_result.is_finished(job.out)


def test_a_partial_evaluation_says_that_it_is_one(job: Job, tmp_path: Path, corpus: Corpus) -> None:
    """Only the items that are there are scored, and the result is marked; without a normal level it is refused."""
    normal = next(item.id for item in corpus.items if item.requested["loudness"] == "normal")
    write_zip(job.source, {normal: tones(corpus)[normal]})
    partial = dataclasses.replace(job, may_be_partial=True)
    found = run(partial, Watch())
    assert (found.result.is_partial, found.result.summary.n_items, found.result.n_corpus_items) == (True, 1, 3)
    other = next(item.id for item in corpus.items if item.requested["loudness"] != "normal")
    write_zip(job.source, {other: tones(corpus)[other]})
    with pytest.raises(CastboardError, match="normal loudness"):
        run(partial, Watch())


def test_what_is_read_back_is_what_was_written(job: Job) -> None:
    """A finished evaluation comes back whole; a file that was changed since is named."""
    found = run(job, Watch())
    assert local_result.read(job.out) == found
    table = job.out / local_result.SAMPLES
    table.write_bytes(table.read_bytes() + b" ")
    with pytest.raises(SchemaError, match=local_result.SAMPLES):
        local_result.read(job.out)
    (job.out / local_result.RESULT).write_text("[" * 100_000)
    with pytest.raises(SchemaError, match=local_result.RESULT):
        local_result.read(job.out)


def test_other_clips_in_the_same_file_are_read_anew(job: Job, corpus: Corpus, engine: SteadyEngine) -> None:
    """What was read of the earlier clips is never taken for the new ones."""
    first = run(job, Watch())
    sounds = list(tones(corpus).values())
    write_zip(job.source, dict(zip(tones(corpus), [*sounds[1:], sounds[0]], strict=True)), system=CARD)
    second = run(job, Watch())
    assert engine.read_shards == [0, 1, 2, 0, 1, 2]
    assert first.result.source_sha256 != second.result.source_sha256
    assert all(
        second.evidence.readings[item].clip_sha256 == clip.sha256 for item, clip in second.evidence.clips.items()
    )
