"""What the judge said of a whole system, and what that took."""

from evaluation.summary import JudgedTable
from leaderboard import dimensions, display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages.instrument_card import share
from leaderboard.query import address
from leaderboard.views import Board, Detail, Row
from submissions.replies import JudgeUsage

_RULE = (
    "Every clip is heard beside the anchor's clip of the same item, in both orders. Only if both orders name the same "
    "winner is the verdict consistent; else it is a tie. Scores are the mean over both."
)


def section(board: Board, row: Row, detail: Detail) -> Markup | None:
    """Return the judge's part of a system's page: whom it compared with, how it decided, what it used."""
    recipe = board.protocol.judge
    if recipe is None:
        return None
    facts: list[tuple[str, Child]] = [
        ("Judge", recipe.model),
        ("Judges", ", ".join(words.header(name).label for name in board.protocol.judged)),
        ("Anchor", anchor_link(board)),
        ("Votes in each order", str(recipe.votes)),
        *_usage(row.judge_usage),
    ]
    own = (
        el("p", "This system is the anchor itself.", cls="cb-small")
        if row.submission == recipe.anchor.submission
        else None
    )
    return el(
        "section",
        el("h2", "The judge"),
        el("p", _RULE),
        own,
        _table(board, detail),
        shell.facts(facts),
        id="system-judge",
        cls="cb-narrow cb-judge",
    )


def anchor_link(board: Board) -> Markup:
    """Return the anchor's name, as a link if it has a row on this board."""
    recipe = board.protocol.judge
    if recipe is None:
        return join(display.DASH)
    anchor = recipe.anchor
    if board.row(anchor.submission) is None:
        return join(anchor.name, el("small", " has no row on this board"))
    return el("a", anchor.name, href=address("/system", id=anchor.submission, protocol=board.protocol_id))


def dimension(found: JudgedTable) -> Markup:
    """Return what the judge said of one dimension, against the anchor, in a few lines."""
    if not found.n_judged:
        return el("p", "No clip could be judged.", cls="cb-small")
    score = f"Score {dimensions.judge_score(found.mean_score)}, the anchor’s {display_score(found.mean_anchor_score)}."
    return join(
        el("p", score),
        outcome_bar(found),
        el("p", f"Both orders agree in {share(found.consistent)}.", cls="cb-small"),
    )


def display_score(value: float | None) -> str:
    """Return a judge's score without its scale: "2.57", or a dash."""
    return display.DASH if value is None else f"{value:.2f}"


def outcome_bar(found: JudgedTable) -> Markup:
    """Return wins, ties and losses against the anchor as a bar with its numbers."""
    parts = (("win", "better", found.n_wins), ("tie", "even", found.n_ties), ("loss", "worse", found.n_losses))
    pieces = [el("i", cls=f"cb-{look}", style=f"flex-grow:{n}") for look, _, n in parts if n]
    told = ", ".join(f"{n} {label}" for _, label, n in parts)
    bar = el("span", *pieces, cls="cb-outcomes", aria_hidden="true")
    return el("p", bar, el("small", f"Against the anchor: {told}"))


def _table(board: Board, detail: Detail) -> Markup:
    heads = ("Dimension", "Clips", "Score", "Anchor’s", "Better / even / worse", "Orders agree")
    head = el("tr", *(shell.column(text, "cb-num" if at else None) for at, text in enumerate(heads)))
    lines = []
    for name in board.protocol.judged:
        found = detail.summary.judged.get(name)
        if found is None:
            continue
        cells = (
            str(found.n_judged),
            display_score(found.mean_score),
            display_score(found.mean_anchor_score),
            f"{found.n_wins} / {found.n_ties} / {found.n_losses}",
            share(found.consistent),
        )
        label = el("th", el("a", words.header(name).label, href=f"#trait-{name}"), scope="row")
        lines.append(el("tr", label, *(el("td", text, cls="cb-num") for text in cells)))
    table = el("table", el("thead", head), el("tbody", *lines), cls="cb-table", id="judge-table")
    return shell.scroll_box(table, "The judge by dimension")


def _usage(usage: JudgeUsage | None) -> list[tuple[str, Child]]:
    if usage is None:
        return [("Usage", "not known")]
    again = f"; {usage.n_malformed} replies could not be used and were asked for again" if usage.n_malformed else ""
    tokens = f"{usage.input_tokens:,} in ({usage.audio_tokens:,} of them audio), {usage.output_tokens:,} out"
    cost = display.money(usage.cost_micro_usd)
    why = " (a price was not known)" if usage.cost_micro_usd is None else " at the prices of its day"
    return [
        ("Calls", f"{usage.n_calls:,}{again}"),
        ("Tokens", tokens),
        ("Cost", f"{cost}{why}"),
        ("Answered as", ", ".join(usage.models) or display.DASH),
    ]
