"""A finished evaluation becomes a committed row: the only writer of the published layout.

The result file is written after the files that it hashes, so a publisher killed anywhere leaves
no row or the whole row. A committed row never changes: publishing the same again is a repair, and
publishing something else under the same id is refused.
"""

import hashlib
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from evaluation import protocol as recipe
from evaluation.codec import canonical, sha256_of, sha256_of_file, to_json
from evaluation.errors import CastboardError
from evaluation.frozen_constants import refuse_analysis
from evaluation.judge.replies import JudgeReply
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, Item, ItemId
from evaluation.scoring import Scored, score_submission
from evaluation.summary import summarise
from submissions import layout, parquet
from submissions.board import rebuild_board
from submissions.evidence import Evidence, read_evidence
from submissions.layout import CLIPS_PER_GROUP, CLIPS_SCHEMA
from submissions.replies import arranged, judged_anew, replies_table, usage_of
from submissions.result import CardValue, Provenance, Result, SystemFile, decode_result, encode_result, encode_system
from submissions.samples import sample_table
from submissions.store.base import PublishedFiles

_PRIVATE = "contact"
"""The one field of a card that is never published."""


class PublishError(CastboardError):
    """A submission cannot be published as it is."""


def publish(
    *,
    files: PublishedFiles,
    protocol: Protocol,
    items: Sequence[Item],
    submission_id: str,
    card: Mapping[str, CardValue],
    provenance: Provenance,
    clips_dir: Path,
    clips: Sequence[Clip],
    readings: Mapping[ItemId, ClipReadings],
    declined: Collection[ItemId],
    replies: Sequence[JudgeReply] = (),
    before: Callable[[], None] = lambda: None,
) -> None:
    """Publish one evaluated submission and bring the protocol's board up to date.

    Args:
        files: where the published layout lies.
        protocol: what it was evaluated under.
        items: all items of the protocol's corpus, in its order.
        submission_id: its id.
        card: the public card, without the contact.
        provenance: where it came from.
        clips_dir: holds the canonical clips as `<item id>.flac`.
        clips: the canonical clips of all items that are not declined.
        readings: of the same items.
        declined: items that the system refused.
        replies: everything that the judge wrote of these clips, in any order; none without a judge.
        before: called before anything is written, at every try; what it raises ends the publishing.

    Raises:
        PublishError: if something else is published under this id, the card holds the contact, or items,
            clips, readings and replies do not belong together.
        ProtocolError: if the protocol has other constants than the frozen ones.
        IncompleteReadings: if a reading is missing on our side.
    """
    if _PRIVATE in card:
        raise PublishError(f"the card of {submission_id} holds its {_PRIVATE}, which is never published; take it out")
    evidence = _evidence(protocol, items, clips, readings, declined)
    system = SystemFile(submission=submission_id, card=card, provenance=provenance)
    with tempfile.TemporaryDirectory(prefix="publish-", dir=clips_dir.parent) as folder:
        audio = Path(folder) / "clips.parquet"
        parquet.write_groups(audio, CLIPS_SCHEMA, _clip_groups(evidence, clips_dir))

        def write(draft: PublishedFiles) -> None:
            before()
            commit(files=draft, protocol=protocol, system=system, evidence=evidence, audio=audio, replies=replies)
            rebuild_board(draft, protocol.id)

        files.change(f"Row of {submission_id} under {protocol.id}", write)


def commit(
    *,
    files: PublishedFiles,
    protocol: Protocol,
    system: SystemFile,
    evidence: Evidence,
    audio: Path | None,
    replies: Sequence[JudgeReply] = (),
) -> Result:
    """Score one submission, write its row and return the result; the board is not brought up to date.

    Args:
        files: where the published layout lies.
        protocol: what scores it.
        system: its system file.
        evidence: what is scored, one entry for every item of the protocol's corpus.
        audio: its file of clips; None: the one that is published already.
        replies: the judge's raw replies, in any order.

    Raises:
        PublishError: if something else is published under this id, or verdicts and replies do not belong together.
        ProtocolError: if the protocol has other constants than the frozen ones.
        IncompleteReadings: if a reading is missing on our side.
    """
    refuse_analysis(protocol)
    _refuse_other_traits(protocol, evidence.items)
    scored = score_submission(protocol, evidence.items, evidence.readings, evidence.declined)
    wanted = {**_rows(protocol, system, evidence, scored), **_judging(protocol, system, evidence, replies)}
    clips_path = layout.clips_path(system.submission)
    clips_sha256 = sha256_of_file(audio) if audio is not None else _sha256_published(files, clips_path)
    result = build_result(
        protocol=protocol,
        system=system,
        evidence=evidence,
        scored=scored,
        files={**{path: sha256_of(data) for path, data in wanted.items()}, clips_path: clips_sha256},
        replies=replies,
    )
    _refuse_change(files, result)
    _refuse_other_items(files, result)
    for path, data in wanted.items():
        files.write(path, data)
    if audio is not None:
        files.write_file(clips_path, audio)
    files.write(layout.result_path(protocol.id, system.submission), encode_result(result))
    return result


def _rows(protocol: Protocol, system: SystemFile, evidence: Evidence, scored: Scored) -> dict[str, bytes]:
    """Return recipe, system file and per-sample table by path."""
    table = sample_table(protocol, evidence, scored.samples)
    if read_evidence(table) != evidence:
        raise PublishError(
            f"the readings of {system.submission} do not survive their own table: protocol {protocol.name} names no "
            "instrument or judge for some of them, or the table must be mended"
        )
    return {
        layout.protocol_path(protocol.id): recipe.encode(protocol),
        layout.system_path(system.submission): encode_system(system),
        layout.samples_path(protocol.id, system.submission): parquet.encode_table(table),
    }


