"""One system as the API gives it: card, provenance, a row a protocol, its items, clips and a judge's replies."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import pyarrow as pa

from leaderboard.api.board_view import leaderboard_row, row_of
from leaderboard.api.models_samples import (
    Card,
    Cell,
    ClipAnswer,
    ClipPlace,
    DimensionCell,
    Origin,
    ReplyRow,
    SampleRow,
    SystemAnswer,
    SystemRow,
)
from leaderboard.api.params import RepliesParams, SamplesParams
from leaderboard.api.problems import refused
from leaderboard.context import Context
from leaderboard.pages.parts import clip_address
from leaderboard.published import Kept, file_revision
from leaderboard.query import address
from leaderboard.views import Board
from submissions import layout
from submissions.columns import CLIP, REQUESTED
from submissions.replies import decode_replies

N_KEPT = 24
"""Per-sample tables that are kept; about 2 MiB each."""
Gate = Literal["passed", "vetoed", "declined"]

_PLAIN = ("item_id", "tier", "split", "instruction", "script", "is_declined", "transcript", "wer", "passed_gate")
_FILTERED = frozenset(_PLAIN) - {"transcript"} | {"composite"}
"""Columns that items are chosen and ordered by, beside those of what was requested."""
_OF_DIMENSION = ("measured", "quantity", "desirability", "reason")
_CARD = tuple(Card.model_fields)
_ORIGIN = tuple(Origin.model_fields)
Line = Mapping[str, Any]


class Tables:
    """Per-sample tables and replies of published rows, kept until their files change."""

    def __init__(self, context: Context) -> None:
        """Read the files of a site."""
        self._context = context
        self._samples: Kept[pa.Table] = Kept(N_KEPT)
        self._replies: Kept[pa.Table] = Kept(4)

    def revision(self, board: Board, submission: str) -> str:
        """Return what changes whenever the tables of a row do."""
        paths = [layout.samples_path(board.protocol_id, submission), layout.result_path(board.protocol_id, submission)]
        if board.protocol.judge is not None:
            paths.append(layout.replies_path(board.protocol_id, submission))
        return "".join(file_revision(self._context.files, path) for path in paths)

    def samples(self, board: Board, submission: str) -> pa.Table:
        """Return a row's per-sample table.

        Raises:
            Refused: 404 if the system has no row on the board, or was withdrawn at this moment.
        """
        row_of(self._context, board, submission)
        key, files = (board.protocol_id, submission), self._context.files
        revision = self.revision(board, submission)
        try:
            return self._samples.get(key, revision, lambda: layout.read_samples(files, *key))
        except FileNotFoundError as error:
            raise refused(404, "system", "This system has just been taken off the board.", got=submission) from error

    def replies(self, board: Board, submission: str) -> pa.Table:
        """Return the replies about a row.

        Raises:
            Refused: 404 as `samples`, and if the protocol has no judge.
        """
        row_of(self._context, board, submission)
        if board.protocol.judge is None:
            what = "This protocol has no judge, so there are no replies."
            raise refused(404, "protocol", what, got=board.protocol_id)
        path = layout.replies_path(board.protocol_id, submission)
        revision = self.revision(board, submission)
        try:
            return self._replies.get(path, revision, lambda: decode_replies(self._context.files.read(path), path)[0])
        except FileNotFoundError as error:
            raise refused(404, "system", "This system has just been taken off the board.", got=submission) from error


def system(context: Context, submission: str) -> SystemAnswer:
    """Return one system.

    Raises:
        Refused: 404 if it is on no board.
    """
    boards = [board for board in context.published.boards() if board.row(submission) is not None]
    gone = refused(404, "submission", _absent(context, submission), got=submission)
    if not boards:
        raise gone
    try:
        file = layout.read_system(context.files, submission)
    except FileNotFoundError as error:  # withdrawn since the boards were read
        raise gone from error
    texts = {name: file.card.get(name) for name in _CARD if name != "open_weights"}
    is_open = file.card.get("open_weights")
    return SystemAnswer(
        submission=submission,
        card=Card(
            **{name: None if value in (None, "") else str(value) for name, value in texts.items()},
            open_weights=is_open if isinstance(is_open, bool) else None,
        ),
        provenance=Origin(**{name: getattr(file.provenance, name) for name in _ORIGIN}),
        rows=tuple(_system_row(context, board, submission) for board in boards),
        badge=f"/badge/{submission}.svg",
    )


def chosen_samples(board: Board, table: pa.Table, params: SamplesParams) -> pa.Table:
    """Return the items that are asked for, in the order asked for.

    Raises:
        Refused: 422 for a trait or a value that no item requests.
    """
    asked = [name for name in table.column_names if name in _FILTERED or name.startswith(REQUESTED)]
    lines = table.select(asked).to_pylist()
    _check_pick(board, lines, params)
    words = params.q.casefold().split()
    places = [at for at, line in enumerate(lines) if _is_chosen(line, params, words)]
    return table.take(pa.array(_ordered(lines, places, params.sort), pa.int64()))


def sample_row(line: Line, submission: str, dimensions: Sequence[str]) -> SampleRow:
    """Return one item.

    Args:
        line: a row of the per-sample table.
        submission: whose.
        dimensions: scored dimensions, in the protocol's order.
    """
    of_dimensions = {f"{part}_{name}" for part in _OF_DIMENSION for name in dimensions}
    told = {*_PLAIN, *CLIP, *of_dimensions, "composite"}
    readings: dict[str, Cell] = {
        name: value for name, value in line.items() if name not in told and not name.startswith(REQUESTED)
    }
    return SampleRow(
        **{name: line[name] for name in _PLAIN},
        composite=line["composite"],
        requested={name.removeprefix(REQUESTED): line[name] for name in line if name.startswith(REQUESTED)},
        clip=_place(line, submission),
        dimensions={
            name: DimensionCell(
                requested=line.get(REQUESTED + name), **{part: line[f"{part}_{name}"] for part in _OF_DIMENSION}
            )
            for name in dimensions
        },
        readings=readings,
    )


def _absent(context: Context, submission: str) -> str:
    return context.moderated.sentence(submission) or "No system of this id is on any board."


def clip(context: Context, tables: Tables, submission: str, item_id: str) -> ClipAnswer:
    """Return what a clip is and where.

    Raises:
        Refused: 404 if there is none.
    """
    board, row = context.published.home_of(submission, "")
    if row is None:
        raise refused(404, "submission", _absent(context, submission), got=submission)
    lines = tables.samples(board, submission)
    found = next((line for line in lines.to_pylist() if line["item_id"] == item_id), None)
    if found is None:
        raise refused(404, "item_id", "The corpus has no such item.", got=item_id)
    place = _place(found, submission)
    if place is None:
        raise refused(404, "item_id", "The system declined this item, so there is no clip.", got=item_id)
    return ClipAnswer(submission=submission, item_id=item_id, clip=place)


def chosen_replies(table: pa.Table, params: RepliesParams) -> pa.Table:
    """Return the replies that are asked for."""
    if not params.item:
        return table
    items = table["item_id"].to_pylist()
    return table.take(pa.array([at for at, item in enumerate(items) if item == params.item], pa.int64()))


def reply_row(line: Line) -> ReplyRow:
    """Return one reply."""
    return ReplyRow(**{name: line[name] for name in ReplyRow.model_fields})


def _system_row(context: Context, board: Board, submission: str) -> SystemRow:
    return SystemRow(
        protocol=board.protocol_id,
        protocol_name=board.protocol.name,
        n_systems=len(board.rows),
        row=leaderboard_row(row_of(context, board, submission)),
        per_sample=address("/api/v1/per-sample", protocol=board.protocol_id, system=submission),
        page=address("/system", id=submission, protocol=board.protocol_id),
    )


def _place(line: Line, submission: str) -> ClipPlace | None:
    if line["clip_sha256"] is None:
        return None
    sha256 = str(line["clip_sha256"])
    rest = {name: line[name] for name in CLIP if name != "clip_sha256"}
    return ClipPlace(sha256=sha256, address=clip_address(submission, line["item_id"], sha256), **rest)


def gate_of(line: Line) -> Gate:
    """Return how an item fared at the gate."""
    return "declined" if line["is_declined"] else "passed" if line["passed_gate"] else "vetoed"


def _check_pick(board: Board, lines: Sequence[Line], params: SamplesParams) -> None:
    traits = [name.removeprefix(REQUESTED) for name in (lines[0] if lines else ()) if name.startswith(REQUESTED)]
    if params.value and not params.trait:
        raise refused(422, "value", "It is a value of a trait.", allowed="together with trait", got=params.value)
    if not params.trait:
        return
    if params.trait not in traits:
        what = f"The items of protocol {board.protocol_id} request no such trait."
        raise refused(422, "trait", what, allowed=", ".join(traits), got=params.trait)
    values = sorted({str(line[REQUESTED + params.trait]) for line in lines})
    if params.value not in values:
        raise refused(422, "value", "No item requests it.", allowed=", ".join(values), got=params.value)


def _is_chosen(line: Line, params: SamplesParams, words: Sequence[str]) -> bool:
    text = f"{line['item_id']} {line['instruction']} {line['script']}".casefold()
    return (
        (not params.item or line["item_id"] == params.item)
        and (not params.trait or line[REQUESTED + params.trait] == params.value)
        and (not params.tier or line["tier"] == int(params.tier))
        and (not params.split or line["split"] == params.split)
        and (not params.gate or gate_of(line) == params.gate)
        and params.min <= line["composite"] <= params.max
        and all(word in text for word in words)
    )


def _ordered(lines: Sequence[Line], places: list[int], sort: str) -> list[int]:
    column = sort.removeprefix("-")
    if not column:
        return places
    sign = -1 if sort.startswith("-") else 1

    def key(at: int) -> float:
        value = lines[at][column]
        return math.inf if value is None else sign * float(value)

    return sorted(places, key=key)
