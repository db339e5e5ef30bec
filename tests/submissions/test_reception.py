"""A receipt means that the zip is safe and queued once; a refusal says everything and keeps nothing."""

from pathlib import Path

import pytest

from evaluation.corpus import Corpus
from submissions import queue
from submissions.problems import SubmissionError
from submissions.reception import Receipt, Upload, receive
from submissions.records import Received, Rejected, timestamp
from submissions.state import State
from submissions.store.base import UploadChanged
from submissions.store.folder import FolderStore
from tests.submissions.small_evaluation import make_corpus, tones, tree, write_zip
from tests.submissions.work_examples import NOON, PROBLEM, a_worker, later

FORM = {
    "system": "Parrot",
    "version": "2",
    "organisation": "Aviary",
    "contact": "keeper@aviary.example",
    "licence": "MIT",
    "open_weights": True,
}


EXPECTED = ("contact", "licence", "it-01", "it-02")
"""Where the problems of the bad zip and its form lie, in the order of the words before them."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Give a corpus of three items."""
    return make_corpus(tmp_path_factory.mktemp("corpus"), 3)


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """Give an empty store."""
    return FolderStore(tmp_path / "home")


@pytest.fixture
def zip_path(tmp_path: Path, corpus: Corpus) -> Path:
    """Give a clean zip."""
    return write_zip(tmp_path / "parrot.zip", tones(corpus))


def send(store: FolderStore, corpus: Corpus, zip_path: Path, at_s: float = 0, **form: object) -> Receipt:
    """Send a zip with the form, some of it changed."""
    work_dir = zip_path.parent / "work"
    work_dir.mkdir(exist_ok=True)
    return receive(
        Upload(zip_path=zip_path, card_fields={**FORM, **form}, submitter="polly"),
        corpus=corpus,
        store=store,
        work_dir=work_dir,
        now=later(at_s),
        code_version="0.1.0",
        decoder_processes=1,
    )


def test_clean_zip_is_kept_and_queued(store: FolderStore, corpus: Corpus, zip_path: Path) -> None:
    """The receipt's zip is on the disk, the card with it, and the queue has it."""
    receipt = send(store, corpus, zip_path)
    assert (receipt.state, receipt.place_in_queue, receipt.is_repeat) == (State.QUEUED, 1, False)
    assert store.upload_path(receipt.submission).read_bytes() == zip_path.read_bytes()
    first, second = store.events(receipt.submission)
    assert isinstance(first.payload, Received)
    assert (first.payload.card.contact, first.payload.submitter) == ("keeper@aviary.example", "polly")
    assert (first.payload.zip_sha256, first.payload.zip_bytes) == (receipt.zip_sha256, zip_path.stat().st_size)
    assert (first.at, second.kind) == (timestamp(NOON), "queued")


def test_same_upload_gets_the_same_receipt(store: FolderStore, corpus: Corpus, zip_path: Path, tmp_path: Path) -> None:
    """A double click changes nothing, not even the time; another card or another zip is another submission."""
    first = send(store, corpus, zip_path)
    before = tree(tmp_path / "home")
    second = send(store, corpus, zip_path, at_s=60)
    assert (second.submission, second.place_in_queue, second.is_repeat) == (first.submission, 1, True)
    assert tree(tmp_path / "home") == before
    other = send(store, corpus, zip_path, at_s=60, notes="with a note")
    assert other.submission != first.submission
    assert (other.place_in_queue, other.is_repeat) == (2, False)


def test_receiver_that_died_is_made_good(store: FolderStore, corpus: Corpus, zip_path: Path, tmp_path: Path) -> None:
    """Wherever the receiver stopped, sending again ends in the state of an undisturbed reception."""
    submission = send(store, corpus, zip_path).submission
    whole = tree(tmp_path / "home")
    events = tmp_path / "home" / "work" / submission / "events"
    (events / "0002-queued.json").unlink()
    assert send(FolderStore(tmp_path / "home"), corpus, zip_path).place_in_queue == 1
    assert tree(tmp_path / "home") == whole
    for path in events.iterdir():
        path.unlink()
    store.upload_path(submission).unlink()
    assert send(FolderStore(tmp_path / "home"), corpus, zip_path).is_repeat is False
    assert tree(tmp_path / "home") == whole


def test_refusal_tells_all_and_keeps_nothing(store: FolderStore, corpus: Corpus, tmp_path: Path) -> None:
    """Problems of the zip and of the form come together, and no file is left."""
    audio = tones(corpus)
    del audio[corpus.items[1].id]
    bad = write_zip(tmp_path / "bad.zip", {**audio, corpus.items[2].id: b"no audio at all"})
    with pytest.raises(SubmissionError) as refused:
        send(store, corpus, bad, contact="", licence="x" * 65)
    told = sorted(problem.where for problem in refused.value.problems)
    assert len(told) == len(EXPECTED)
    assert all(expected in where for where, expected in zip(told, EXPECTED, strict=True))
    assert store.submissions() == ()
    assert not (tmp_path / "home").exists() or tree(tmp_path / "home") == {}


def test_zip_that_changes_under_the_check_is_refused(
    store: FolderStore, corpus: Corpus, zip_path: Path, tmp_path: Path
) -> None:
    """What is kept is what was checked, or there is no submission."""
    other = write_zip(tmp_path / "other.zip", tones(corpus), system={"notes": "another"})

    def swap(done: int, n_clips: int) -> None:
        if done == n_clips and other.exists():
            other.rename(zip_path)

    with pytest.raises(UploadChanged, match="changed while it was checked"):
        receive(
            Upload(zip_path=zip_path, card_fields=FORM, submitter=None),
            corpus=corpus,
            store=store,
            work_dir=tmp_path,
            now=NOON,
            code_version="0.1.0",
            decoder_processes=1,
            on_progress=swap,
        )
    assert store.submissions() == ()


def test_form_is_filled_from_the_zip(store: FolderStore, corpus: Corpus, tmp_path: Path) -> None:
    """What the form leaves blank comes from system.json; what it says counts more."""
    filled = write_zip(tmp_path / "filled.zip", tones(corpus), system={"notes": "from the zip", "version": "1"})
    receipt = send(store, corpus, filled, notes="", version="2")
    first = store.events(receipt.submission)[0].payload
    assert isinstance(first, Received)
    assert (first.card.notes, first.card.version) == ("from the zip", "2")


def test_ended_submission_is_queued_by_sending_it_again(store: FolderStore, corpus: Corpus, zip_path: Path) -> None:
    """A rejected or withdrawn one goes back into the queue with the date of its first arrival."""
    submission = send(store, corpus, zip_path).submission
    claim = queue.claim_next(store, a_worker(), later(1), corpus=corpus.pin.name, is_dead=lambda _: False)
    assert claim is not None
    queue.reject(store, claim, later(2), Rejected(claim=claim.number, problems=(PROBLEM,)))
    assert (send(store, corpus, zip_path, 3).state, send(store, corpus, zip_path, 4).is_repeat) == (State.QUEUED, True)
    queue.withdraw(store, submission, later(5), "mistake")
    assert send(store, corpus, zip_path, 6).state is State.QUEUED
    assert queue.load(store, submission).received_at == timestamp(NOON)
