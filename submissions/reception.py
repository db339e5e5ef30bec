"""The reception desk: an uploaded zip and a form become a durable submission and a receipt, or every problem at once.

The zip is on the disk before the first event is, and the receipt comes after both. The id is a hash of
zip and card, so a double click, or the same upload a week later, gets the receipt of the first.

Bans and quotas are looked at here, after the check, so that every door keeps them and the same upload gets its receipt
again whatever is left. Uploads of one process are decided one after the other. Two processes that take the last try at
the same instant both look again when both have written: the later one is taken back, and told so.
"""

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from evaluation.audio import LIMITS
from evaluation.audio_facts import Limits
from evaluation.codec import canonical, sha256_of, to_json
from evaluation.corpus import Corpus
from evaluation.errors import CastboardError
from submissions import bans, queue
from submissions.archive import ARCHIVE_LIMITS, ArchiveLimits
from submissions.card import Card, parse_card
from submissions.clip_bench import OnProgress
from submissions.intake import CheckResult, check
from submissions.ownership import Sender, is_owner, superseded_by
from submissions.problems import SubmissionError
from submissions.quota import SENT_AGAIN, QuotaSpent, allowances, is_beyond, refuse_spent
from submissions.quota import Limits as Quota
from submissions.records import Event, Queued, Received, Requeued, SubmissionId, submission_id, timestamp
from submissions.state import SENT_AGAIN_FROM, State
from submissions.store.base import EventExists, WorkStore

log = logging.getLogger(__name__)

_ID_DIGITS = 12
_DESK = threading.Lock()
"""Held while it is decided whether an upload is taken, until it is."""
_NO_QUOTA = Quota()


class NotTaken(CastboardError):
    """An upload is clean and is not taken, because of who sends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """What a maker sends."""

    zip_path: Path
    """The zip, on this machine."""
    card_fields: Mapping[str, object]
    """The form; what it leaves blank is taken from the zip's system.json."""
    submitter: str | None
    """Name of who sends it; None if nobody is signed in."""
    sender: Sender | None = None
    """Who sends it, and for whom, as somebody vouches for it; None if nobody does."""
    source: str | None = None
    """Public address at a pinned commit that the zip was fetched from; None if it was uploaded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What a maker gets."""

    submission: SubmissionId
    """Id of the submission."""
    zip_sha256: str
    """sha256 (hex) of the zip that is kept."""
    state: State
    """Where it stands."""
    place_in_queue: int | None
    """1 is next; None if it does not wait."""
    is_repeat: bool
    """The same zip with the same card was here before."""
    is_pushed: bool = True
    """Whether it outlives this machine; False while the hub is away and this machine's disk alone holds it."""


def receive(
    upload: Upload,
    *,
    corpus: Corpus,
    store: WorkStore,
    work_dir: Path,
    now: datetime,
    code_version: str,
    decoder_processes: int = 2,
    on_progress: OnProgress | None = None,
    limits: Limits = LIMITS,
    archive_limits: ArchiveLimits = ARCHIVE_LIMITS,
    quota: Quota = _NO_QUOTA,
) -> Receipt:
    """Check an upload, keep it, queue it, and give the receipt.

    Args:
        upload: what came.
        corpus: what it must read.
        store: where it is kept.
        work_dir: an existing folder of this call's own, for passing files.
        now: aware; becomes the publication date.
        code_version: version of this program.
        decoder_processes: decoders at work at once, >= 1.
        on_progress: called with clips done and all clips, from this thread.
        limits: what a clip may be.
        archive_limits: what a zip may be.
        quota: how many submissions a person, and an organisation, may send in seven days.

    Raises:
        SubmissionError: with all problems of zip and form; nothing is kept then.
        QuotaSpent: if the sender, or its organisation, has none left.
        NotTaken: if the sender is banned, or sends again what somebody else took back.
        UploadChanged: if the file changed while it was looked at.
        StoreUnavailable: if it can be kept nowhere now.
    """
    result = check(
        upload.zip_path,
        corpus,
        work_dir,
        decoder_processes=decoder_processes,
        on_progress=on_progress,
        limits=limits,
        archive_limits=archive_limits,
    )
    received = _received(upload, result, corpus, code_version)
    return enter(received, upload.zip_path, upload.sender, store=store, now=now, quota=quota)


