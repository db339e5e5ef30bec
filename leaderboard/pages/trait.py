"""What stands behind one dimension of a board: its instrument's card, and all systems, measured and corrected."""

from collections.abc import Mapping, Sequence

from evaluation.cards import InstrumentCard
from evaluation.corrected import Corrected, CorrectedRate
from evaluation.summary import JudgedTable, Mean, Summary
from evaluation.traits import NATURALNESS, trait
from leaderboard import dimensions, display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import instrument_card
from leaderboard.pages.instrument_card import share
from leaderboard.query import address
from leaderboard.views import Board, Row

N_MOST = 100
"""Systems of the table; correcting a rate takes some milliseconds."""
CORRECTED_NOTE = (
    "Corrected: the hit rate that a system would have if its probe did not err, worked out from the card's own errors. "
    "It is derived and stands in no score; S stays as measured."
)


def shown(board: Board, name: str) -> tuple[Row, ...]:
    """Return the systems that the table of a dimension shows: best mean first, those without one last."""
    known = [(mean, row) for row in board.rows if (mean := row.means[name]) is not None]
    unknown = [row for row in board.rows if row.means[name] is None]
    best = sorted(known, key=lambda pair: -pair[0])
    return (*(row for _, row in best), *unknown)[:N_MOST]


def section(
    board: Board,
    name: str,
    *,
    card: InstrumentCard | None,
    rows: Sequence[Row],
    summaries: Mapping[str, Summary],
    corrected: Mapping[str, Mapping[str, Corrected]],
) -> Markup:
    """Return what stands behind one dimension of a board: what measures it, and every system in it.

    Args:
        board: the board.
        name: a dimension that the board scores.
        card: of its instrument, if there is one.
        rows: what `shown` gives.
        summaries: their figures, by submission.
        corrected: their corrected rates, by submission and trait; those that there are.
    """
    label = words.header(name).label
    about = el("h2", f"What measures {label.lower()}")
    return el(
        "section",
        el("div", about, instrument_card.body(board, name, card), cls="cb-panel cb-narrow", id="trait-card"),
        el("h2", f"{label}, as measured and as corrected"),
        el("p", dimensions.tip(board.protocol, name), cls="cb-small"),
        _table(board, name, rows, summaries, corrected),
        _notes(board, name, rows, has_card=card is not None),
        id="trait-facts",
    )


def _table(
    board: Board,
    name: str,
    rows: Sequence[Row],
    summaries: Mapping[str, Summary],
    corrected: Mapping[str, Mapping[str, Corrected]],
) -> Markup:
    heads = ["System", "Mean", "95 % interval", *_heads(board, name), "Clips"]
    head = el("tr", *(shell.column(text, "cb-num" if at else None) for at, text in enumerate(heads)))
    lines = [
        _line(board, name, row, summaries[row.submission], corrected.get(row.submission, {}).get(name))
        for row in rows
        if row.submission in summaries
    ]
    table = el("table", el("thead", head), el("tbody", *lines), cls="cb-table cb-trait-table", id="trait-table")
    return shell.scroll_box(table, f"Systems in {words.header(name).label.lower()}")


def _heads(board: Board, name: str) -> tuple[str, ...]:
    if dimensions.is_class(board.protocol, name):
        return ("Measured as requested", "Corrected")
    if dimensions.is_number(board.protocol, name):
        return (f"Mean absolute error, {trait(name).unit}",)
    if name in board.protocol.judged:
        return ("Score", "Anchor’s score", "Win / tie / loss", "Orders agree")
    return ()


def _line(board: Board, name: str, row: Row, summary: Summary, found: Corrected | None) -> Markup:
    mean = summary.overall.dimensions[name]
    link = el("a", row.name or row.submission, href=address("/system", id=row.submission, protocol=board.protocol_id))
    spread = display.interval(mean.interval.low, mean.interval.high) if mean.interval else display.DASH
    cells: list[Child] = [join(display.score(mean.mean), shell.bar(mean.mean)), spread]
    if dimensions.is_class(board.protocol, name):
        cells += [_hits(summary, name), corrected_rate(found.overall) if found else "no card"]
    elif dimensions.is_number(board.protocol, name):
        error = summary.traits[name].mean_error
        cells.append(display.DASH if error is None else f"{error:.1f}")
    elif name in board.protocol.judged:
        cells += judged_cells(summary.judged[name]) if name in summary.judged else [display.DASH] * 4
    cells.append(_clips(mean, "not judged" if name in board.protocol.judged else "gave nothing to read"))
    return el("tr", el("th", link, scope="row"), *(el("td", cell, cls="cb-num") for cell in cells))


def _clips(mean: Mean, without: str) -> Child:
    unread = el("small", f" {mean.n_unread} {without}") if mean.n_unread else None
    return join(str(mean.n_scored), unread)


def _hits(summary: Summary, name: str) -> str:
    table = summary.traits[name].confusion
    n = sum(sum(row.values()) for row in table.values())
    return display.percent(sum(row.get(value, 0) for value, row in table.items()) / n) if n else display.DASH


def corrected_rate(found: CorrectedRate) -> Markup:
    """Return a corrected rate with its interval, or why there is none."""
    if found.rate is None:
        return el("span", display.DASH, el("small", f" {found.reason}"), cls="cb-derived")
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return el("span", display.rate(found.rate, low, high), cls="cb-derived")


def judged_cells(table: JudgedTable) -> list[Child]:
    """Return score, anchor's score, wins / ties / losses and consistency, as text."""
    return [
        dimensions.judge_score(table.mean_score),
        dimensions.judge_score(table.mean_anchor_score),
        f"{table.n_wins} / {table.n_ties} / {table.n_losses}",
        share(table.consistent),
    ]


def _notes(board: Board, name: str, rows: Sequence[Row], *, has_card: bool) -> Markup:
    left = len(board.rows) - len(rows)
    cut = f"The first {len(rows)} of {len(board.rows)} systems by mean; a system's page has its own." if left else None
    derived = CORRECTED_NOTE if has_card and dimensions.is_class(board.protocol, name) else None
    wins = "Wins and losses are against the anchor's clip of the same item." if name in board.protocol.judged else None
    asked = None if name == NATURALNESS else "The mean is over all requested values; the system's page has each."
    return el("div", *(el("p", text) for text in (derived, wins, asked, cut) if text), cls="cb-note")
