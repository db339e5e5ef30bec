"""A whole HTML document around a page: what a browser needs to show it, and no script that is written into it. Pure."""

import re
from collections.abc import Sequence
from html import unescape

from leaderboard import shell, words
from leaderboard.feed_link import LINK
from leaderboard.look import Look, plotly_address
from leaderboard.markup import Markup, el, join

_TITLE = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_MOST = 120


def document(
    page: str, *, look: Look, scripts: Sequence[str] = (), styles: Sequence[str] = (), is_embedded: bool = False
) -> str:
    """Return the document of a page.

    Args:
        page: the page with its masthead, as `shell.page` makes it.
        look: styles and scripts.
        scripts: modules of the page without ".js"; "site" comes with every page.
        styles: its styles without ".css"; "base" comes with every page.
        is_embedded: whether it stands in another site's frame, without masthead and footer.
    """
    name = title(page)
    heading = words.SITE if name in ("", words.TAGLINE) else f"{name} · {words.SITE}"
    modules = ("site", "tell", "anchors", *scripts)
    head = join(
        Markup('<meta charset="utf-8">'),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("title", heading),
        el("meta", name="description", content=words.ABOUT),
        el("meta", property="og:title", content=heading),
        el("meta", property="og:description", content=words.ABOUT),
        LINK,
        el("script", src=look.address("theme.js")),
        *(el("link", rel="stylesheet", href=look.address(f"{style}.css")) for style in ("base", *styles)),
        *(el("script", type="module", src=look.address(f"{script}.js")) for script in modules),
    )
    scripted = el("noscript", el("p", words.NO_SCRIPT, cls="cb cb-small cb-scripts-off"))
    body = el("body", Markup(page), scripted, shell.footer(), live(), cls="cb-page", data_plotly=plotly_address())
    whole = el("html", el("head", head), body, lang="en", cls="cb-embedded" if is_embedded else None)
    return "<!doctype html>" + whole


def live() -> Markup:
    """Return the line in which scripts tell a screen reader what has changed."""
    return el("div", id="cb-live", cls="cb-vh", role="status", aria_live="polite")


def title(page: str) -> str:
    """Return the text of a page's heading, inert and cut; empty without one."""
    found = _TITLE.search(page)
    text = unescape(_TAG.sub("", found[1])).strip() if found else ""
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
