"""A published board scored anew from its own readings: another normaliser or fewer dimensions, no audio measured.

The new scores are a board of their own, under their own protocol; the old one stays as it is. Doing it twice
changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from evaluation.errors import CastboardError
from evaluation.frozen_constants import deviations
from evaluation.gate.normalisers import NEWEST
from evaluation.judge.replies import JudgeReply
from evaluation.protocol import Protocol
from evaluation.scoring import IncompleteReadings
from submissions import layout
from submissions.board import rebuild_board
from submissions.evidence import read_evidence
from submissions.publish import commit
from submissions.replies import decode_replies
from submissions.result import decode_result
from submissions.store.base import PublishedFiles


class RescoreError(CastboardError):
    """A board cannot be scored anew under a protocol, for want of readings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One submission's score under both protocols."""

    submission: str
    """Its id."""
    old_score: float
    """Mean composite under the old protocol, 0..1."""
    new_score: float
    """Mean composite under the new one, 0..1."""
    old_pass_rate: float
    """Share of clips that passed the gate before, 0..1; 0 without a clip."""
    new_pass_rate: float
    """The same now."""


def newest(old: Protocol) -> Protocol:
    """Return a protocol with the newest normaliser in place of its own."""
    return replace(old, normaliser=NEWEST)


def rescore(files: PublishedFiles, old_id: str, target: Protocol) -> tuple[Change, ...]:
    """Publish every row of one board under another protocol, scored from the same readings.

    Args:
        files: where the published layout lies.
        old_id: protocol of the board whose readings are taken.
        target: what they are scored by: the old protocol but for its name, normaliser and dimensions that were read.

    Returns:
        One change a submission, sorted by submission.

    Raises:
        RescoreError: if there is no such board, or readings that the target needs do not exist; all are named.
        PublishError, SchemaError: if the board's files are not what they were.
    """
    submissions = layout.committed(files, old_id) if layout.is_name(old_id) else ()
    if not submissions:
        raise RescoreError(f"no board of protocol {old_id!r:.40} is published; there are: {_boards(files) or 'none'}")
    path = layout.protocol_path(old_id)
    old = layout.decode_protocol(files.read(path), path)
    wrong = [*_differences(old, target)]
    if wrong:
        raise RescoreError(
            f"the board of {old_id} cannot be scored under {target.name} {target.id}: {'; '.join(wrong)}. Only name, "
            "normaliser and dimensions that were read may differ; otherwise evaluate the submissions anew."
        )
    if target.id == old_id:
        raise RescoreError(f"the target is the very protocol {old_id} of the board: nothing would change")
    changes = tuple(_rescored(files, old_id, target, submission) for submission in submissions)
    rebuild_board(files, target.id)
    return changes


def _rescored(files: PublishedFiles, old_id: str, target: Protocol, submission: str) -> Change:
    result_path = layout.result_path(old_id, submission)
    old = decode_result(files.read(result_path), result_path)
    evidence = read_evidence(layout.read_samples(files, old_id, submission), layout.samples_path(old_id, submission))
    try:
        new = commit(
            files=files,
            protocol=target,
            system=layout.read_system(files, submission),
            evidence=evidence,
            audio=None,
            replies=_replies(files, old_id, submission) if target.judge else (),
        )
    except IncompleteReadings as error:
        raise RescoreError(f"{submission} cannot be scored under {target.name} {target.id}: {error}") from error
    return Change(
        submission=submission,
        old_score=old.summary.overall.score.mean or 0.0,
        new_score=new.summary.overall.score.mean or 0.0,
        old_pass_rate=old.summary.overall.gate.rate or 0.0,
        new_pass_rate=new.summary.overall.gate.rate or 0.0,
    )


def _replies(files: PublishedFiles, protocol_id: str, submission: str) -> tuple[JudgeReply, ...]:
    path = layout.replies_path(protocol_id, submission)
    return decode_replies(files.read(path), path)[1]


def _differences(old: Protocol, target: Protocol) -> Iterator[str]:
    if old.corpus != target.corpus:
        yield f"it reads the corpus {target.corpus.title()}, the board has {old.corpus.title()}"
    for name, value, frozen in deviations(target.constants):
        yield f"its {name} is {value!r}, a board has {frozen!r}: other constants are for analysis on your own machine"
    if old.judge != target.judge:
        yield "replies of its judge, as it pins and asks it, are missing" if target.judge else "it has no judge"
    for role in sorted({*old.instruments, *target.instruments}):
        had, wants = old.instruments.get(role), target.instruments.get(role)
        if wants is not None and had is None:
            yield f"readings of its {role} ({wants.name}) are missing"
        elif wants is None and had is not None:
            yield f"it has no {role}, whose readings ({had.name}) the board has"
        elif had != wants and wants is not None:
            yield f"readings of its {role} ({wants.name}, as it pins and sets it) are missing"


def _boards(files: PublishedFiles) -> str:
    return ", ".join(one for one in layout.read_protocols(files) if layout.committed(files, one))
