"""The whole matrix as one small picture, in which the shown window is marked and can be moved. Pure."""

import base64
import struct
import zlib

import numpy as np

from leaderboard import words
from leaderboard.markup import Markup, el
from leaderboard.pages.matrix_state import N_SHOWN, MatrixState
from leaderboard.why.grid import LOSS, WIN, Grid

_WIN_RGB, _LOSS_RGB = (74, 134, 196), (205, 125, 55)
_TIE, _WON, _LOST = 0, 1, 2


def overview(grid: Grid, state: MatrixState, first_row: int, first_column: int) -> Markup | None:
    """Return the picture of the whole matrix; None if the whole is in view anyway."""
    n = len(grid.keys)
    if n <= N_SHOWN:
        return None
    image = el("image", href=picture_address(grid), width=n, height=n, preserveAspectRatio="none", cls="cb-map-image")
    runs = [
        el("rect", x=one.first, y=one.first, width=one.n, height=one.n, cls="cb-map-run")
        for one in grid.clusters()
        if one.n > 1
    ]
    here = el(
        "rect",
        x=first_column,
        y=first_row,
        width=min(N_SHOWN, n),
        height=min(N_SHOWN, n),
        cls="cb-map-here",
        id="matrix-here",
    )
    svg = el(
        "svg",
        image,
        *runs,
        *_squares(state, n),
        here,
        viewBox=f"0 0 {n} {n}",
        aria_hidden="true",
        cls="cb-map",
        id="matrix-map",
        data_n=n,
        data_shown=N_SHOWN,
        data_href=state.address(cols=None, **{"from": None}),
    )
    place = (
        f"Rows {first_row + 1} to {min(first_row + N_SHOWN, n)}, columns {first_column + 1} to "
        f"{min(first_column + N_SHOWN, n)} of {n} are shown. "
    )
    return el("figure", svg, el("figcaption", place, words.MATRIX_MAP), cls="cb-map-figure")


def picture_address(grid: Grid) -> str:
    """Return the outcomes as a picture of one point a pair, as an address that holds the picture itself."""
    return "data:image/png;base64," + base64.b64encode(_png(grid)).decode()


def _png(grid: Grid) -> bytes:
    codes = np.full(grid.outcomes.shape, _TIE, dtype=np.uint8)
    codes[grid.outcomes == WIN] = _WON
    codes[grid.outcomes == LOSS] = _LOST
    n = len(codes)
    width = -(-n // 4)
    padded = np.zeros((n, width * 4), dtype=np.uint8)
    padded[:, :n] = codes
    quads = padded.reshape(n, width, 4)
    packed = quads[:, :, 0] << 6 | quads[:, :, 1] << 4 | quads[:, :, 2] << 2 | quads[:, :, 3]
    lines = np.zeros((n, width + 1), dtype=np.uint8)  # each line begins with its filter, none
    lines[:, 1:] = packed
    head = struct.pack(">IIBBBBB", n, n, 2, 3, 0, 0, 0)
    palette = bytes((0, 0, 0, *_WIN_RGB, *_LOSS_RGB))
    blocks = ((b"IHDR", head), (b"PLTE", palette), (b"tRNS", b"\x00"), (b"IDAT", zlib.compress(lines.tobytes(), 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_block(name, data) for name, data in (*blocks, (b"IEND", b"")))


def _block(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _squares(state: MatrixState, n: int) -> list[Markup]:
    """Return links over the picture, a window each: they move the window where no script runs."""
    starts = range(0, n, N_SHOWN)
    return [
        el(
            "a",
            el("rect", x=column, y=row, width=N_SHOWN, height=N_SHOWN, cls="cb-map-square"),
            href=state.address(**{"from": str(row), "cols": str(column)}),
            tabindex=-1,
        )
        for row in starts
        for column in starts
    ]
