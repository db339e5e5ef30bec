"""What a page gives away of itself: files of what it shows, a frame for other pages, a badge for a README. Pure."""

from typing import Any

from leaderboard import shell
from leaderboard.api.words import PREFIX
from leaderboard.markup import Markup, el, join
from leaderboard.query import Query, address, one
from leaderboard.views import Row

SITE_ADDRESS = "https://this-site"
"""Stands for the site's own address until the browser, which knows it, has put that in its place."""
EMBED = "embed"
_KINDS = {"csv": "CSV", "parquet": "Parquet", "": "JSON"}
_LOST = ("embed", "__theme")
"""What of an embedded page's address its whole page does not keep."""


def files(route: str, name: str, **state: Any) -> Markup:
    """Return the links to what is shown as CSV, parquet and JSON.

    Args:
        route: of the read API, for example "/leaderboard".
        name: what it is, for those who hear the page.
        state: query of the route; the browser keeps it in step with filters and order.
    """
    links = (
        el(
            "a",
            label,
            href=address(PREFIX + route, **state, format=kind),
            data_export=route,
            aria_label=f"{name}, {label}",
            download=bool(kind),
        )
        for kind, label in _KINDS.items()
    )
    return el("span", join(*links, by=" · "), cls="cb-export")


def aside() -> Markup:
    """Return the buttons that copy a page's address, and the frame that shows it in another page."""
    frame = el("button", "Embed", type="button", cls="cb-button cb-quiet", data_copy_embed=True)
    return join(shell.copy_link(), frame)


def is_embedded(asked: Query) -> bool:
    """Say whether a page is asked for to stand in another one."""
    return one(asked, EMBED) == "1"


def embedded(page: Markup, path: str, asked: Query) -> Markup:
    """Return a page as it stands in another one: compact, with a link to the whole."""
    whole = address(path, **{key: value for key, value in asked.items() if key not in _LOST and key.isidentifier()})
    link = el("a", "Open on Castboard", href=whole, target="_blank", rel="noopener")
    return el("div", page, el("p", link, cls="cb-embed-foot"), cls="cb cb-embed")


def badge(row: Row, protocol_id: str) -> Markup:
    """Return a system's badge with the Markdown that shows it in a README."""
    image = address(f"/badge/{row.submission}.svg", protocol=protocol_id)
    page = address("/system", id=row.submission, protocol=protocol_id)
    markdown = f"[![Castboard]({SITE_ADDRESS}{image})]({SITE_ADDRESS}{page})"
    return join(
        el("p", el("img", src=image, alt="Badge of this system", height=20)),
        el("pre", el("code", markdown, data_site_address=SITE_ADDRESS)),
    )
