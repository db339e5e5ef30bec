"""Lets uploads in one by one: few at a time, quick enough, no larger than they say, and only while there is room."""

import asyncio
import contextlib
import json
import logging
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from leaderboard.display import size
from leaderboard.gates.answers import answer
from leaderboard.gates.bodies import (
    BodyLimits,
    MeteredBody,
    is_upload,
    pass_metered,
    refused_by_length,
    say,
    told_length,
)
from leaderboard.gates.limits import WebLimits
from leaderboard.gates.parts import Parts
from leaderboard.gates.visitors import address_of
from leaderboard.uploads import named

log = logging.getLogger(__name__)

TOO_SLOW = "This upload came too slowly, or stopped. Send it again over a faster line."
NO_ROOM = "There is no room for another upload just now. Send yours again in an hour."


class UploadGate:
    """ASGI middleware that refuses uploads, with a sentence, before or while their bodies are read."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        folder: Path,
        zip_bytes: int,
        limits: WebLimits,
        is_behind_proxy: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Stand before `app`.

        Args:
            app: the site.
            folder: where uploads lie.
            zip_bytes: the largest zip that is taken.
            limits: how many, how fast, how much in all.
            is_behind_proxy: whether a proxy of ours names the visitors' addresses.
            clock: gives seconds that never go back.
        """
        self._app = app
        self._folder = folder
        self._zip_bytes = zip_bytes
        self._limits = limits
        self._is_behind_proxy = is_behind_proxy
        self._clock = clock
        self._coming: dict[MeteredBody, tuple[str, int]] = {}
        """Uploads on their way, with their visitor and the bytes that each may still bring at its begin."""
        self._body_limits = BodyLimits(
            n_bytes=zip_bytes + limits.upload_slack_bytes,
            most_s=limits.upload_most_s,
            stall_s=limits.upload_stall_s,
            too_large=f"This upload is larger than the {size(zip_bytes)} that a zip may have.",
            too_slow=TOO_SLOW,
            bytes_per_s=limits.upload_bytes_per_s,
            grace_s=limits.upload_grace_s,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] != "http" or not is_upload(scope):
            await self._app(scope, receive, send)
            return
        refused = refused_by_length(scope, self._body_limits)
        if refused is not None:
            await say(scope, refused, receive, send)
            return
        visitor = address_of(scope, is_behind_proxy=self._is_behind_proxy)
        told = told_length(scope)
        n_told = self._body_limits.n_bytes if told is None else told
        refusal = self._refusal(scope, visitor, n_told)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        parts = Parts(
            Headers(scope=scope).get("content-type", ""),
            n_files=self._limits.n_upload_files,
            header_bytes=self._limits.upload_header_bytes,
            file_bytes=self._zip_bytes,
            too_large=self._body_limits.too_large,
        )
        body = MeteredBody(receive, self._body_limits, look=parts.look, cuts_the_gone=True, clock=self._clock)
        self._coming[body] = (visitor, n_told)
        try:
            await pass_metered(self._app, scope, body, receive, _Renaming(send, self._folder))
        finally:
            del self._coming[body]

    def _refusal(self, scope: Scope, visitor: str, n_told: int) -> Response | None:
        limits, close = self._limits, {"Connection": "close"}
        mine = sum(whose == visitor for whose, _ in self._coming.values())
        if len(self._coming) >= limits.n_uploads or mine >= limits.n_uploads_visitor:
            n_coming, where = (mine, " from here") if mine >= limits.n_uploads_visitor else (len(self._coming), "")
            text = f"{n_coming} uploads are coming in{where} already. Send yours again in some minutes."
            return answer(scope, HTTPStatus.SERVICE_UNAVAILABLE, text, close | {"Retry-After": "120"})
        self._folder.mkdir(parents=True, exist_ok=True)
        remove_old(self._folder, older_than_s=limits.upload_kept_s)
        n_kept = sum(n_bytes for _, n_bytes, _ in _files(self._folder))
        n_due = sum(max(told - body.n_bytes, 0) for body, (_, told) in self._coming.items()) + n_told
        room = limits.room * self._zip_bytes
        is_full = n_kept + n_due > room + self._body_limits.n_bytes
        must_stay = limits.must_stay_free(self._zip_bytes)
        if is_full or shutil.disk_usage(self._folder).free - n_due < must_stay:
            return answer(scope, HTTPStatus.INSUFFICIENT_STORAGE, NO_ROOM, close | {"Retry-After": "3600"})
        return None


class _Renaming:
    """Sends the answer of one upload on, with what its visitor knows each file by in the place of its path."""

    def __init__(self, send: Send, folder: Path) -> None:
        self._send = send
        self._folder = folder
        self._begin: Message | None = None
        self._body = b""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == HTTPStatus.OK:
            self._begin = message
            return
        if self._begin is not None and message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if message.get("more_body", False):
                return
            body = json.dumps([named(path, self._folder) for path in json.loads(self._body)]).encode()
            MutableHeaders(scope=self._begin)["content-length"] = str(len(body))
            await self._send(self._begin)
            message = {**message, "body": body}
        await self._send(message)


def sweeping(folder: Path, limits: WebLimits) -> Callable[[Any], contextlib.AbstractAsyncContextManager[None]]:
    """Return what keeps removing old uploads of `folder` for as long as an application runs."""

    @contextlib.asynccontextmanager
    async def sweep(_: Any) -> AsyncIterator[None]:
        task = asyncio.create_task(_sweep(folder, limits))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    return sweep


async def _sweep(folder: Path, limits: WebLimits) -> None:
    while True:
        try:
            await asyncio.to_thread(remove_old, folder, older_than_s=limits.upload_kept_s)
        except OSError as error:  # the disk may mend; uploads are looked at again when one comes
            log.warning("uploads.not_swept", extra={"reason": error.strerror})
        await asyncio.sleep(limits.sweep_every_s)


def remove_old(folder: Path, *, older_than_s: float) -> None:
    """Remove uploads older than `older_than_s`, whole or broken off, from `folder`, and the folders of each."""
    now = time.time()
    for file, _, written_at in list(_files(folder)):
        if now - written_at > older_than_s:
            file.unlink(missing_ok=True)
            if file.parent != folder:
                with contextlib.suppress(OSError):  # another file lies there, or it is gone
                    file.parent.rmdir()


def _files(folder: Path) -> Iterator[tuple[Path, int, float]]:
    """Give each file below a folder with its size in bytes and the time of its last change, s."""
    for file in folder.rglob("*"):
        try:
            facts = file.lstat()
        except FileNotFoundError:
            continue
        if not file.is_dir():
            yield file, facts.st_size, facts.st_mtime
