"""What a board page says around its table: the season, the notes below it, and what stands on an empty board."""

from leaderboard import dimensions, display, shell, words
from leaderboard.derived import Beside
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import instrument_card
from leaderboard.query import address
from leaderboard.views import Board

_SEASON = "Rows of different protocols never share a table."


def season(board: Board) -> Markup:
    """Return the line that says what a board's protocol measures, with what judge against what anchor."""
    name = join("Protocol ", el("b", board.protocol.name), ": ")
    return el("p", name, dimensions.season_line(board.protocol), f" {_SEASON}", cls="cb-season", id="season")


def below(board: Board, beside: Beside) -> Markup:
    """Return the notes below the table: bands, ceiling, people, what is not measured."""
    note = words.LONE_NOTE if len(board.rows) == 1 else words.BOARD_NOTE
    return el(
        "div",
        el("p", note),
        instrument_card.ceiling_note(beside.ceiling),
        _people(board, beside),
        _left_out(board),
        _unranked(),
        cls="cb-note",
    )


def _left_out(board: Board) -> Markup | None:
    left_out = board.protocol.not_measured
    if not left_out:
        return None
    reasons: list[tuple[str, Child]] = [(words.header(name).label, why) for name, why in left_out.items()]
    more = el("a", "More on the method page", href=address("/method", protocol=board.protocol_id) + "#not-measured")
    title = f"Not measured here: {', '.join(left_out)}. Why"
    return el("details", el("summary", title), shell.facts(reasons), el("p", more), id="left-out")


def _unranked() -> Markup:
    """Return why a system may have no row, or a row no value."""
    states: list[tuple[str, Child]] = [
        (state.label, state.meaning) for key, state in words.STATES.items() if key != "published"
    ]
    where = join(
        el("a", "The queue", href="/queue"),
        " says where each submission is and whose turn it is; ",
        el("a", "the operators’ log", href="/log"),
        " says what was hidden or withdrawn, and why.",
    )
    return el(
        "details",
        el("summary", words.UNRANKED_TITLE),
        el("p", words.UNRANKED_NOTE),
        shell.facts(states),
        el("p", where),
        el("p", words.UNRANKED_DASH),
        id="unranked",
    )


def _people(board: Board, beside: Beside) -> Markup | None:
    if board.protocol.judge is None or not dimensions.is_heard(board.protocol):
        return None
    if beside.people is None:
        return el("p", "Whether people would judge as the judge does has not been asked yet.", id="people")
    found = beside.people.overall.judge_accuracy
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    rate = display.rate(found.value, low, high) if found.value is not None else f"{display.DASH} ({found.reason})"
    told = f"The judge answers as most people do in {rate} of {display.count(found.n, 'comparison')}. "
    more = el("a", "More on people and the judge", href=address("/method", protocol=board.protocol_id) + "#people")
    return el("p", told, more, ".", id="people")


def empty(board: Board, coming: str) -> Markup:
    """Return what stands in place of a table without a row; `coming` tells of the first one."""
    steps = [el("li", el("b", name), el("span", text)) for name, text in words.EMPTY_STEPS]
    acts = el(
        "p",
        el("a", "Submit a system", href="/submit", cls="cb-button cb-strong"),
        el("a", "See what is running", href="/queue", cls="cb-button"),
    )
    promise = f"{board.protocol.corpus.n_items} items · {', '.join(board.protocol.dimensions)}"
    soon = join(coming, " ", el("a", "See the queue", href="/queue"), ".") if coming else None
    return el(
        "section",
        el("div", shell.notice(soon), id="board-coming") if soon else None,
        el("h2", words.EMPTY_TITLE),
        el("p", words.EMPTY_LEAD),
        el("ol", *steps),
        acts,
        el("p", promise, cls="cb-small"),
        id="board-empty",
        cls="cb-empty",
    )
