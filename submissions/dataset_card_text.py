"""The words of the dataset card: prose from `assets/dataset_card.md`, tables from the boards. Pure but for that."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Template

import pyarrow as pa

from submissions.card import TEXT_FIELDS
from submissions.column_meanings import TABLES, Table, meaning
from submissions.dataset_boards import Board
from submissions.dataset_card_front import SPLIT, config_name
from submissions.markdown import inert, link, table_row

TEMPLATE = Path(__file__).resolve().parent.parent / "assets" / "dataset_card.md"
_TO_FILL_IN = "org/name"
_N_OPEN = 40
"""Longer tables are folded away."""
_CHARS = {field.name: field.max_chars for field in TEXT_FIELDS}
_NAME_CHARS = 120
_WEIGHTS: Mapping[object, str] = {True: "open", False: "not open", None: ""}

_OPEN = """
```python
import io

import soundfile
from datasets import Audio, load_dataset

repo = "$repo"  # this repository, or a folder that holds a copy; revision="COMMIT" pins a state
board = load_dataset(repo, "leaderboard", split="$split")
"""
_OPEN_PAIRS = """decisions = load_dataset(repo, "decisions", split="$split")
"""
_OPEN_ROWS = """
# Rows of a system follow each other, systems in the order of their ids, each with every item.
rows = load_dataset(repo, "per_sample", split="$split")
systems = sorted(board["submission"])
rows = rows.add_column("submission", [systems[i * len(systems) // len(rows)] for i in range(len(rows))])

# Clips are large: stream them, or take one system's. Audio() decodes too, where `datasets[audio]` is installed.
clips = load_dataset(repo, "clips", split="$split", streaming=True).cast_column("flac", Audio(decode=False))
samples, rate_hz = soundfile.read(io.BytesIO(next(iter(clips))["flac"]["bytes"]))
one = load_dataset(repo, data_files="clips/$submission.parquet", split="train")
"""
_FENCE = "```\n"


def body(boards: Sequence[Board], shared: Sequence[Table], columns: Mapping[Table, pa.Schema], repo: str | None) -> str:
    """Return the card below its front matter.

    Args:
        boards: all boards, the newest protocol first.
        shared: tables that belong to no board; none without a row.
        columns: the schema of each table of the newest board.
        repo: dataset repo that the commands name, "org/name"; None: they name a place to fill in.
    """
    named = repo or _TO_FILL_IN
    return _template().substitute(
        counts=_counts(boards),
        configurations=_lines(_configurations(boards, shared)).rstrip(),
        repo=named,
        open=_open(boards, named),
        protocols=_lines(map(_protocol, boards)).rstrip(),
        constants=_constants(boards),
        systems=_systems(boards).rstrip(),
        columns="\n".join(_columns(table, schema) for table, schema in columns.items()),
        citation=_citation(boards),
    )


@cache
def _template() -> Template:
    return Template(TEMPLATE.read_text(encoding="utf-8"))


def _counts(boards: Sequence[Board]) -> str:
    n_systems = len({row["submission"] for board in boards for row in board.rows})
    if not n_systems:
        return "No system has a row yet."
    return f"So far {n_systems:,} submission{'s have' if n_systems > 1 else ' has'} a row."


def _configurations(boards: Sequence[Board], shared: Sequence[Table]) -> list[str]:
    lines = [
        table_row(f"`{config_name(table, board, is_newest=place == 0)}`", TABLES[table], f"`{board.protocol_id}`")
        for place, board in enumerate(boards)
        for table, _ in board.tables()
    ]
    return lines + [table_row(f"`{table}`", TABLES[table], "any") for table in shared]


def _open(boards: Sequence[Board], repo: str) -> str:
    if not boards or not boards[0].rows:
        return "\nNo table has a row yet.\n"
    rows = boards[0].rows
    text = _OPEN + (_OPEN_PAIRS if len(rows) > 1 else "") + _OPEN_ROWS + _FENCE
    submission = min(str(row["submission"]) for row in rows)
    return Template(text).substitute(split=SPLIT, submission=submission, repo=repo) + "\n"


def _protocol(board: Board) -> str:
    protocol = board.protocol
    judge = inert(protocol.judge.model, max_chars=_NAME_CHARS) if protocol.judge else "none"
    return table_row(
        f"`{board.protocol_id}`",
        inert(protocol.name, max_chars=_NAME_CHARS),
        inert(f"{protocol.corpus.title()}, {protocol.corpus.n_items:,} items", max_chars=2 * _NAME_CHARS),
        inert(", ".join(protocol.dimensions), max_chars=2 * _NAME_CHARS),
        judge,
        f"{board.n_rows:,}",
    )


def _constants(boards: Sequence[Board]) -> str:
    if not boards:
        return ""
    held = boards[0].protocol.constants
    return (
        f" ({held.n_resamples:,} resamples; the bound is the {held.alpha * 100:g}th percentile, the margin "
        f"{held.margin_floor:g}, or {held.margin_slope:g} of what the lower score lacks to 1 if that is more)"
    )


def _systems(boards: Sequence[Board]) -> str:
    rows = {str(row["submission"]): row for board in reversed(boards) for row in board.rows}
    if not rows:
        return "No system has a row yet."
    ordered = sorted(rows.values(), key=lambda row: (str(row["system"]).casefold(), str(row["submission"])))
    lines = [
        table_row(
            link(str(row["system"] or ""), str(row["link"] or ""), max_chars=_CHARS["system"]),
            *(inert(str(row[name] or ""), max_chars=_CHARS[name]) for name in ("version", "organisation", "licence")),
            _WEIGHTS[row["open_weights"]],
            f"`{row['submission']}`",
        )
        for row in ordered
    ]
    head = "| system | version | maker | licence | weights | submission |\n|---|---|---|---|---|---|\n"
    table = head + _lines(lines)
    return _folded(f"All {len(lines):,} systems", table) if len(lines) > _N_OPEN else table


def _columns(table: Table, schema: pa.Schema) -> str:
    lines = [table_row(f"`{field.name}`", str(field.type), _meaning(table, field.name)) for field in schema]
    return _folded(f"{table}: {TABLES[table]}", "| column | type | meaning |\n|---|---|---|\n" + _lines(lines))


def _meaning(table: Table, column: str) -> str:
    try:
        return meaning(table, column)
    except KeyError:  # a board that a newer program wrote
        return ""


def _citation(boards: Sequence[Board]) -> str:
    last = max((str(row["received_at"]) for board in boards for row in board.rows), default="")
    fields = [
        "title  = {Castboard: a leaderboard of text-to-speech that follows instructions}",
        "author = {{The Castboard authors}}",
        *([f"year   = {{{last[:4]}}}"] if last[:4].isdecimal() else []),
        f"note   = {{Protocol {boards[0].protocol_id}; commit COMMIT of the dataset}}" if boards else "note   = {}",
    ]
    return "@misc{castboard,\n  " + ",\n  ".join(fields) + "\n}"


def _folded(title: str, table: str) -> str:
    # Markdown inside HTML is read as such only between blank lines.
    return f"<details>\n<summary>{title}</summary>\n\n{table}\n</details>\n"


def _lines(rows: "Sequence[str] | map[str]") -> str:
    return "".join(f"{row}\n" for row in rows)
