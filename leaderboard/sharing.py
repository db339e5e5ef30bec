"""What a page gives away of itself: files of what it shows, how to load and to cite it, a frame, a badge. Pure."""

import hashlib
import re
from html import unescape
from typing import Any

from leaderboard import citing, shell, snippets, words
from leaderboard.api.words import PREFIX
from leaderboard.markup import Markup, el, join
from leaderboard.query import Query, address, one
from leaderboard.snippets import SITE_ADDRESS
from leaderboard.stamps import Stamp
from leaderboard.views import Row

EMBED = "embed"
STAMP = "page-stamp"
"""Id of the part of every page that tells its versions and how to cite it."""
_KINDS = {"csv": "CSV", "parquet": "Parquet", "": "JSON"}
_LOST = ("embed", "__theme", "path")
"""What of an embedded page's address its whole page does not keep."""
_DIGITS = 10
_PINNED = re.compile(r'<div data-hub="([^"]*)"></div>')


def files(route: str, name: str, **state: Any) -> Markup:
    """Return the links to what is shown as CSV, parquet and JSON, and a program that loads exactly it.

    Args:
        route: of the read API, for example "/leaderboard".
        name: what it is, for those who hear the page.
        state: query of the route.
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
    return el("div", el("span", join(*links, by=" · "), cls="cb-export"), snippet(route, name, **state), cls="cb-share")


def snippet(route: str, name: str, **state: Any) -> Markup:
    """Return the program that loads what is shown, folded; arguments as of `files`.

    A board in a dataset repo gets a second one, once `pinned` knows its revision.
    """
    table = snippets.table_of(route, **state)
    return el(
        "details",
        el("summary", words.SNIPPET, el("span", f": {name}", cls="cb-vh")),
        _code(snippets.of_api(route, **state), name),
        el("div", data_hub=table) if table else None,
        cls="cb-snippet",
    )


def pinned(page: str, stamp: Stamp) -> str:
    """Return a page, or a part of one, whose programs also load the tables from the board's repo at its revision."""

    def load(found: re.Match[str]) -> str:
        text = snippets.of_dataset(unescape(found[1]), stamp)
        return el("div", el("p", words.SNIPPET_PINNED, cls="cb-small"), _code(text, found[1])) if text else ""

    return _PINNED.sub(load, page)


def _code(text: str, name: str) -> Markup:
    """Return a program with the button that copies it."""
    key = "code-" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_DIGITS]
    shown = el("code", text, id=key, data_site_address=SITE_ADDRESS)
    copy = el("button", "Copy", type="button", cls="cb-button cb-quiet", data_copy_text=key)
    return el("div", el("pre", shown, tabindex=0, role="region", aria_label=f"Program: {name}"), copy, cls="cb-code")


def aside() -> Markup:
    """Return the buttons that copy a page's address, cite it, and copy the frame that shows it in another page."""
    cite = el("a", words.CITE, href="#cite-bibtex", cls="cb-button cb-quiet", data_cite=True)
    frame = el("button", "Embed", type="button", cls="cb-button cb-quiet", data_copy_embed=True)
    return join(shell.copy_link(), cite, frame)


def stamp(known: Stamp, heading: str, here: str, *, site_url: str = "") -> Markup:
    """Return the last lines of a page: as of when it is, its versions, and how to cite it.

    Args:
        known: the state of the board.
        heading: of the page.
        here: address of the page within the site, state included.
        site_url: address that visitors know the site by; empty: the browser puts its own.
    """
    return el(
        "aside", versions(known), _cite(known, heading, here, site_url), id=STAMP, cls="cb-stamp", aria_label="Versions"
    )


def versions(known: Stamp) -> Markup:
    """Return the line that tells as of when a page is, and its versions."""
    newest = el("time", known.day, datetime=known.newest) if known.newest else "no row yet"
    revision = f"commit of {known.repo}" if known.repo else "of the two tables"
    parts = (
        join("As of ", newest),
        join("protocol ", known.protocol_name, " ", el("code", known.protocol_id)),
        join("revision ", el("code", known.short, title=f"{known.revision}, {revision}")) if known.revision else None,
        join("program ", el("code", known.code)),
    )
    return el("p", join(*(part for part in parts if part), by=" · "), cls="cb-small", title=words.STAMP_TIP)


def below_form(known: Stamp) -> Markup:
    """Return the same as the last line of a page with a form, which nobody cites."""
    return el("div", el("aside", versions(known), id=STAMP, cls="cb-stamp", aria_label="Versions"), cls="cb")


def _cite(known: Stamp, heading: str, here: str, site_url: str) -> Markup:
    url = (site_url or SITE_ADDRESS) + here
    entry, line = citing.bibtex(heading, url, known), citing.plain(heading, url, known)
    blocks = (_cited("BibTeX", "cite-bibtex", entry, url), _cited("Text", "cite-plain", line, url))
    return el("details", el("summary", words.CITE_PAGE), *blocks, id="cite", cls="cb-cite")


def _cited(label: str, key: str, text: str, url: str) -> Markup:
    code = el("code", text, id=key, data_site_address=SITE_ADDRESS, data_cited=url)
    copy = el("button", f"Copy {label}", type="button", cls="cb-button cb-quiet", data_copy_text=key)
    return el("div", el("pre", code, tabindex=0, role="region", aria_label=label), copy, cls="cb-code")


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
        _code(markdown, "Markdown of the badge"),
    )