def _judging(
    protocol: Protocol, system: SystemFile, evidence: Evidence, replies: Sequence[JudgeReply]
) -> dict[str, bytes]:
    """Return the table of the judge's replies by path; nothing without a judge."""
    try:
        ordered = arranged(protocol, [item for item in evidence.items if item.id in evidence.clips], replies)
    except ValueError as error:
        raise PublishError(f"the replies about {system.submission} cannot be published: {error}") from error
    anew = judged_anew(protocol, evidence.items, evidence.readings, ordered)
    for item, reading in evidence.readings.items():
        if reading.verdicts != anew[item].verdicts:
            raise PublishError(
                f"{system.submission}, {item}: the verdicts do not follow from the judge's replies. Give all replies "
                "of the run that the verdicts came from."
            )
    if protocol.judge is None:
        return {}
    path = layout.replies_path(protocol.id, system.submission)
    return {path: parquet.encode_table(replies_table(ordered))}


def build_result(
    *,
    protocol: Protocol,
    system: SystemFile,
    evidence: Evidence,
    scored: Scored,
    files: Mapping[str, str],
    replies: Sequence[JudgeReply] = (),
) -> Result:
    """Return the result of a scored submission; the same arguments always give the same result.

    Args:
        protocol: what it was evaluated under.
        system: its system file.
        evidence: all items, in the corpus's order, and the readings that were scored.
        scored: the scores of the same items.
        files: sha256 (hex) of the files that the result is made of, by path.
        replies: the judge's raw replies, in any order; none without a judge.
    """
    return Result(
        protocol=protocol.id,
        submission=system.submission,
        card=system.card,
        received_at=system.provenance.received_at,
        files=files,
        items_sha256=sha256_of(canonical([to_json(item) for item in evidence.items])),
        summary=summarise(protocol, evidence.items, scored, evidence.readings),
        judge_usage=None if protocol.judge is None else usage_of(replies),
        supersedes=system.provenance.supersedes,
    )


def _evidence(
    protocol: Protocol,
    items: Sequence[Item],
    clips: Sequence[Clip],
    readings: Mapping[ItemId, ClipReadings],
    declined: Collection[ItemId],
) -> Evidence:
    by_item = {clip.item_id: clip for clip in clips}
    voiced = {item.id for item in items} - set(declined)
    if len(items) != protocol.corpus.n_items or len(by_item) != len(clips):
        raise PublishError(f"expected {protocol.corpus.n_items} items and one clip each, got {len(items)}")
    strangers = sorted(voiced ^ set(by_item)) + sorted(voiced ^ set(readings))
    both = voiced & set(readings) & set(by_item)
    strangers += sorted(item for item in both if readings[item].clip_sha256 != by_item[item].sha256)
    if strangers:
        raise PublishError(f"items, clips and readings do not belong together at {', '.join(strangers[:10])}")
    return Evidence(items=tuple(items), clips=by_item, readings=readings, declined=frozenset(declined))


def _clip_groups(evidence: Evidence, clips_dir: Path) -> Iterator[pa.Table]:
    """Yield the clips in the order of the items, at most CLIPS_PER_GROUP at a time."""
    ordered = [evidence.clips[item.id] for item in evidence.items if item.id in evidence.clips]
    for start in range(0, len(ordered), CLIPS_PER_GROUP):
        rows = [_clip_row(clip, clips_dir) for clip in ordered[start : start + CLIPS_PER_GROUP]]
        yield pa.Table.from_pylist(rows, schema=CLIPS_SCHEMA)


def _clip_row(clip: Clip, clips_dir: Path) -> dict[str, object]:
    flac = (clips_dir / f"{clip.item_id}.flac").read_bytes()
    if sha256_of(flac) != clip.sha256:
        raise PublishError(f"{clip.item_id}.flac is not the clip that was measured: expected sha256 {clip.sha256}")
    return {
        "item_id": clip.item_id,
        "sha256": clip.sha256,
        "flac": flac,
        "duration_s": clip.duration_s,
        "rate_hz": clip.rate_hz,
        "bit_depth": clip.bit_depth,
    }


def _sha256_published(files: PublishedFiles, path: str) -> str:
    with files.open(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse_other_traits(protocol: Protocol, items: Sequence[Item]) -> None:
    known = {one.name for one in protocol.traits}
    for item in items:
        if set(item.requested) != known:
            raise PublishError(
                f"{item.id} fixes {sorted(item.requested)}, protocol {protocol.name} speaks of {sorted(known)}: every "
                "trait of the corpus must be a dimension of it, or stand in not_measured with the reason"
            )


def _refuse_change(files: PublishedFiles, new: Result) -> None:
    """Refuse to replace a file that a committed row, of this or another protocol, was made of."""
    for protocol_id in layout.committed_protocols(files, new.submission):
        path = layout.result_path(protocol_id, new.submission)
        old = decode_result(files.read(path), path)
        moved = [name for name in sorted(old.files) if new.files.get(name, old.files[name]) != old.files[name]]
        if moved or (protocol_id == new.protocol and old != new):
            raise PublishError(
                f"{path} is committed and differs in {', '.join(moved) or 'its summary'}. A published row never "
                "changes: withdraw it first, or publish under a new submission id."
            )


def _refuse_other_items(files: PublishedFiles, new: Result) -> None:
    """Refuse a row that no row of its board could be compared with; all rows of a board have the same items."""
    for submission in layout.committed(files, new.protocol)[:1]:
        path = layout.result_path(new.protocol, submission)
        if decode_result(files.read(path), path).items_sha256 != new.items_sha256:
            raise PublishError(f"{new.submission} was scored on other items than {path}; one protocol has one corpus")
