"""The public log of the operators' acts: what was done, when and why, and to nobody by name."""

from collections.abc import Sequence

from leaderboard import shell, words
from leaderboard.markup import Markup, el, join
from leaderboard.mirror import ROUTE
from leaderboard.pages.queue import age
from leaderboard.query import address
from submissions import layout
from submissions.moderation import Entry

HERE = "/log"


def build(entries: Sequence[Entry]) -> Markup:
    """Return the page, the last act first."""
    head = shell.title("Operators' log", words.LOG_LEAD)
    if not entries:
        return shell.page("page-log", join(head, el("p", words.LOG_EMPTY, cls="cb-note")), here=HERE)
    labels = ("What", "Submission", "Why", "When")
    heads = el("tr", *(shell.column(label) for label in labels))
    rows = (_row(entry) for entry in reversed(entries))
    table = el("table", el("thead", heads), el("tbody", *rows), cls="cb-table cb-queue", id="log-table")
    more = el(
        "p",
        words.LOG_NAMES,
        " ",
        el("a", "The same as a file", href=f"{ROUTE}/{layout.MODERATION}"),
        ", one act a line.",
        cls="cb-small",
    )
    return shell.page("page-log", join(head, shell.scroll_box(table, "Acts of the operators"), more), here=HERE)


def _row(entry: Entry) -> Markup:
    told = words.LOG_ACTS[entry.act]
    mark = el("span", told.label, cls=f"cb-state cb-{told.look}", data_tip=told.meaning, tabindex=0)
    what = (
        el("a", el("code", entry.submission), href=address("/queue", id=entry.submission))
        if entry.submission
        else el("span", "an account", cls="cb-soft")
    )
    return el("tr", el("td", mark), el("td", what), el("td", entry.reason, cls="cb-why"), el("td", age(entry.at)))
