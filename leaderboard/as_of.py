"""The notice above a board that may be old because the hub cannot be reached; nothing where all is well."""

from datetime import UTC, datetime

from leaderboard import shell
from leaderboard.markup import Markup
from submissions.store.base import StoreHealth

_MAIN = "<main "
_END = "</main>"


def sentence(health: StoreHealth) -> str | None:
    """Return how old what is shown may be, or None if it is the newest."""
    if health.is_reachable:
        return None
    as_of = moment(health.as_of)
    told = f"this is the board as of {as_of}" if as_of else "this is the last copy of the board that is kept here"
    return f"The Hub cannot be reached; {told}. What is published meanwhile appears when it answers again."


def above(page: str, health: StoreHealth) -> str:
    """Return a page with the notice above its content, if there is one."""
    told = sentence(health)
    if told is None:
        return page
    notice = Markup(shell.notice(told, look="warn").replace("<div ", '<div id="as-of" ', 1))
    return page.replace(_MAIN, notice + _MAIN, 1)  # a submitter's text has no such sign that is not escaped


def below(page: str, stamp: Markup) -> str:
    """Return a page with its stamp as the last lines of its content."""
    head, end, rest = page.rpartition(_END)
    return head + stamp + end + rest if end else page


def moment(when: datetime | None) -> str:
    """Return a time as "12:03 UTC" if it is of today, with its date if not; empty for None."""
    if when is None:
        return ""
    there = when.astimezone(UTC)
    is_today = there.date() == datetime.now(UTC).date()
    return f"{there:%H:%M} UTC" if is_today else f"{there:%Y-%m-%d %H:%M} UTC"