def enter(
    received: Received,
    zip_path: Path,
    sender: Sender | None,
    *,
    store: WorkStore,
    now: datetime,
    quota: Quota = _NO_QUOTA,
) -> Receipt:
    """Keep and queue a zip that was found clean, if its sender may send it, and give the receipt.

    Args:
        received: what came; what it is a new version of is found here.
        zip_path: the zip.
        sender: who sends it; None if nobody vouches for anybody.
        store: where it is kept.
        now: aware.
        quota: how many submissions a person, and an organisation, may send in seven days.

    Raises:
        QuotaSpent, NotTaken, UploadChanged: as `receive`.
    """
    submission = submission_of(received.zip_sha256, received.card)
    _admit(store, submission, sender, quota, now)  # what is refused is not sent anywhere
    store.send_ahead(submission, zip_path)
    with _DESK:
        is_new_try = _admit(store, submission, sender, quota, now)
        is_repeat = bool(store.events(submission))
        if not is_repeat:
            older = superseded_by(received, queue.load_all(store), apart_from=submission)
            is_repeat = not _keep(store, submission, zip_path, replace(received, supersedes=older), now)
        _queue(store, submission, now)
    if is_new_try:
        _look_again(store, submission, sender, quota, now)
    log.info("submission.received", extra={"submission": submission, "is_repeat": is_repeat})
    return _receipt(store, submission, is_repeat=is_repeat)


def submission_of(zip_sha256: str, card: Card) -> SubmissionId:
    """Return the id that a zip with this card has: "s" and 12 hex digits of a hash of both."""
    digest = sha256_of(zip_sha256.encode("ascii") + canonical(to_json(card)))
    return submission_id("s" + digest[:_ID_DIGITS])


def _received(upload: Upload, result: CheckResult, corpus: Corpus, code_version: str) -> Received:
    given = {name: value for name, value in upload.card_fields.items() if value is not None and value != ""}
    sender = upload.sender
    named = {} if sender is None or sender.named is None else {"organisation": sender.named}
    card, found = parse_card({**result.card_fields, **given, **named})
    problems = result.problems + tuple(problem for problem in found if problem.kind == "problem")
    if problems or card is None:
        raise SubmissionError(problems)
    warnings = result.warnings + tuple(problem for problem in found if problem.kind == "warning")
    return Received(
        card=card,
        zip_sha256=result.zip_sha256,
        zip_bytes=upload.zip_path.stat().st_size,
        corpus=corpus.pin.name,
        warnings=warnings,
        submitter=upload.submitter,
        code_version=code_version,
        person=sender.person if sender else None,
        organisation=sender.organisation if sender else None,
        source=upload.source,
    )


def _admit(store: WorkStore, submission: SubmissionId, sender: Sender | None, quota: Quota, now: datetime) -> bool:
    """Refuse what must not be taken from this sender; tell whether taking it begins another try."""
    events = store.events(submission)
    known = queue.load(store, submission) if events else None
    if known is not None and known.state not in SENT_AGAIN_FROM:
        return False
    if sender is None:
        return True
    reason = bans.refusal(store, sender.person.account)
    if reason is not None:
        raise NotTaken(reason)
    if known is not None and known.received.person is not None and not is_owner(sender.person, known.received):
        raise NotTaken("This very zip with this card is here already and belongs to somebody else.")
    refuse_spent(allowances(store, sender, quota, now))
    return True


def _look_again(store: WorkStore, submission: SubmissionId, sender: Sender | None, quota: Quota, now: datetime) -> None:
    found = () if sender is None else allowances(store, sender, quota, now)
    if is_beyond(found, submission):
        reason = "Another submission came at the same moment and took the last try of seven days."
        queue.withdraw(store, submission, now, reason)
        log.info("submission.beyond", extra={"submission": submission})
        raise QuotaSpent(f"{reason} This one was taken back and costs nothing; send it again when a try comes free.")


def _keep(store: WorkStore, submission: SubmissionId, zip_path: Path, received: Received, now: datetime) -> bool:
    at = timestamp(now)
    events = (Event(n=1, at=at, payload=received), Event(n=2, at=at, payload=Queued()))
    try:
        store.receive(submission, zip_path, received.zip_sha256, events)
    except EventExists:  # the same upload came twice at once
        return False
    return True


def _queue(store: WorkStore, submission: SubmissionId, now: datetime) -> None:
    state = queue.enqueue(store, submission, now)
    if state.state in SENT_AGAIN_FROM:
        again = Requeued(claim=None, reason=SENT_AGAIN, message="", trace_id=None, not_before=None)
        queue.append(store, submission, now, lambda s: again if s.state in SENT_AGAIN_FROM else None)


def _receipt(store: WorkStore, submission: SubmissionId, *, is_repeat: bool) -> Receipt:
    states = queue.load_all(store)
    places = {state.submission: place for place, state in enumerate(queue.waiting(states), start=1)}
    state = next(state for state in states if state.submission == submission)
    return Receipt(
        submission=submission,
        zip_sha256=state.received.zip_sha256,
        state=state.state,
        place_in_queue=places.get(submission),
        is_repeat=is_repeat,
        is_pushed=store.is_pushed(submission),
    )
