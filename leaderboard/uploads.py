"""What a visitor uploads: how much of it may lie here, and that nothing else is ever taken for an upload.

A browser names the file that a form holds by its path on this machine. Gradio checks such a path in apps that it
launched itself, not in mounted ones, and fetches a web address that stands in the place of a path. Both are shut here.
"""

import shutil
import time
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from evaluation.errors import CastboardError

UPLOAD_PATH = "/gradio_api/upload"
KEPT_S = 3600.0
"""So long an upload waits for a button to be pressed, s."""
N_AT_ONCE = 16
"""So many uploads come in side by side."""
ROOM = 4
"""So many of the largest zips may lie here at a time, and half as much stays free on the disk."""


class NotUploaded(CastboardError):
    """A form holds a file that nobody uploaded here, or that is gone again."""


def accepted(path: str, folder: Path) -> Path:
    """Return the uploaded file that a form names.

    Args:
        path: as the browser sent it; anything.
        folder: where uploads lie.

    Raises:
        NotUploaded: it is not a plain file of that folder.
    """
    root = folder.resolve()
    try:
        file = Path(path).resolve()
        is_ours = file.is_relative_to(root) and file.is_file()
    except (OSError, ValueError):  # a name that no file can have
        is_ours = False
    if not is_ours:
        raise NotUploaded("This file is not here, or no longer: an upload is kept for an hour. Choose the zip again.")
    return file


def seal(blocks: Any) -> None:
    """Let every part of a gr.Blocks take files out of the upload folder alone, and every handler through the queue.

    Args:
        blocks: the whole site, complete.
    """
    for block in blocks.blocks.values():
        block.async_move_resource_to_block_cache = _Taker(Path(block.GRADIO_CACHE))
    blocks.has_launched = True  # Gradio's own check of paths asks for it
    blocks.queue(api_open=False, max_size=64)


class _Taker:
    """Stands where Gradio would copy any file, or fetch any address, that a browser names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __call__(self, path: str | Path | None) -> str | None:
        return None if path is None else str(accepted(str(path), self._folder))


class UploadGate:
    """ASGI middleware that refuses uploads, with a sentence, while there are too many of them or the disk is full."""

    def __init__(self, app: ASGIApp, *, folder: Path, zip_bytes: int) -> None:
        """Stand before `app`.

        Args:
            app: the site.
            folder: where uploads lie; what is old there is removed.
            zip_bytes: the largest zip that is taken.
        """
        self._app = app
        self._folder = folder
        self._zip_bytes = zip_bytes
        self._n_coming = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] != "http" or scope["path"].rstrip("/") != UPLOAD_PATH:
            await self._app(scope, receive, send)
            return
        refusal = self._refusal()
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._n_coming += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._n_coming -= 1

    def _refusal(self) -> PlainTextResponse | None:
        if self._n_coming >= N_AT_ONCE:
            text = f"{N_AT_ONCE} uploads are coming in already. Send yours again in some minutes."
            return PlainTextResponse(text, HTTPStatus.SERVICE_UNAVAILABLE, headers={"Retry-After": "120"})
        self._folder.mkdir(parents=True, exist_ok=True)
        remove_old(self._folder, older_than_s=KEPT_S)
        n_kept = sum(size for _, size, _ in _files(self._folder))
        if n_kept > ROOM * self._zip_bytes or shutil.disk_usage(self._folder).free < ROOM * self._zip_bytes // 2:
            text = "There is no room for another upload just now. Send yours again in an hour."
            return PlainTextResponse(text, HTTPStatus.INSUFFICIENT_STORAGE, headers={"Retry-After": "3600"})
        return None


def remove_old(folder: Path, *, older_than_s: float) -> None:
    """Remove uploads that have lain in `folder` for longer than `older_than_s`, whole or broken off."""
    now = time.time()
    for file, _, written_at in list(_files(folder)):
        if now - written_at > older_than_s:
            file.unlink(missing_ok=True)


def _files(folder: Path) -> Iterator[tuple[Path, int, float]]:
    """Give each file below a folder with its size in bytes and the time of its last change, s."""
    for file in folder.rglob("*"):
        try:
            facts = file.lstat()
        except FileNotFoundError:
            continue
        if not file.is_dir():
            yield file, facts.st_size, facts.st_mtime
