"""One board, made anew from its rows, and what the whole check has found so far."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from evaluation.codec import sha256_of
from evaluation.errors import SchemaError
from evaluation.protocol import Protocol
from submissions import layout, parquet
from submissions.board import BoardTables, Row, board_tables
from submissions.differences import Difference, difference, table_differences
from submissions.recheck import check_row
from submissions.remake import is_judged
from submissions.remeasure import Candidate
from submissions.store.base import PublishedFiles


class Tally:
    """What has been found so far, over all boards."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.differences: list[Difference] = []
        self.notes: list[str] = []
        self.seen: set[str] = set()
        """Paths that belong to a recipe, a committed row or a board."""
        self.candidates: list[Candidate] = []
        """Clips of rows that are what they say."""
        self.n_rows = self.n_items = self.n_decisions = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Published:
    """One derived table as it was found."""

    path: str
    """Where it lies."""
    data: bytes | None
    """Its bytes; None if it is missing."""
    table: pa.Table | None
    """Its table; None if that cannot be read."""
    damage: tuple[Difference, ...]
    """Why it is not the file that was written."""


def check_board(files: PublishedFiles, protocol_id: str, protocol: Protocol | None, tally: Tally) -> None:
    """Make every row of a board anew, then the board, and note all differences in `tally`.

    Args:
        files: the published files.
        protocol_id: the board's protocol.
        protocol: its recipe; None if that file is damaged.
        tally: takes what is found.
    """
    leaderboard = _published(files, layout.leaderboard_path(protocol_id))
    decisions = _published(files, layout.decisions_path(protocol_id))
    tally.seen.update((leaderboard.path, decisions.path))
    before = len(tally.differences)
    if protocol is None and not files.paths(layout.protocol_path(protocol_id)):
        tally.differences.append(difference(layout.protocol_path(protocol_id), "file", "missing", "the board's recipe"))
    rows = list(_check_rows(files, protocol_id, protocol, _named_results(leaderboard), tally))
    if protocol is None or len(tally.differences) > before:
        tally.differences.extend([*leaderboard.damage, *decisions.damage])
        tally.notes.append(f"board/{protocol_id}: not made anew, because its sources are not what they were")
        return
    strangers = list(_other_items(rows))
    if strangers:
        tally.differences.extend(strangers)
        return
    anew = board_tables(protocol, rows)
    tally.n_decisions += anew.decisions.num_rows
    tally.differences.extend(_board_differences(leaderboard, decisions, anew))


def _check_rows(
    files: PublishedFiles, protocol_id: str, protocol: Protocol | None, named: dict[str, str], tally: Tally
) -> Iterator[Row]:
    submissions = layout.committed(files, protocol_id)
    for submission in sorted(set(named) - set(submissions)):
        path = layout.result_path(protocol_id, submission)
        tally.seen.update(_sources(files, protocol_id, protocol, submission))
        tally.differences.append(difference(path, "file", "missing", "the result that the leaderboard names"))
    for submission in submissions:
        tally.seen.update(_sources(files, protocol_id, protocol, submission))
        tally.seen.add(layout.result_path(protocol_id, submission))
        checked = check_row(files, protocol_id, protocol, submission, named.get(submission))
        tally.differences.extend(checked.differences)
        tally.n_rows += 1
        tally.n_items += len(checked.evidence.items) if checked.evidence else 0
        if checked.row is not None and checked.evidence is not None:
            tally.candidates += [
                Candidate(protocol_id=protocol_id, submission=submission, item_id=item)
                for item in checked.evidence.clips
            ]
            yield checked.row


def _sources(files: PublishedFiles, protocol_id: str, protocol: Protocol | None, submission: str) -> tuple[str, ...]:
    return layout.source_paths(protocol_id, submission, is_judged=is_judged(files, protocol_id, protocol, submission))


def _other_items(rows: Sequence[Row]) -> Iterator[Difference]:
    """Yield the rows that were scored on other items than most."""
    common = Counter(row.result.items_sha256 for row in rows).most_common(1)
    for row in rows:
        if row.result.items_sha256 != common[0][0]:
            path = layout.result_path(row.result.protocol, row.result.submission)
            yield difference(path, "items_sha256", row.result.items_sha256, f"{common[0][0]}, as most rows have")


def _published(files: PublishedFiles, path: str) -> _Published:
    try:
        data = files.read(path)
    except FileNotFoundError:
        missing = difference(path, "file", "missing", "a derived table; rebuild the board")
        return _Published(path=path, data=None, table=None, damage=(missing,))
    try:
        table = parquet.decode_table(data, path)
    except SchemaError as error:
        damage = difference(path, "file", str(error).removeprefix(f"{path}: "), "a readable table")
        return _Published(path=path, data=data, table=None, damage=(damage,))
    if parquet.is_sealed(data):
        return _Published(path=path, data=data, table=table, damage=())
    changed = difference(path, "seal", f"changed after it was written, sha256 {sha256_of(data)}", "as it was written")
    return _Published(path=path, data=data, table=table, damage=(changed,))


def _named_results(leaderboard: _Published) -> dict[str, str]:
    """Return the sha256 of every result that a trustworthy leaderboard names, by submission."""
    table = leaderboard.table
    if table is None or leaderboard.damage:
        return {}
    columns = ("submission", "results_sha256")
    if any(name not in table.column_names or table.schema.field(name).type != pa.string() for name in columns):
        return {}
    pairs = zip(*(table[name].to_pylist() for name in columns), strict=True)
    return {name: sha256 for name, sha256 in pairs if name and layout.is_name(name)}


def _board_differences(leaderboard: _Published, decisions: _Published, anew: BoardTables) -> Iterator[Difference]:
    tables = ((leaderboard, "submission", anew.leaderboard), (decisions, "challenger", anew.decisions))
    for published, key, should in tables:
        if published.table is not None:
            yield from table_differences(published.path, published.table, should, key)
        yield from published.damage
