"""A system's badge: rank band, S and date as one small SVG that loads nothing and runs nothing. Pure."""

from leaderboard import display, words
from leaderboard.markup import Markup, el, join
from leaderboard.views import Board, Row

_HEIGHT_PX = 20
_SIDE_PX = 7
_INK, _KNOWN, _UNKNOWN = "#ffffff", "#0b6169", "#6a6a6a"
_LABEL = "#3a4046"
_FONT = "Verdana, DejaVu Sans, sans-serif"
_NARROW, _WIDE = set(" .,:;|'!iljtfI·–"), set("mwMW@%")


def badge(board: Board, row: Row | None) -> str:
    """Return the badge of a system; a grey one for a system that has no row.

    Args:
        board: its board.
        row: its row; None for a system that is unknown, withdrawn or hidden: the badge tells them not apart.
    """
    if row is None:
        return _svg("not on the board", _UNKNOWN)
    band = display.band(row.band.best, row.band.worst)
    parts = (f"rank {band} of {len(board.rows)}", f"S {display.score(row.score)}", display.day(row.received_at))
    return _svg(" · ".join(parts), _KNOWN)


def _svg(message: str, colour: str) -> Markup:
    left, right = _width_px(words.SITE) + 2 * _SIDE_PX, _width_px(message) + 2 * _SIDE_PX
    whole = left + right
    return el(
        "svg",
        el("title", f"{words.SITE}: {message}"),
        el("rect", width=left + _SIDE_PX, height=_HEIGHT_PX, rx=3, fill=_LABEL),
        el("rect", x=left, width=right, height=_HEIGHT_PX, rx=3, fill=colour),
        el("rect", x=left, width=_SIDE_PX, height=_HEIGHT_PX, fill=colour),
        join(_text(words.SITE, _SIDE_PX), _text(message, left + _SIDE_PX)),
        xmlns="http://www.w3.org/2000/svg",
        width=whole,
        height=_HEIGHT_PX,
        viewBox=f"0 0 {whole} {_HEIGHT_PX}",
        role="img",
        aria_label=f"{words.SITE}: {message}",
    )


def _text(text: str, x_px: int) -> Markup:
    return el(
        "text",
        text,
        x=x_px,
        y=14,
        fill=_INK,
        font_family=_FONT,
        font_size=11,
        textLength=_width_px(text),  # whatever font there is, it fits
        lengthAdjust="spacingAndGlyphs",
    )


def _width_px(text: str) -> int:
    """Return about how wide a text is in 11 px Verdana."""
    return round(sum(4.2 if sign in _NARROW else 9.6 if sign in _WIDE else 6.9 for sign in text))
