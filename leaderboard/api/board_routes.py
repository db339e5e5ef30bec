"""Routes of what all systems share: protocols, systems, boards, decisions."""

from typing import Annotated, Any

import pyarrow as pa
from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import Response

from leaderboard.api import board_view
from leaderboard.api.answers import N_BODIES, Listed, send_list, send_record
from leaderboard.api.models import (
    DecisionsPage,
    IndexAnswer,
    LeaderboardPage,
    LeaderboardRow,
    ProtocolAnswer,
    ProtocolsAnswer,
    SystemsPage,
)
from leaderboard.api.params import DecisionsParams, LeaderboardParams, NoParams, SystemsParams
from leaderboard.api.routes import reads
from leaderboard.api.table_view import asked, revision_of, table_of
from leaderboard.api.words import PREFIX, ROUTES
from leaderboard.context import Context
from leaderboard.published import Kept
from leaderboard.table.export import cells
from leaderboard.table.lines import Line
from submissions.version import VERSION

Nothing = Annotated[NoParams, Query()]


def add_boards(api: FastAPI, context: Context) -> None:
    """Add boards and decisions."""
    bodies: Kept[Any] = Kept(N_BODIES)

    @reads(api, "/leaderboard", LeaderboardPage, is_list=True)
    def leaderboard(request: Request, params: Annotated[LeaderboardParams, Query()]) -> Response:
        board = board_view.board_of(context, params.protocol)

        def listed() -> Listed:
            found = asked(context, board, params)
            names = found.columns() if found.is_view else None
            fixed: dict[str, Any] = {"protocol": board.protocol_id, "n_systems": len(board.rows)}
            fixed |= {"part": found.state.part.key, "columns": names}

            def row_of(line: Line) -> LeaderboardRow:
                return board_view.leaderboard_row(line.row, None if names is None else cells(line, names))

            def table() -> pa.Table:
                if names is not None:
                    return table_of(found.lines, names)
                return board_view.leaderboard_table(board.protocol, [line.row for line in found.lines])

            return Listed(
                rows=found.lines,
                to_page=lambda page, more: LeaderboardPage(rows=tuple(map(row_of, page.rows)), **fixed, **more),
                to_table=table,
                name=f"castboard-{board.protocol_id}",
            )

        return send_list(request, params, revision_of(context, board, params), listed, kept=bodies)

    @reads(api, "/decisions", DecisionsPage, is_list=True)
    def decisions(request: Request, params: Annotated[DecisionsParams, Query()]) -> Response:
        board = board_view.board_of(context, params.protocol)

        def listed() -> Listed:
            found = board_view.chosen_decisions(context, board, params.a, params.b)
            return Listed(
                rows=found,
                to_page=lambda page, more: DecisionsPage(
                    protocol=board.protocol_id,
                    rows=tuple(board_view.decision_row(one) for one in page.rows),
                    **more,
                ),
                to_table=found.table,
                name=f"castboard-{board.protocol_id}-decisions",
            )

        return send_list(request, params, board.protocol_id + board.revision, listed, kept=bodies)


def add_catalogue(api: FastAPI, context: Context) -> None:
    """Add the index, protocols and the list of systems."""

    @reads(api, "/", IndexAnswer)
    def index(request: Request, _params: Nothing) -> Response:
        told = {PREFIX + path: one.summary for path, one in ROUTES.items()}
        return send_record(request, "", lambda: IndexAnswer(name="Castboard", version=VERSION, routes=told))

    @reads(api, "/protocols", ProtocolsAnswer)
    def protocols(request: Request, _params: Nothing) -> Response:
        return send_record(request, context.published.revision(), lambda: board_view.protocols(context))

    @reads(api, "/protocols/{protocol}", ProtocolAnswer)
    def protocol(
        request: Request,
        protocol: Annotated[str, Path(max_length=64, description="Id of the protocol.", examples=["00343e71819c"])],
        _params: Nothing,
    ) -> Response:
        board = board_view.board_of(context, protocol)
        return send_record(request, board.protocol_id + board.revision, lambda: board_view.protocol(context, protocol))

    @reads(api, "/systems", SystemsPage, is_list=True)
    def systems(request: Request, params: Annotated[SystemsParams, Query()]) -> Response:
        def listed() -> Listed:
            found = board_view.systems(context, params)
            return Listed(
                rows=found,
                to_page=lambda page, more: SystemsPage(rows=page.rows, **more),
                to_table=lambda: board_view.systems_table(found),
                name="castboard-systems",
            )

        return send_list(request, params, context.published.revision(), listed)
