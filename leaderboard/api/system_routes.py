"""Routes of one system: its card and rows, its items, its clips, a judge's replies."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import pyarrow as pa
from fastapi import FastAPI, Path, Query, Request
from fastapi.responses import Response

from leaderboard.api import board_view, system_view
from leaderboard.api.answers import Listed, send_list, send_record
from leaderboard.api.models_samples import ClipAnswer, RepliesPage, SamplesPage, SystemAnswer
from leaderboard.api.paging import Paged
from leaderboard.api.params import NoParams, RepliesParams, SamplesParams
from leaderboard.api.routes import reads
from leaderboard.api.system_view import Tables
from leaderboard.context import Context

Nothing = Annotated[NoParams, Query()]
Submission = Annotated[str, Path(max_length=64, description="Id of the submission.", examples=["s00000000001"])]


def add_samples(api: FastAPI, context: Context, tables: Tables) -> None:
    """Add the items of a system."""

    @reads(api, "/per-sample", SamplesPage, is_list=True)
    def per_sample(request: Request, params: Annotated[SamplesParams, Query()]) -> Response:
        board = board_view.board_of(context, params.protocol)
        dimensions = board.protocol.dimensions

        def to_page(table: pa.Table, page: Paged[int], more: Mapping[str, Any]) -> SamplesPage:
            lines = table.take(pa.array(page.rows, pa.int64())).to_pylist()
            rows = tuple(system_view.sample_row(line, params.system, dimensions) for line in lines)
            return SamplesPage(protocol=board.protocol_id, system=params.system, rows=rows, **more)

        def listed() -> Listed:
            table = system_view.chosen_samples(board, tables.samples(board, params.system), params)
            return Listed(
                rows=range(table.num_rows),
                to_page=partial(to_page, table),
                to_table=lambda: table,
                name=f"castboard-{board.protocol_id}-{params.system}",
            )

        return send_list(request, params, board.protocol_id + tables.revision(board, params.system), listed)


def add_replies(api: FastAPI, context: Context, tables: Tables) -> None:
    """Add the replies of a judge."""

    @reads(api, "/replies", RepliesPage, is_list=True)
    def replies(request: Request, params: Annotated[RepliesParams, Query()]) -> Response:
        board = board_view.board_of(context, params.protocol)

        def listed() -> Listed:
            table = system_view.chosen_replies(tables.replies(board, params.system), params)
            return Listed(
                rows=table.to_pylist(),
                to_page=lambda page, more: RepliesPage(
                    protocol=board.protocol_id,
                    system=params.system,
                    rows=tuple(system_view.reply_row(line) for line in page.rows),
                    **more,
                ),
                to_table=lambda: table,
                name=f"castboard-{board.protocol_id}-{params.system}-replies",
            )

        return send_list(request, params, board.protocol_id + tables.revision(board, params.system), listed)


def add_systems(api: FastAPI, context: Context, tables: Tables) -> None:
    """Add one system and one clip."""

    @reads(api, "/systems/{submission}", SystemAnswer)
    def system(request: Request, submission: Submission, _params: Nothing) -> Response:
        return send_record(request, context.published.revision(), lambda: system_view.system(context, submission))

    @reads(api, "/clips/{submission}/{item_id}", ClipAnswer)
    def clip(
        request: Request,
        submission: Submission,
        item_id: Annotated[str, Path(max_length=64, description="Id of the item.", examples=["vb-00007"])],
        _params: Nothing,
    ) -> Response:
        found = system_view.clip(context, tables, submission, item_id)
        return send_record(request, found.clip.sha256, lambda: found)
