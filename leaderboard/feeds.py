"""The feed: an item a row that came, with the decisions that it brought, and one a row that went. RSS; pure.

A decision between two systems never changes by a third one's coming, so what changes decisions is a row that comes,
comes again with another result, or goes. An item's id holds the hash of its row's result: a row that is made anew is a
new item, and the same row is the same item for ever.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from email.utils import format_datetime
from xml.etree import ElementTree

from leaderboard import display, standings, words
from leaderboard.arrivals import Arrival, Departure
from leaderboard.moderated import ROUTE as LOG
from leaderboard.query import address
from submissions.moderation import Entry

FEED = "/feed.xml"
N_ITEMS = 100
"""Newest items that the feed holds."""
N_NAMED = 8
"""Systems of each outcome that an item names."""
_ACTS = {"hidden": "Hidden by the operator", "unhidden": "Back on the board"}
_ATOM = "http://www.w3.org/2005/Atom"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ABOUT = (
    "New rows of the board and the decisions that they bring. A decision between two systems does not change by a "
    "third; a row that is evaluated anew comes again as a new item, and what is hidden or taken back is told with the "
    "reason."
)


def feed(
    arrived: Sequence[Arrival],
    *,
    acts: Sequence[Entry] = (),
    gone: Sequence[Departure] = (),
    site: str,
    here: str,
) -> bytes:
    """Return the feed.

    Args:
        arrived: rows with their times, newest first.
        acts: the public log; what was hidden or shown again has items too.
        gone: what makers took back.
        site: address of the site, without a slash at the end.
        here: path and query of the feed itself.
    """
    ElementTree.register_namespace("atom", _ATOM)
    root = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(root, "channel")
    _add(channel, "title", words.SITE)
    _add(channel, "link", site + "/")
    _add(channel, "description", _ABOUT)
    _add(channel, "language", "en")
    itself = {"href": site + here, "rel": "self", "type": "application/rss+xml"}
    ElementTree.SubElement(channel, f"{{{_ATOM}}}link", itself)
    told_acts = [act for act in acts if act.act in _ACTS]
    places = {(one.board.protocol_id, one.row.submission): at for at, one in enumerate(arrived)}
    items: list[Arrival | Departure | Entry] = [*arrived, *gone, *told_acts]
    newest = sorted(items, key=lambda one: one.at, reverse=True)[:N_ITEMS]
    if newest:
        _add(channel, "lastBuildDate", _date(newest[0].at))
    for one in newest:
        if isinstance(one, Arrival):
            later = arrived[places[one.board.protocol_id, one.row.submission] + 1 :]
            _item(channel, one, earlier={(old.board.protocol_id, old.row.submission) for old in later}, site=site)
        elif isinstance(one, Departure):
            _gone(channel, one, site=site)
        else:
            _act(channel, one, site=site)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def told(one: Arrival, earlier: set[tuple[str, str]]) -> str:
    """Return what an item tells, as HTML in which names are escaped.

    Args:
        one: the row.
        earlier: protocol and submission of each row that was there before it.
    """
    board, row = one.board, one.row
    band = display.band(row.band.best, row.band.worst)
    head = (
        f"Rank {band} of {len(board.rows)} under protocol {display.escape(board.protocol.name)} {board.protocol_id}. "
        f"S {display.score(row.score)}, 95 % interval {display.interval(row.score_low, row.score_high)}."
    )
    groups: dict[str, list[str]] = {"win": [], "tie": [], "loss": []}
    for other in board.rows:
        decision = standings.between(board.decisions, row.submission, other.submission)
        if decision is not None and (board.protocol_id, other.submission) in earlier:
            groups[standings.outcome(decision, row.submission)].append(other.name or other.submission)
    said = {"win": "Wins against", "tie": "Ties with", "loss": "Loses to"}
    lines = [f"{said[kind]} {_listed(names)}." for kind, names in groups.items() if names]
    brought = "Decisions made anew: " if one.is_anew else "Decisions that it brings: "
    return f"<p>{head}</p>" + (f"<p>{brought}{' '.join(lines)}</p>" if lines else "")


def _item(channel: ElementTree.Element, one: Arrival, *, earlier: set[tuple[str, str]], site: str) -> None:
    board, row = one.board, one.row
    item = ElementTree.SubElement(channel, "item")
    name = (row.name or row.submission).replace("<", "‹").replace(">", "›")  # readers differ in what a title is
    anew = " evaluated anew" if one.is_anew else ""
    band = display.band(row.band.best, row.band.worst)
    _add(item, "title", f"{name}{anew}: rank {band} of {len(board.rows)}, S {display.score(row.score)}")
    _add(item, "link", site + address("/system", id=row.submission, protocol=board.protocol_id))
    guid = _add(item, "guid", f"castboard:{board.protocol_id}:{row.submission}:{row.results_sha256[:16]}")
    guid.set("isPermaLink", "false")
    _add(item, "pubDate", _date(one.at))
    _add(item, "category", board.protocol.name)
    _add(item, "description", told(one, earlier))


def _gone(channel: ElementTree.Element, one: Departure, *, site: str) -> None:
    item = ElementTree.SubElement(channel, "item")
    _add(item, "title", f"Taken back by its maker: {one.submission}")
    _add(item, "link", site + address("/queue", id=one.submission))
    _add(item, "guid", f"castboard:{one.submission}:withdrawn:{one.at}").set("isPermaLink", "false")
    _add(item, "pubDate", _date(one.at))
    _add(item, "description", f"<p>{display.escape(one.reason)}</p>")


def _act(channel: ElementTree.Element, act: Entry, *, site: str) -> None:
    item = ElementTree.SubElement(channel, "item")
    _add(item, "title", f"{_ACTS[act.act]}: {act.submission}")
    _add(item, "link", site + LOG)
    _add(item, "guid", f"castboard:log:{act.source}").set("isPermaLink", "false")
    _add(item, "pubDate", _date(act.at))
    _add(item, "description", f"<p>{display.escape(act.reason)}</p>")


def _listed(names: Sequence[str]) -> str:
    more = len(names) - N_NAMED
    shown = ", ".join(display.escape(name) for name in names[:N_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def _add(parent: ElementTree.Element, tag: str, text: str) -> ElementTree.Element:
    found = ElementTree.SubElement(parent, tag)
    found.text = _NOT_XML.sub("\ufffd", text)
    return found


def _date(stamp: str) -> str:
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        moment = datetime.fromtimestamp(0, UTC)
    return format_datetime(moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC), usegmt=True)
