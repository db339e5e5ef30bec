"""One committed row, made anew from its own published files; finds which of them is not what it was.

A result names the sha256 of its sources and the leaderboard names the sha256 of the result. If a
source and the hash disagree, one of the two was changed: where the result is still the one that the
leaderboard names, it was the source; where the result made anew is, it was the result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, SchemaError
from evaluation.protocol import Protocol
from evaluation.records import Clip, ItemId
from evaluation.scoring import score_submission
from submissions import layout, parquet
from submissions.board import Row, contender_of
from submissions.differences import Difference, difference, json_difference, table_differences
from submissions.publish import build_result
from submissions.result import Result, SystemFile, decode_result, decode_system, encode_result, encode_system
from submissions.samples import Evidence, read_evidence, sample_table
from submissions.store.base import PublishedFiles

# What a table of forged values may raise in code that trusts its input.
_FORGED = (CastboardError, ValueError, KeyError, ArithmeticError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the check of one row found."""

    differences: tuple[Difference, ...]
    """Every difference; none for a row that is what it says."""
    row: Row | None
    """The row for its board; None if there are differences."""
    evidence: Evidence | None
    """Its items, clips and readings; None if they cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rebuilt:
    """What could be made anew of one row."""

    differences: tuple[Difference, ...]
    """Differences inside single files."""
    result: bytes | None
    """The result file made anew; None if that was not possible."""
    row: Row | None
    """The same as a row of its board."""
    evidence: Evidence | None
    """What the scores were made of."""


def check_row(
    files: PublishedFiles, protocol_id: str, protocol: Protocol | None, submission: str, named_sha256: str | None
) -> Checked:
    """Make one committed row anew and compare.

    Args:
        files: the published files; the row's result exists.
        protocol_id: the protocol's id.
        protocol: its recipe; None if that file is damaged, and then only hashes are compared.
        submission: the row's submission.
        named_sha256: sha256 (hex) of the result by the leaderboard; None if that cannot be trusted.
    """
    result_path = layout.result_path(protocol_id, submission)
    published = files.read(result_path)
    sources = _read_sources(files, protocol_id, submission)
    actual = {path: sha256_of(data) for path, data in sources.items() if data is not None}
    missing = [difference(path, "file", "missing", "a file") for path, data in sources.items() if data is None]
    rebuilt = _rebuild(protocol_id, protocol, submission, sources, actual)
    blamed = list(_blame(result_path, published, rebuilt.result, named_sha256, actual))
    found = _attributed([*missing, *rebuilt.differences, *blamed], blamed)
    return Checked(differences=found, row=None if found else rebuilt.row, evidence=rebuilt.evidence)


def _read_sources(files: PublishedFiles, protocol_id: str, submission: str) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for path in layout.source_paths(protocol_id, submission):
        try:
            found[path] = files.read(path)
        except FileNotFoundError:
            found[path] = None
    return found


def _rebuild(
    protocol_id: str,
    protocol: Protocol | None,
    submission: str,
    sources: Mapping[str, bytes | None],
    actual: Mapping[str, str],
) -> _Rebuilt:
    _, system_path, samples_path, clips_path = layout.source_paths(protocol_id, submission)
    found: list[Difference] = []
    system = _system(system_path, submission, sources[system_path], found)
    evidence = _evidence(samples_path, sources[samples_path], found)
    heard = _heard(clips_path, sources[clips_path], found)
    if evidence is not None and heard is not None:
        found += _clip_differences(samples_path, evidence.clips, clips_path, heard)
    nothing = _Rebuilt(differences=tuple(found), result=None, row=None, evidence=evidence)
    if protocol is None or evidence is None:
        return nothing
    try:
        scored = score_submission(protocol, evidence.items, evidence.readings, evidence.declined)
        table = sample_table(protocol.dimensions, evidence, scored.samples)
        if system is None or len(actual) != len(sources):
            result = None
        else:
            result = build_result(protocol=protocol, system=system, items=evidence.items, scored=scored, files=actual)
    except _FORGED as error:
        found.append(difference(samples_path, "readings", f"cannot be scored: {error}", "readings that can"))
        return _Rebuilt(differences=tuple(found), result=None, row=None, evidence=evidence)
    published = parquet.decode_table(sources[samples_path] or b"", samples_path)
    found += table_differences(samples_path, published, table, "item_id")
    data = encode_result(result) if result else None
    composites = {sample.item_id: sample.composite_micro for sample in scored.samples}
    return _Rebuilt(
        differences=tuple(found),
        result=data,
        row=_row(result, data, composites),
        evidence=evidence,
    )


def _row(result: Result | None, data: bytes | None, composites: Mapping[ItemId, int]) -> Row | None:
    if result is None or data is None:
        return None
    contender = contender_of(result.submission, {str(item): micro for item, micro in composites.items()})
    return Row(result=result, results_sha256=sha256_of(data), contender=contender)


def _system(path: str, submission: str, data: bytes | None, found: list[Difference]) -> SystemFile | None:
    if data is None:
        return None
    try:
        system = decode_system(data, path)
    except SchemaError as error:
        found.append(difference(path, "file", _reason(error, path), "a readable system file"))
        return None
    canonical = encode_system(system)
    if canonical != data:
        found.append(json_difference(path, data, canonical))
    if system.submission != submission:
        found.append(difference(path, "submission", system.submission, submission))
        return None
    return system


def _evidence(path: str, data: bytes | None, found: list[Difference]) -> Evidence | None:
    if data is None:
        return None
    try:
        table = parquet.decode_table(data, path)
        evidence = read_evidence(table, path)
    except SchemaError as error:
        found.append(difference(path, "file", _reason(error, path), "a readable per-sample table"))
        return None
    if not parquet.is_sealed(data):
        found.append(difference(path, "seal", "changed after it was written", "the file as it was written"))
    return evidence


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
        found.append(difference(path, "file", _reason(error, path), "a readable file of clips"))
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


def _blame(
    result_path: str, published: bytes, rebuilt: bytes | None, named_sha256: str | None, actual: Mapping[str, str]
) -> Iterator[Difference]:
    if rebuilt is not None and published == rebuilt:
        return
    if rebuilt is not None and named_sha256 == sha256_of(rebuilt):
        yield json_difference(result_path, published, rebuilt)
        return
    try:
        recorded = decode_result(published, result_path).files
    except SchemaError as error:
        yield difference(result_path, "file", _reason(error, result_path), "a readable result")
        return
    moved = [path for path in actual if recorded.get(path) != actual[path]]
    for path in moved:
        yield difference(path, f"sha256, by {result_path}", actual[path], recorded.get(path, "not named"))
    is_named = named_sha256 in (None, sha256_of(published))
    if not moved and rebuilt is not None:
        yield json_difference(result_path, published, rebuilt)
    elif not is_named:
        yield difference(result_path, "sha256, by the leaderboard", sha256_of(published), named_sha256)


def _attributed(found: list[Difference], blamed: list[Difference]) -> tuple[Difference, ...]:
    """Return the differences of blamed files alone, if any of them has one: the others follow from these."""
    guilty = {one.path for one in blamed}
    return tuple(dict.fromkeys(one for one in found if not guilty or one.path in guilty or one.published == "missing"))


def _reason(error: SchemaError, path: str) -> str:
    return str(error).removeprefix(path).lstrip(":, ")
