"""What stands around every page: masthead with navigation, title block, controls that pages share."""

import re
from collections.abc import Sequence
from html import unescape

from leaderboard import display, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address
from leaderboard.redaction import clean
from leaderboard.views import Board

_TAG = re.compile(r"<[^>]*>")


def page(name: str, body: Markup, *, here: str, protocol: str = "") -> Markup:
    """Return a whole page but for its last line.

    Args:
        name: id of the page's main element, for example "page-board".
        body: its content.
        here: path of the page, to mark it in the navigation.
        protocol: protocol id that the navigation keeps; empty for none.
    """
    main = el("main", body, id=name, cls="cb-main", tabindex=-1)
    skip = el("a", "Skip to the content", href=f"#{name}", cls="cb-skip")
    return el("div", skip, masthead(here, protocol), main, cls="cb cb-ready")


def masthead(here: str, protocol: str = "") -> Markup:
    """Return the site's name and the navigation."""
    links = [
        el("a", label, href=_kept(path, protocol), aria_current="page" if path == here else None)
        for path, label in words.NAVIGATION.items()
    ]
    name = el("a", words.SITE, href=_kept("/", protocol), cls="cb-name")
    tag = el("span", words.TAGLINE, cls="cb-tag")
    return el("header", el("div", name, tag, cls="cb-brand"), el("nav", *links, aria_label="Pages"), cls="cb-head")


def footer() -> Markup:
    """Return the last line of every page."""
    line = el(
        "footer",
        "Every clip, transcript and measurement is published. ",
        el("a", "Check the numbers yourself", href="/method#verify"),
        ", or ",
        el("a", "read them by machine", href="/data"),
        ". ",
        el("a", words.TOUR_OFFER, href="/tour", data_tour=True),
        " · ",
        el("a", words.BLIND_TEST, href="/vote"),
        " · ",
        el("a", "Status", href="/status"),
        " · ",
        el("a", "Operators' log", href="/log"),
        " · ",
        el("button", "Light or dark", type="button", cls="cb-theme", data_theme_turn=True),
        cls="cb-foot",
    )
    return el("div", line, cls="cb")


def title(text: Child, lead: Child = None, *aside: Child) -> Markup:
    """Return a page's heading, one lead sentence, and what stands beside them."""
    words_part = el("div", el("h1", text), el("p", lead, cls="cb-lead") if lead else None)
    return el("div", words_part, el("div", *aside, cls="cb-aside") if aside else None, cls="cb-title")


def copy_link() -> Markup:
    """Return the button that copies the page's address, state included."""
    return el("button", "Copy link", type="button", cls="cb-button cb-quiet", data_copy_link=True)


def anchor(name: str, heading: Child, *, level: int = 2) -> Markup:
    """Return a heading with a button that copies the link to it.

    Args:
        name: id of what the link leads to: the section around the heading, or anything else that has one.
        heading: what it says.
        level: 2 or 3.
    """
    told = words.COPY_SECTION.format(section=_text(heading))
    button = el(
        "button", "#", type="button", cls="cb-anchor", data_copy_link=name, aria_label=told, title=words.COPY_LINK
    )
    return el("div", el(f"h{level}", heading), button, cls="cb-anchored")


def notice(text: Child, *, look: str = "plain", heading: str = "") -> Markup:
    """Return a boxed remark; `look` is plain, good, warn or bad. What an error says is told without keys and places."""
    text = clean(text) if isinstance(text, str) and not isinstance(text, Markup) else text
    head = el("strong", heading) if heading else None
    return el("div", head, el("div", text), cls=f"cb-notice cb-{look}", role="status" if look == "good" else None)


def protocol_choice(boards: Sequence[Board], here: str, chosen: str, *, system: str = "") -> Markup:
    """Return the links by which a reader changes protocol, by track if there are several; a plain label for one.

    Where `system` has a row, the page stays with it.
    """
    if len(boards) < 2:
        label = boards[0].protocol.name if boards else ""
        return el(
            "span", "Protocol ", el("b", label), cls="cb-protocol", title=boards[0].protocol_id if boards else None
        )
    tracks: dict[str, list[Markup]] = {}
    for board in boards:
        tracks.setdefault(board.protocol.track, []).append(_choice(board, here, chosen, system))
    if len(tracks) > 1:
        groups = (_choices(f"Track {track}", links) for track, links in tracks.items())
        return el("span", *groups, cls="cb-tracks", role="group", aria_label="Protocol, by track")
    (links,) = tracks.values()
    return _choices("Protocol", links)


def _choice(board: Board, here: str, chosen: str, system: str) -> Markup:
    kept = system if system and board.row(system) is not None else None
    return el(
        "a",
        board.protocol.name,
        " ",
        el("code", board.protocol_id[:6]),
        href=address(here, protocol=board.protocol_id, id=kept),
        aria_current="true" if board.protocol_id == chosen else None,
    )


def _choices(name: str, links: Sequence[Markup]) -> Markup:
    return el("span", el("span", name), *links, cls="cb-protocol", role="group", aria_label=name)


def outside_link(url: str, label: Child = None) -> Markup | None:
    """Return a submitter's link made harmless, or None if it is not a web address."""
    safe = display.web_address(url)
    return el("a", label or safe, href=safe, rel="noopener nofollow ugc", target="_blank") if safe else None


def linked(text: str) -> Markup:
    """Return a text whose web addresses are links, made harmless."""
    pieces: list[Child] = []
    for piece in text.split():
        address = piece.strip("();,.")
        link = outside_link(address)
        before, _, after = piece.partition(address)
        pieces.append(piece if link is None else join(before, link, after))
    return join(*pieces, by=" ")


def scroll_box(table: Markup, label: str) -> Markup:
    """Return a table in a box that scrolls by itself; reachable by keyboard."""
    return el("div", table, cls="cb-scroll", tabindex=0, role="region", aria_label=label)


def bar(value: float | None) -> Markup | None:
    """Return a thin bar for a value on [0, 1]; nothing for no value."""
    if value is None:
        return None
    return el("span", el("i", style=f"width:{min(max(value, 0.0), 1.0) * 100:.1f}%"), cls="cb-bar", aria_hidden="true")


def column(text: str, look: str | None = None, *, is_stop: bool = True) -> Markup:
    """Return the head of a table's column, with its sentence as a tip if words.py has one.

    Args:
        text: what stands in it.
        look: its class.
        is_stop: whether Tab stops there; not in a table that a page shows many times.
    """
    told = words.column(text) or None
    return el("th", text, scope="col", cls=look, data_tip=told, tabindex=0 if told and is_stop else None)


def facts(pairs: Sequence[tuple[str, Child]]) -> Markup:
    """Return labels with their values, as a definition list."""
    return el("dl", *(join(el("dt", label), el("dd", value)) for label, value in pairs), cls="cb-facts")


def _text(child: Child) -> str:
    """Return the text of a heading, without its markup."""
    return unescape(_TAG.sub("", child)) if isinstance(child, Markup) else str(child or "")


def _kept(path: str, protocol: str) -> str:
    return address(path, protocol=protocol)
