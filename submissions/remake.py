"""The files of one committed row, read and made anew: scores from readings, the result from scores. No model."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, SchemaError
from evaluation.judge.calls_model import is_same_model
from evaluation.judge.replies import JudgeReply
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.records import Clip, ItemId
from evaluation.scoring import Scored, score_submission
from submissions import layout, parquet
from submissions.board import Row, contender_of
from submissions.differences import Difference, difference, json_difference, table_differences
from submissions.evidence import Evidence, read_evidence
from submissions.publish import build_result
from submissions.replies import arranged, decode_replies, judged_anew, replies_table
from submissions.result import SystemFile, decode_system, encode_result, encode_system
from submissions.samples import sample_table
from submissions.store.base import PublishedFiles

# What a table of forged values may raise in code that trusts its input.
_FORGED = (CastboardError, ValueError, KeyError, ArithmeticError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """What could be made anew of one row."""

    differences: tuple[Difference, ...]
    """Missing files, and differences inside and between the files."""
    hashes: Mapping[str, str]
    """sha256 (hex) of every source that is there, by path."""
    result: bytes | None
    """The result file made anew; None if that was not possible."""
    row: Row | None
    """The same as a row of its board."""
    evidence: Evidence | None
    """Its items, clips and readings; None if they cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Samples:
    """A per-sample table that could be read."""

    table: pa.Table
    """The table."""
    evidence: Evidence
    """What its scores were made of."""
    is_sealed: bool
    """Whether the file is the one that was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """Scores made anew."""

    scored: Scored
    """The scores."""
    evidence: Evidence
    """What they were made of, with the verdicts that follow from the replies."""


def remake(files: PublishedFiles, protocol_id: str, protocol: Protocol | None, submission: str) -> Remade:
    """Make one row anew from its sources: four files, or five with a judge.

    Args:
        files: the published files.
        protocol_id: the protocol's id.
        protocol: its recipe; None if that file is damaged, and then nothing is scored.
        submission: the row's submission.
    """
    paths = layout.source_paths(protocol_id, submission, is_judged=is_judged(files, protocol_id, protocol, submission))
    recipe_path, system_path, samples_path, clips_path, *replies_paths = paths
    sources = {path: _read(files, path) for path in paths}
    hashes = {path: sha256_of(data) for path, data in sources.items() if data is not None}
    found = [difference(path, "file", "missing", "a file") for path in paths if path not in hashes]
    system = _system(system_path, submission, sources[system_path], found)
    samples = _samples(samples_path, sources[samples_path], found)
    heard = _heard(clips_path, sources[clips_path], found)
    if samples is not None and heard is not None:
        found += _clip_differences(samples_path, samples.evidence.clips, clips_path, heard)
    replies = [_replies(path, protocol, samples, sources[path], found) for path in replies_paths]
    scored = _scored(samples_path, protocol, samples, replies, found)
    if samples is not None and not samples.is_sealed:
        found.append(difference(samples_path, "seal", "changed after it was written", "the file as it was written"))
    evidence = scored.evidence if scored else samples.evidence if samples else None
    is_whole = recipe_path in hashes and clips_path in hashes and None not in replies
    if protocol is None or system is None or evidence is None or scored is None or not is_whole:
        return Remade(differences=tuple(found), hashes=hashes, result=None, row=None, evidence=evidence)
    result = build_result(
        protocol=protocol,
        system=system,
        evidence=evidence,
        scored=scored.scored,
        files=hashes,
        replies=[reply for some in replies if some is not None for reply in some],
    )
    data = encode_result(result)
    composites = {str(sample.item_id): sample.composite_micro for sample in scored.scored.samples}
    row = Row(result=result, results_sha256=sha256_of(data), contender=contender_of(submission, composites))
    return Remade(differences=tuple(found), hashes=hashes, result=data, row=row, evidence=evidence)


def is_judged(files: PublishedFiles, protocol_id: str, protocol: Protocol | None, submission: str) -> bool:
    """Return whether a row is made of a judge's replies too; of a damaged recipe, whether there are any."""
    if protocol is not None:
        return protocol.judge is not None
    path = layout.replies_path(protocol_id, submission)
    return path in files.paths(path)


def _read(files: PublishedFiles, path: str) -> bytes | None:
    try:
        return files.read(path)
    except FileNotFoundError:
        return None


