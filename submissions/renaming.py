"""Granted names of a system: asked for by its owner, decided by an operator, published beside the board.

Rows and their files never change, so the new names stand in a file of their own, `renames/<submission>.json`, which
follows from the events alone and can be made anew at any time: it is there if, and only if, the names were granted and
the submission is neither taken back nor hidden.
"""

import logging
from dataclasses import dataclass
from datetime import datetime

from evaluation.codec import canonical, read_record, to_json
from evaluation.errors import CastboardError
from submissions import layout, queue
from submissions.card import read_fields
from submissions.hostile_text import BadText, regular
from submissions.operator_events import RenameAsked, Renamed
from submissions.parquet import SCHEMA_VERSION
from submissions.records import Event, SubmissionId
from submissions.state import State, SubmissionState
from submissions.store.base import PublishedFiles, WorkStore

log = logging.getLogger(__name__)

MAX_REASON = 500
"""Longest reason, code points."""


class BadRename(CastboardError):
    """Names, or a reason, that no rename can have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Was:
    """Names of before, as the card has them."""

    system: str
    """Name of the system; hostile text."""
    organisation: str
    """Who made it; hostile text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """Names that a board shows instead of the card's."""

    system: str
    """Name of the system; hostile text."""
    organisation: str
    """Who makes it; hostile text."""
    was: Was
    """Names of before."""
    at: str
    """When it was granted, ISO 8601, UTC."""
    reason: str
    """Why, in one sentence of the operator."""


def ask(
    store: WorkStore, submission: SubmissionId, *, now: datetime, system: str, organisation: str, reason: str
) -> SubmissionState:
    """Ask the operator for other names; a later wish replaces one that is not decided yet.

    Args:
        store: the work state.
        submission: a submission that the caller may speak for.
        now: aware.
        system: name that the system is to have, as for a card; blank for the one that it has.
        organisation: organisation that the board is to name, as for a card; blank for the one that it names.
        reason: why, in one sentence.

    Raises:
        BadRename: telling all that is wrong, or that these are the names already.
        IllegalEvent: if the submission is unknown or was taken back.
    """
    state = queue.load(store, submission)
    system_now, organisation_now = names_of(state)
    wish = _wish(system.strip() or system_now, organisation.strip() or organisation_now, reason)
    if (system_now, organisation_now) == (wish.system, wish.organisation):
        raise BadRename("These are the names that the board shows already.")
    return queue.append(store, submission, now, lambda known: None if known.rename_asked == wish else wish)


def names_of(state: SubmissionState) -> tuple[str, str]:
    """Return the names of system and organisation that the board shows for a submission."""
    if state.renamed is not None:
        return state.renamed.system, state.renamed.organisation
    return state.received.card.system, state.received.card.organisation


def rename_of(state: SubmissionState, events: tuple[Event, ...]) -> Rename | None:
    """Return what is to be published of a submission's granted names; None for nothing."""
    if state.renamed is None or state.hidden is not None or state.state is State.WITHDRAWN:
        return None
    at = max(event.n for event in events if isinstance(event.payload, Renamed))
    card = state.received.card
    return Rename(
        system=state.renamed.system,
        organisation=state.renamed.organisation,
        was=Was(system=card.system, organisation=card.organisation),
        at=events[at - 1].at,
        reason=state.renamed.reason,
    )


def encode_rename(rename: Rename) -> bytes:
    """Return the canonical JSON bytes of a published rename."""
    return canonical({"schema_version": SCHEMA_VERSION, **to_json(rename)})


def decode_rename(data: bytes, where: str) -> Rename:
    """Read a published rename; raises SchemaError naming `where` if it is damaged or of an unknown version."""
    return read_record(Rename, data, where, version=SCHEMA_VERSION)


def is_settled(files: PublishedFiles, submission: str, wanted: Rename | None) -> bool:
    """Tell whether what is published of a submission's names is what it should be."""
    path = layout.rename_path(submission)
    try:
        return files.read(path) == (b"" if wanted is None else encode_rename(wanted))
    except FileNotFoundError:
        return wanted is None


def publish_rename(files: PublishedFiles, submission: str, wanted: Rename | None) -> None:
    """Publish a submission's granted names, or take them away for None; nothing happens if that is so already."""
    if is_settled(files, submission, wanted):
        return
    path = layout.rename_path(submission)

    def make(draft: PublishedFiles) -> None:
        if wanted is None:
            draft.remove(path)
        else:
            draft.write(path, encode_rename(wanted))

    files.change(f"Names of {submission}", make)
    log.info("rename.published", extra={"submission": submission, "is_there": wanted is not None})


def settle(store: WorkStore, files: PublishedFiles, submission: SubmissionId) -> None:
    """Make the published names of a submission what its events say; safe to repeat, takes no lock."""
    events = tuple(store.events(submission))
    publish_rename(files, submission, rename_of(queue.load(store, submission), events))


def _wish(system: str, organisation: str, reason: str) -> RenameAsked:
    values, problems = read_fields({"system": system, "organisation": organisation})
    told = [problem.sentence() for problem in problems]
    why = regular(reason, is_prose=False, max_chars=MAX_REASON)
    if isinstance(why, BadText):
        told.append(f"The reason is not accepted: allowed are {why.allowed}, got {why.got}.")
    elif not why:
        told.append("The reason is missing: one sentence for the operator.")
    if told or isinstance(why, BadText):
        raise BadRename(" ".join(told))
    return RenameAsked(system=str(values["system"]), organisation=str(values["organisation"]), reason=why)
