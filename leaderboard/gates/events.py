"""Looks at what a page, or a program in its place, asks Gradio to do, before Gradio does.

Gradio answers a request that names no event, or brings too few values or a file that is not here, with an error of its
own insides.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.gates.answers import answer
from leaderboard.uploads import NotUploaded, accepted

NO_JSON = "The body must be a JSON object with a list “data”."
NO_EVENT = "There is no such event. Load the page again."
BAD_SESSION = "“session_hash” must be 1 to 64 letters, digits, hyphens and underscores."
NO_FILE = "The place of a file holds something else."
WRONG_ROUTE = "This event waits its turn: it must join the queue."
_EVENTS = re.compile(r"/gradio_api/(?:(?P<kind>run|call)/(?P<name>[\w-]+)|queue/join)/?")
_WORD = re.compile(r"[\w-]{1,64}")


class EventGate:
    """ASGI middleware before Gradio's own application; the bodies that it sees are small already."""

    def __init__(self, app: ASGIApp, *, blocks: Any, uploads: Path) -> None:
        """Stand before `app`.

        Args:
            app: Gradio's own application.
            blocks: the gr.Blocks whose events there are.
            uploads: folder that holds what was uploaded.
        """
        self._app = app
        self._blocks = blocks
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        asked = _EVENTS.fullmatch(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if asked is None:
            await self._app(scope, receive, send)
            return
        body = await _whole(receive)
        if body is None:  # whoever asked is gone
            return
        try:
            told = json.loads(body)
            wrong = self._wrong(asked["kind"], asked["name"], told)
            body = json.dumps(told).encode()
        except NotUploaded as error:
            wrong = str(error)
        except (ValueError, RecursionError):
            wrong = NO_JSON
        if wrong is not None:
            await answer(scope, 422, wrong)(scope, receive, send)
            return
        await self._app(scope, _again(body, receive), send)

    def _wrong(self, kind: str | None, name: str | None, told: Any) -> str | None:
        """Return what is wrong with a request; in one that is right, the files get the paths where they lie."""
        if not isinstance(told, dict) or not isinstance(told.get("data"), list):
            return NO_JSON
        session = told.get("session_hash")
        if (kind is None or session is not None) and not _is_word(session):
            return BAD_SESSION
        event = self._event(told.get("fn_index"), name)
        if event is None:
            return NO_EVENT
        if kind == "run" and event.queue:
            return WRONG_ROUTE
        wrong = _wrong_values(event, told) or _wrong_files(event, told["data"])
        if wrong is None:
            _place_files(told["data"], self._uploads)
        return wrong

    def _event(self, index: object, name: str | None) -> Any:
        events: Mapping[int, Any] = self._blocks.fns
        if index is None:
            return next((event for event in events.values() if name is not None and event.api_name == name), None)
        if isinstance(index, bool) or not isinstance(index, int):
            return None
        return events.get(index)


def _wrong_values(event: Any, told: Mapping[str, Any]) -> str | None:
    n_allowed = {len(event.inputs), sum(not block.skip_api for block in event.inputs)}
    if len(told["data"]) not in n_allowed:
        listed = " or ".join(str(number) for number in sorted(n_allowed))
        return f"“data” must have {listed} values, got {len(told['data'])}."
    for key in ("event_id", "oauth_token"):
        if not isinstance(told.get(key), str | None):
            return f"“{key}” must be a text."
    if not isinstance(told.get("trigger_id"), int | None):
        return "“trigger_id” must be a whole number."
    return None


def _wrong_files(event: Any, values: list[Any]) -> str | None:
    asked = event.inputs if len(values) == len(event.inputs) else [one for one in event.inputs if not one.skip_api]
    for block, value in zip(asked, values, strict=True):
        if block.get_block_name() != "file" or value is None:
            continue
        meta = value.get("meta") if isinstance(value, dict) else None
        if not isinstance(meta, dict) or meta.get("_type") != "gradio.FileData":
            return NO_FILE
    return None


def _place_files(values: list[Any], uploads: Path) -> None:
    """Put the whole path of every file among the values in the place of what its visitor knows it by.

    Raises:
        NotUploaded: one of them was not uploaded here, or is gone.
    """
    left: list[Any] = list(values)
    while left:
        one = left.pop()
        if isinstance(one, list):
            left += one
        elif isinstance(one, dict):
            left += one.values()
            if one.get("path") is not None:
                one["path"] = str(accepted(str(one["path"]), uploads))


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and _WORD.fullmatch(value) is not None


async def _whole(receive: Receive) -> bytes | None:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the whole body once more, then what comes after it."""
    is_given = False

    async def given() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return given
