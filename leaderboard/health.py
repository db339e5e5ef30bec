"""The route that tells machines how the site is; it waits for nothing and names no place, host or secret."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from leaderboard.status_keeper import StatusKeeper
from leaderboard.status_view import Status, to_json
from submissions.version import VERSION

ROUTE = "/healthz"
_DOWN = 503


def health_router(status: StatusKeeper[Status]) -> APIRouter:
    """Return the route; 200 while pages can be served, whatever else is wrong."""
    routes = APIRouter()

    @routes.api_route(ROUTE, methods=["GET", "HEAD"], include_in_schema=False)
    def healthz() -> JSONResponse:
        known = status.last()
        if known is None:  # it has just begun, or what it asks does not answer
            told: dict[str, object] = {"status": "degraded", "problems": ["not_known_yet"], "version": VERSION}
        else:
            told = to_json(known)
        code = 200 if known is None or known.can_serve else _DOWN
        return JSONResponse(told, status_code=code, headers={"Cache-Control": "no-store"})

    return routes
