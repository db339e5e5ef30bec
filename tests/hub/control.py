"""Routes by which a test commands a double that runs as a process of its own."""

from dataclasses import fields

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.hub.failures import Failure, to_json
from tests.hub.people import User
from tests.hub.repos import Stale
from tests.hub.state import state_of

_SWITCHES = ("tree_page", "commits_page", "has_cdn", "multipart_bytes")


async def fail(request: Request) -> Response:
    """Plan a failure."""
    asked = await request.json()
    state_of(request).failures.plan(Failure(**{field.name: asked[field.name] for field in fields(Failure)}))
    return JSONResponse({})


async def calm(request: Request) -> Response:
    """Forget all failures."""
    state_of(request).failures.calm()
    return JSONResponse({})


async def down(request: Request) -> Response:
    """Be down."""
    state_of(request).failures.is_down = True
    return JSONResponse({})


async def seen(request: Request) -> Response:
    """Tell, or forget, the requests until now."""
    failures = state_of(request).failures
    if request.method == "DELETE":
        failures.forget_seen()
    return JSONResponse([to_json(one) for one in failures.seen()])


async def user(request: Request) -> Response:
    """Add an account."""
    asked = await request.json()
    token = asked.pop("token")
    asked["organisations"] = tuple(asked["organisations"])
    state_of(request).people.add(User(**asked), token)
    return JSONResponse({})


async def consent(request: Request) -> Response:
    """Say who consents."""
    state_of(request).people.consenting = (await request.json())["name"]
    return JSONResponse({})


async def switch(request: Request) -> Response:
    """Set a switch."""
    hub = state_of(request)
    for name, value in (await request.json()).items():
        if name not in _SWITCHES:
            return JSONResponse({"error": f"unknown switch {name}"}, 400)
        setattr(hub, name, value)
    return JSONResponse({})


async def repo(request: Request) -> Response:
    """Create a repo."""
    asked = await request.json()
    try:
        state_of(request).repos.create(asked["kind"], asked["id"], "double", private=asked["private"])
    except Stale:
        return JSONResponse({"error": "exists"}, 409)
    return JSONResponse({})


async def history(request: Request) -> Response:
    """Tell all commits with their paths."""
    asked = request.query_params
    found = state_of(request).repos.get(asked["kind"], asked["id"])
    if found is None:
        return JSONResponse({"error": "no such repo"}, 404)
    return JSONResponse([{"id": one.id, "title": one.title, "files": list(one.files)} for one in found.history()])


ROUTES = [
    Route("/_double/fail", fail, methods=["POST"]),
    Route("/_double/calm", calm, methods=["POST"]),
    Route("/_double/down", down, methods=["POST"]),
    Route("/_double/seen", seen, methods=["GET", "DELETE"]),
    Route("/_double/user", user, methods=["POST"]),
    Route("/_double/consent", consent, methods=["POST"]),
    Route("/_double/switch", switch, methods=["POST"]),
    Route("/_double/repo", repo, methods=["POST"]),
    Route("/_double/history", history),
]
