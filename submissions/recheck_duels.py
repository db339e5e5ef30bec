"""A committed duel, made anew from both rows and the judge's raw replies; names where it is not what it says."""

from collections.abc import Collection, Iterator

from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, SchemaError
from evaluation.protocol import Protocol
from submissions import layout, parquet
from submissions.differences import Difference, difference, json_difference, table_differences
from submissions.duel_contest import Contest, contest, made_of
from submissions.duels import Duel, decode_duel, encode_duel, without_anchor
from submissions.remake import foreign_differences
from submissions.replies import decode_replies
from submissions.store.base import PublishedFiles

EMBEDDED = "embedded"
"""The only judge of a duel beside a board whose protocol has none."""
# What a table of forged values may raise in code that trusts its input.
_FORGED = (CastboardError, ValueError, KeyError, ArithmeticError)


def duel_differences(
    files: PublishedFiles, path: str, protocol: Protocol, damaged: Collection[str]
) -> Iterator[Difference]:
    """Yield everything in which a duel is not what follows from its sources.

    Args:
        files: the published files.
        path: the duel's JSON file.
        protocol: beside whose board it stands.
        damaged: paths that differ anyway; a duel of such a row is not made anew, and its hash of it is not blamed.
    """
    published = files.read(path)
    try:
        duel = decode_duel(published, path)
    except SchemaError as error:
        yield difference(path, "file", str(error).removeprefix(f"{path}: "), "a readable duel")
        return
    canonical = encode_duel(duel)
    if canonical != published:
        yield json_difference(path, published, canonical)
        return
    wrong = _misplaced(path, duel, protocol)
    if wrong is not None:
        yield wrong
        return
    sources = [layout.samples_path(protocol.id, name) for name in (duel.a, duel.b)]
    if not set(sources).isdisjoint(damaged):
        return
    yield from _against_replies(files, path, published, duel, protocol)


def _misplaced(path: str, duel: Duel, protocol: Protocol) -> Difference | None:
    if duel.protocol != protocol.id:
        return difference(path, "protocol", duel.protocol, protocol.id)
    name = f"{duel.a}--{duel.b}"
    if not path.endswith(f"/{name}.json") or duel.a >= duel.b:
        return difference(path, "a, b", name, "the two that the file is named after, sorted")
    if protocol.judge is not None and duel.recipe != without_anchor(protocol.judge):
        return difference(path, "recipe", duel.recipe, without_anchor(protocol.judge))
    if protocol.judge is None and duel.recipe.backend != EMBEDDED:
        return difference(path, "recipe.backend", duel.recipe.backend, f"{EMBEDDED}, for the protocol has no judge")
    return None


def _against_replies(
    files: PublishedFiles, path: str, published: bytes, duel: Duel, protocol: Protocol
) -> Iterator[Difference]:
    replies_path = layout.duel_replies_path(protocol.id, duel.a, duel.b)
    try:
        data = files.read(replies_path)
    except FileNotFoundError:
        yield difference(replies_path, "file", "missing", "a file")
        return
    try:
        table, replies = decode_replies(data, replies_path)
    except SchemaError as error:
        yield difference(replies_path, "file", str(error).removeprefix(f"{replies_path}: "), "a table of replies")
        return
    if not parquet.is_sealed(data):
        yield difference(replies_path, "seal", "changed after it was written", "the file as it was written")
        return
    yield from foreign_differences(replies_path, duel.recipe, replies)
    named = duel.files.get(replies_path, "not named")
    if named != sha256_of(data):
        yield difference(replies_path, f"sha256, by {path}", sha256_of(data), named)
        return
    try:
        match: Contest = contest(files, protocol, duel.recipe, duel.a, duel.b)
        made, anew = made_of(match, replies)
    except _FORGED as error:
        yield difference(path, "file", f"cannot be made anew: {error}", "a duel of two rows of the board")
        return
    yield from table_differences(replies_path, table, parquet.decode_table(anew, replies_path), "item_id")
    if encode_duel(made.duel) != published:
        yield json_difference(path, published, encode_duel(made.duel))
