"""The read API as an application of its own, mounted at /api/v1.

Everything comes from published files, by way of the same kept views as the pages; nothing of a submission without a row
can be asked for. Under /api/v1 fields are only ever added.
"""

from fastapi import Depends, FastAPI, Request
from fastapi.responses import Response
from starlette.middleware.cors import CORSMiddleware

from leaderboard.api import board_routes, docs, system_routes, votes_routes
from leaderboard.api.answers import send
from leaderboard.api.problems import install, no_parameter_twice
from leaderboard.api.routes import WRONG
from leaderboard.api.system_view import Tables
from leaderboard.api.words import ABOUT, PREFIX
from leaderboard.context import Context


def build(context: Context) -> FastAPI:
    """Return the API of a site."""
    api = FastAPI(
        title="Castboard read API",
        version="1",
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        responses=WRONG,
        dependencies=[Depends(no_parameter_twice)],
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
    )
    api.add_middleware(
        CORSMiddleware, allow_origins=["*"], allow_methods=["GET", "HEAD"], allow_headers=["*"], max_age=86_400
    )
    install(api)
    tables = Tables(context)
    board_routes.add_catalogue(api, context)
    board_routes.add_boards(api, context)
    system_routes.add_systems(api, context, tables)
    system_routes.add_samples(api, context, tables)
    system_routes.add_replies(api, context, tables)
    votes_routes.add_votes(api, context)
    _add_descriptions(api)
    return api


def _add_descriptions(api: FastAPI) -> None:
    described: dict[str, bytes] = {}

    @api.api_route("/openapi.json", methods=["GET", "HEAD"], include_in_schema=False)
    def openapi(request: Request) -> Response:
        body = described.setdefault("openapi", docs.to_json(api.openapi()))
        return send(request, docs.revision(body), lambda: (body, {}))

    @api.api_route("/docs", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request) -> Response:
        body = described.setdefault("docs", docs.page(api.openapi()).encode())
        return send(request, docs.revision(body), lambda: (body, docs.HEADERS), media_type="text/html; charset=utf-8")
