"""Verbs of a maker: check a zip, submit it, take it back, ask for other names."""

import argparse
import json
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from evaluation.errors import CastboardError
from leaderboard import words
from leaderboard.corpora import corpus_of
from leaderboard.identity import local_identity
from leaderboard.protocols import Known, find, known
from leaderboard.settings import Settings
from leaderboard.stores import published_files, push, work_store
from leaderboard.terminal import say
from submissions import renaming
from submissions.by_reference import fetch
from submissions.check_report import as_json, as_text
from submissions.intake import check
from submissions.problems import SubmissionError, shown
from submissions.quota import Limits as Quota
from submissions.reception import Upload, receive
from submissions.records import submission_id
from submissions.state import IllegalEvent
from submissions.version import code_version
from submissions.withdrawal import withdraw

CLEAN, PROBLEMS, UNREADABLE = 0, 1, 2
"""Exit codes of `check` and `submit`; other verbs use the first two for success and failure."""


def run_check(options: argparse.Namespace, settings: Settings) -> int:
    """Report everything that is wrong with a zip; nothing is kept."""
    corpus = corpus_of(settings, find(settings, settings.protocol))
    if not _is_readable(options.file):
        return UNREADABLE
    with tempfile.TemporaryDirectory(prefix="castboard-check-") as work_dir:
        result = check(options.file, corpus, Path(work_dir))
    say(json.dumps(as_json(result), indent=2, ensure_ascii=False) if options.json else as_text(result))
    if result.is_unreadable:
        return UNREADABLE
    return CLEAN if result.is_clean else PROBLEMS


def run_submit(options: argparse.Namespace, settings: Settings) -> int:
    """Check a zip and put it into the queue of this machine's home, as the configured user."""
    identity = local_identity(settings)
    sender = identity.sender(identity.person(None), options.organisation)
    card_fields = {"organisation": options.organisation} if options.organisation else {}
    corpus = corpus_of(settings, find(settings, settings.protocol))
    if (options.file is None) == (options.ref is None):
        raise CastboardError("name one thing to submit: app.py submit FILE, or app.py submit --from org/name@COMMIT")
    if options.file is not None and not _is_readable(options.file):
        return UNREADABLE
    store = work_store(settings)
    with tempfile.TemporaryDirectory(prefix="castboard-check-") as work_dir:
        try:
            zip_path, source = (options.file, None) if options.file is not None else _fetched(options.ref, work_dir)
            receipt = receive(
                Upload(
                    zip_path=zip_path,
                    card_fields=card_fields,
                    submitter=sender.person.name,
                    sender=sender,
                    source=source,
                ),
                corpus=corpus,
                store=store,
                work_dir=Path(work_dir),
                now=datetime.now(UTC),
                code_version=code_version(),
                quota=Quota(person=settings.weekly_person, organisation=settings.weekly_organisation),
            )
        except SubmissionError as error:
            for number, problem in enumerate(error.problems, start=1):
                say(f"{number}. {problem.sentence()}")
            return PROBLEMS
    place = f", place {receipt.place_in_queue} in the queue" if receipt.place_in_queue else ""
    say(f"received as {receipt.submission}{place}; sha256 of the zip {receipt.zip_sha256}")
    push(store)
    if not store.is_pushed(receipt.submission):
        say(f"{words.UNPUSHED} {words.UNPUSHED_NOTE}")
    return CLEAN


def _fetched(ref: str, work_dir: str) -> tuple[Path, str]:
    """Return the zip that a reference names, fetched, and its public address."""
    folder = Path(work_dir) / "fetched"
    folder.mkdir()
    found = fetch(ref, folder)
    say(f"fetched from {found.source}")
    return found.zip_path, found.source


def run_ask_rename(options: argparse.Namespace, settings: Settings) -> int:
    """Ask the board's operator for other names of a submission; nothing changes until that is granted."""
    try:
        submission = submission_id(options.submission)
        renaming.ask(
            work_store(settings),
            submission,
            now=datetime.now(UTC),
            system=options.system,
            organisation=options.organisation,
            reason=options.reason,
        )
    except (ValueError, IllegalEvent) as error:
        raise CastboardError(f"{options.submission} cannot be renamed: {error}") from error
    say(f"asked: {submission}; an operator decides")
    return CLEAN


def run_withdraw(options: argparse.Namespace, settings: Settings) -> int:
    """Take a submission back: its row and clips go, its zip and its history stay."""
    store = work_store(settings)
    try:
        submission = submission_id(options.submission)
        seasons = anchored(settings, submission)
        withdraw(
            store,
            published_files(settings),
            submission,
            now=datetime.now(UTC),
            reason=options.reason,
        )
    except (ValueError, IllegalEvent) as error:
        raise CastboardError(f"{options.submission} cannot be withdrawn: {error}") from error
    say(f"withdrawn: {submission}")
    for one in seasons:
        name = f"{one.protocol.name} {one.protocol.id}"
        say(
            f"castboard: warning: {submission} is the anchor of protocol {name}, which has {one.n_rows} rows here. "
            "They stay, but without its clips nothing more can be judged under that protocol, and no verdict of it can "
            "be heard again. Freeze a protocol with another anchor for new submissions.",
            sys.stderr,
        )
    return CLEAN


def anchored(settings: Settings, submission: str) -> list[Known]:
    """Return the protocols whose judge has `submission` as its anchor; a damaged file is told and hinders nothing."""
    try:
        everything = known(settings)
    except CastboardError as error:
        say(f"castboard: warning: whether it is the anchor of a judge is not known: {error}", sys.stderr)
        return []
    return [one for one in everything if one.protocol.judge and one.protocol.judge.anchor.submission == submission]


def _is_readable(path: Path) -> bool:
    try:
        if not (path.is_file() or path.is_dir()) and path.exists():
            reason = "it is a pipe or a device, and a zip is a plain file"
        else:
            with path.open("rb"):
                return True
    except OSError as error:
        reason = str(error.strerror)
    say(f"castboard: {shown(str(path))} cannot be opened: {reason}", sys.stderr)
    return False