def _replies(
    path: str, protocol: Protocol | None, samples: _Samples | None, data: bytes | None, found: list[Difference]
) -> tuple[JudgeReply, ...] | None:
    """Return the replies of a table; None if they cannot be read."""
    if data is None:
        return None
    try:
        table, replies = decode_replies(data, path)
    except SchemaError as error:
        found.append(difference(path, "file", reason(error, path), "a readable table of replies"))
        return None
    if protocol is not None and samples is not None:
        heard = [item for item in samples.evidence.items if item.id in samples.evidence.clips]
        try:
            found += table_differences(path, table, replies_table(arranged(protocol, heard, replies)), "item_id")
        except ValueError as error:
            found.append(difference(path, "replies", str(error), "one of each call about a clip of the submission"))
        found += foreign_differences(path, protocol.judge, replies)
    if not parquet.is_sealed(data):
        found.append(difference(path, "seal", "changed after it was written", "the file as it was written"))
    return replies


def foreign_differences(path: str, judge: JudgeRecipe | None, replies: Sequence[JudgeReply]) -> Iterator[Difference]:
    """Yield the models, by their own word, that wrote replies in the place of the judge that the recipe names."""
    if judge is None:
        return
    for model in sorted({reply.model for reply in replies}):
        if not is_same_model(judge.model, model):
            yield difference(path, "model", model, f"{judge.model}, or a snapshot of it")


def _scored(
    path: str,
    protocol: Protocol | None,
    samples: _Samples | None,
    replies: Sequence[tuple[JudgeReply, ...] | None],
    found: list[Difference],
) -> _Scored | None:
    if protocol is None or samples is None:
        return None
    evidence = samples.evidence
    if len(evidence.items) != protocol.corpus.n_items:
        found.append(difference(path, "number of rows", len(evidence.items), protocol.corpus.n_items))
    try:
        if None not in replies:
            said = [reply for some in replies if some is not None for reply in some]
            evidence = replace(evidence, readings=judged_anew(protocol, evidence.items, evidence.readings, said))
        scored = score_submission(protocol, evidence.items, evidence.readings, evidence.declined)
    except _FORGED as error:
        found.append(difference(path, "readings", f"cannot be scored: {error}", "readings that can"))
        return None
    anew = sample_table(protocol, evidence, scored.samples)
    found += table_differences(path, samples.table, anew, "item_id")
    return _Scored(scored=scored, evidence=evidence)


def _system(path: str, submission: str, data: bytes | None, found: list[Difference]) -> SystemFile | None:
    if data is None:
        return None
    try:
        system = decode_system(data, path)
    except SchemaError as error:
        found.append(difference(path, "file", reason(error, path), "a readable system file"))
        return None
    canonical = encode_system(system)
    if canonical != data:
        found.append(json_difference(path, data, canonical))
    if system.submission != submission:
        found.append(difference(path, "submission", system.submission, submission))
        return None
    return system


def _samples(path: str, data: bytes | None, found: list[Difference]) -> _Samples | None:
    if data is None:
        return None
    try:
        table = parquet.decode_table(data, path)
        evidence = read_evidence(table, path)
    except SchemaError as error:
        found.append(difference(path, "file", reason(error, path), "a readable per-sample table"))
        return None
    return _Samples(table=table, evidence=evidence, is_sealed=parquet.is_sealed(data))


def _heard(path: str, data: bytes | None, found: list[Difference]) -> dict[str, tuple[object, ...]] | None:
    """Return sha256, length, rate and depth of every clip by item; the hash is taken from the audio itself."""
    if data is None:
        return None
    heard: dict[str, tuple[object, ...]] = {}
    try:
        for row in layout.clip_rows(data, path):
            sha256 = sha256_of(row["flac"])
            if sha256 != row["sha256"]:
                found.append(difference(path, f"clip {row['item_id']}, sha256", row["sha256"], sha256))
            heard[row["item_id"]] = (sha256, row["duration_s"], row["rate_hz"], row["bit_depth"])
    except SchemaError as error:
        found.append(difference(path, "file", reason(error, path), "a readable file of clips"))
        return None
    return heard


def _clip_differences(
    samples_path: str, clips: Mapping[ItemId, Clip], clips_path: str, heard: Mapping[str, tuple[object, ...]]
) -> Iterator[Difference]:
    measured: dict[str, tuple[object, ...]] = {
        item: (clip.sha256, clip.duration_s, clip.rate_hz, clip.bit_depth) for item, clip in clips.items()
    }
    for item in sorted({*measured, *heard}):
        if item not in heard:
            yield difference(clips_path, f"clip {item}", "no such clip", f"the clip that {samples_path} measured")
        elif measured.get(item) != heard[item]:
            yield difference(samples_path, f"row {item}, its clip", measured.get(item), heard[item])


def reason(error: SchemaError, path: str) -> str:
    """Return what an error says, without the path that it begins with."""
    return str(error).removeprefix(path).lstrip(":, ")
