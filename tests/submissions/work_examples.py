"""Small values of the work state that several tests start from."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from submissions.card import Card
from submissions.problems import Problem
from submissions.queue import Worker, claim_next
from submissions.records import Event, ProcessIdentity, Queued, Received, SubmissionId, submission_id, timestamp
from submissions.store.folder import FolderStore

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CORPUS = "small_v1"

CARD = Card(
    system="Parrot",
    version="2",
    organisation="Aviary",
    contact="keeper@aviary.example",
    licence="MIT",
    open_weights=True,
    parameters="82 M",
    link="https://aviary.example",
    how_instructions="prepended to the script",
    notes="",
)

PROBLEM = Problem(
    kind="problem", code="missing_items", what="One item is missing", where="it-01", allowed="all", got="none"
)


def later(seconds: float) -> datetime:
    """Return the time so many seconds after noon."""
    return NOON + timedelta(seconds=seconds)


def a_process(pid: int = 7) -> ProcessIdentity:
    """Return a process that never ran."""
    return ProcessIdentity(host="h", boot_id="b", pid_namespace="n", pid=pid, started_ticks=1)


def a_worker(name: str = "w1", pid: int = 7) -> Worker:
    """Return a worker of that process."""
    return Worker(name=name, process=a_process(pid))


def received(corpus: str = CORPUS) -> Received:
    """Return the payload of a first event."""
    return Received(
        card=CARD,
        zip_sha256="ab" * 32,
        zip_bytes=1234,
        corpus=corpus,
        warnings=(),
        submitter=None,
        code_version="0.1.0",
    )


def put(store: FolderStore, name: str, at: datetime = NOON, *, corpus: str = CORPUS) -> SubmissionId:
    """Queue a submission of that name, received at that time."""
    submission = submission_id(name)
    store.create_event(submission, Event(n=1, at=timestamp(at), payload=received(corpus)))
    store.create_event(submission, Event(n=2, at=timestamp(at), payload=Queued()))
    return submission


def claim_all(home: Path, worker: str) -> list[str]:
    """Claim until nothing is left; a function of its own so that other processes can run it."""
    store, mine = FolderStore(home), []
    while claim := claim_next(store, a_worker(worker), NOON, corpus=CORPUS, is_dead=lambda _: False):
        mine.append(claim.submission)
    return mine
