"""A system's versions over time: S with its interval, band, and whether each one beats the version before it. Pure."""

from leaderboard import display, shell, standings, words
from leaderboard.markup import Markup, el, join
from leaderboard.pages.why import interval_bar
from leaderboard.pages.why_link import why_link
from leaderboard.query import address
from leaderboard.views import Board, Row


def versions(board: Board, row: Row) -> Markup | None:
    """Return the table of all versions of a system that are on its board, oldest first; None if it is the only one."""
    chain = history(board, row)
    if len(chain) < 2:
        return None
    heads = ("Version", "Received", "Rank", "S", "95 % interval", "Against the one before")
    head = el("tr", *(shell.column(text, "cb-num" if 2 <= at <= 4 else None) for at, text in enumerate(heads)))
    befores = (None, *chain[:-1])
    lines = [_line(board, one, before, row) for one, before in zip(chain, befores, strict=True)]
    table = el("table", el("thead", head), el("tbody", *lines), cls="cb-table cb-bars", id="system-versions")
    return el("section", el("h2", "Versions over time"), shell.scroll_box(table, "Versions of the system"))


def history(board: Board, row: Row) -> tuple[Row, ...]:
    """Return the versions of a system that supersede each other, oldest first, `row` among them."""
    before: list[Row] = []
    step = board.row(row.supersedes) if row.supersedes else None
    while step is not None and step not in before:
        before.append(step)
        step = board.row(step.supersedes) if step.supersedes else None
    after: list[Row] = []
    later = {one.supersedes: one for one in board.rows if one.supersedes}
    step = later.get(row.submission)
    while step is not None and step not in after:
        after.append(step)
        step = later.get(step.submission)
    return (*reversed(before), row, *after)


def _line(board: Board, one: Row, before: Row | None, here: Row) -> Markup:
    name = el("a", one.name, href=address("/system", id=one.submission, protocol=board.protocol_id))
    score = why_link(display.score(one.score), board.protocol_id, one.submission, "score")
    low, high = one.score_low, one.score_high
    bar = interval_bar(one.score, low, high) if low is not None and high is not None else None
    band = why_link(display.band(one.band.best, one.band.worst), board.protocol_id, one.submission, "band")
    numbers = (band, score, join(display.interval(low, high), bar))
    return el(
        "tr",
        el("th", el("b", name) if one is here else name, scope="row"),
        el("td", display.day(one.received_at)),
        *(el("td", cell, cls="cb-num") for cell in numbers),
        el("td", _against(board, one, before)),
    )


def _against(board: Board, one: Row, before: Row | None) -> Markup | str:
    decision = standings.between(board.decisions, one.submission, before.submission) if before else None
    if before is None or decision is None:
        return display.DASH
    outcome = standings.outcome(decision, one.submission)
    glyph, verb = words.OUTCOMES[outcome]
    href = address("/matrix", protocol=board.protocol_id, a=one.submission, b=before.submission) + "#pair"
    return join(el("span", glyph, cls=f"cb-cell cb-{outcome}", aria_hidden="true"), " ", el("a", verb, href=href))
