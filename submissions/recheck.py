"""One committed row, made anew from its own published files; finds which of them is not what it was.

A result names the sha256 of its sources and the leaderboard names the sha256 of the result. If a
source and the hash disagree, one of the two was changed: where the result is still the one that the
leaderboard names, it was the source; where the result made anew is, it was the result.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from evaluation.codec import sha256_of
from evaluation.errors import SchemaError
from evaluation.protocol import Protocol
from submissions import layout
from submissions.board import Row
from submissions.differences import Difference, difference, json_difference
from submissions.evidence import Evidence
from submissions.remake import reason, remake
from submissions.result import decode_result
from submissions.store.base import PublishedFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What the check of one row found."""

    differences: tuple[Difference, ...]
    """Every difference; none for a row that is what it says."""
    row: Row | None
    """The row for its board; None if there are differences."""
    evidence: Evidence | None
    """Its items, clips and readings; None if they cannot be read."""


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
    path = layout.result_path(protocol_id, submission)
    published = files.read(path)
    remade = remake(files, protocol_id, protocol, submission)
    blamed = list(_blame(path, published, remade.result, named_sha256, remade.hashes))
    found = _attributed([*remade.differences, *blamed], blamed, path)
    return Checked(differences=found, row=None if found else remade.row, evidence=remade.evidence)


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
        yield difference(result_path, "file", reason(error, result_path), "a readable result")
        return
    moved = [path for path in actual if recorded.get(path) != actual[path]]
    for path in moved:
        yield difference(path, f"sha256, by {result_path}", actual[path], recorded.get(path, "not named"))
    is_named = named_sha256 in (None, sha256_of(published))
    if not moved and rebuilt is not None:
        yield json_difference(result_path, published, rebuilt)
    elif not is_named:
        yield difference(result_path, "sha256, by the leaderboard", sha256_of(published), named_sha256)


def _attributed(found: list[Difference], blamed: list[Difference], result_path: str) -> tuple[Difference, ...]:
    """Return the differences of blamed sources alone, if any of them has one: the others follow from these.

    Where the result alone is blamed, its sources are those that it names, so what they say against each other stays.
    """
    guilty = {one.path for one in blamed} - {result_path}
    return tuple(dict.fromkeys(one for one in found if not guilty or one.path in guilty or one.published == "missing"))
