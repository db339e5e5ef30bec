"""The files that pages look like and move by: our styles and scripts, and the figure library of its package.

They lie in `assets/look/` and are served under one hash of them all, so a page never meets a script of another
version, and a browser keeps each file for good.
"""

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import Response

from leaderboard.gates.headers import FOR_GOOD

FOLDER = Path(__file__).resolve().parent.parent / "assets" / "look"
ROUTE = "/look"
_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
_DIGITS = 16
_LEVEL = 9
_PLAIN = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LookFile:
    """One file as it is sent."""

    plain: bytes
    """Its bytes."""
    packed: bytes
    """The same through gzip."""
    media_type: str
    """What it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """All of them, and the hash that names this set."""

    digest: str
    """First hex digits of the sha256 over names and bytes."""
    files: Mapping[str, LookFile]
    """By name."""

    def address(self, name: str) -> str:
        """Return where a file is served.

        Raises:
            KeyError: for a name that is not in the folder.
        """
        if name not in self.files:
            raise KeyError(name)
        return f"{ROUTE}/{self.digest}/{name}"


@cache
def look() -> Look:
    """Return the files of this program; read once."""
    found = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir()) if path.suffix in _KINDS}
    whole = hashlib.sha256()
    for name, data in found.items():
        whole.update(f"{name}\0{len(data)}\0".encode() + data)
    return Look(
        digest=whole.hexdigest()[:_DIGITS],
        files={name: _file(name, data) for name, data in found.items()},
    )


def text(name: str) -> str:
    """Return a file of the folder as text."""
    return look().files[name].plain.decode()


def plotly_address() -> str:
    """Return where the figure library is served; its version is part of it."""
    return f"{ROUTE}/plotly-{version('plotly')}.min.js"


def router() -> APIRouter:
    """Return the routes of these files."""
    routes = APIRouter()

    @routes.api_route(plotly_address(), methods=["GET", "HEAD"], include_in_schema=False)
    def plotly(request: Request) -> Response:
        return _send(request, _plotly())

    @routes.api_route(ROUTE + "/{digest}/{name}", methods=["GET", "HEAD"], include_in_schema=False)
    def send(request: Request, digest: str, name: str) -> Response:
        known = look()
        # A page of an older version asks for files that are gone; another version's would not fit it.
        if digest != known.digest or name not in known.files:
            raise HTTPException(404, "This page is of an older version of the site; load it again.")
        return _send(request, known.files[name])

    return routes


@cache
def _plotly() -> LookFile:
    """Return the script that the plotly package brings along; its 1.4 MiB are packed once, when first asked for."""
    return _file("plotly.min.js", files("plotly").joinpath("package_data", "plotly.min.js").read_bytes())


def _file(name: str, data: bytes) -> LookFile:
    return LookFile(plain=data, packed=gzip.compress(data, _LEVEL, mtime=0), media_type=_KINDS[Path(name).suffix])


def _send(request: Request, file: LookFile) -> Response:
    headers = {"Cache-Control": FOR_GOOD, "Vary": "Accept-Encoding", **_PLAIN}
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.packed, media_type=file.media_type, headers={**headers, "Content-Encoding": "gzip"})
    return Response(file.plain, media_type=file.media_type, headers=headers)
