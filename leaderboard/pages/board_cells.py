"""One row of the board as HTML: a number with its interval, a rank band with what would move it, and who the system is.

Cells are the many small things of a page, so each is made once for a revision and kept; what is not ours goes through
`el`, and with it through the only escape.
"""

from evaluation.records import RankBand
from leaderboard import display, words
from leaderboard.derive.needs import Needs
from leaderboard.derive.records import Slice
from leaderboard.markup import Markup, el, join
from leaderboard.pages import parts
from leaderboard.pages.matrix_state import HERE as MATRIX
from leaderboard.pages.why_link import why_address
from leaderboard.query import address
from leaderboard.table.amounts import size_shown
from leaderboard.table.lines import Line, Lines
from leaderboard.views import Row

PERCENT = frozenset({"gate", "coverage"})
_ANCHOR = "the judge hears every clip beside this system's clip of the same item"


def cell(lines: Lines, line: Line, column: str, *, protocol: str, anchor: str = "") -> str:
    """Return one cell of a board of that protocol id; `anchor` is the submission that a judge compares with, if any."""
    key = (line.row.submission, column)
    found = lines.made.get(key)
    if found is None:
        found = lines.made[key] = _made(lines, line, column, protocol, is_anchor=line.row.submission == anchor)
    return found


def band_note(needs: Needs) -> tuple[str, ...]:
    """Return what a band rests on and which gain would do what, in few words: "ties with 3", "+0.021 beats one".

    Without a tie, the gain told is the one that would tie with a system above; without one above, there is none.
    """
    if needs.ties:
        ties = f"ties with {len(needs.ties)}"
        return (ties, f"+{display.gain(needs.nearest_win.change)} beats one") if needs.nearest_win else (ties,)
    if needs.nearest_tie is not None:
        return "ties with none", f"+{display.gain(needs.nearest_tie.change)} ties one"
    return ("beats all others",) if needs.n_beats else ("no other yet",)


def interval_bar(value: float, spread: tuple[float, float] | None) -> Markup:
    """Return a value from 0 to 1 as a thin bar, with a whisker from end to end of its interval."""
    ends = "" if spread is None else f";--l:{spread[0] * 100:.1f};--h:{spread[1] * 100:.1f}"
    look = "cb-iv" if spread else "cb-iv cb-no-whisker"
    return el("i", cls=look, style=f"--v:{value * 100:.1f}{ends}", aria_hidden="true")


def score_cell(row: Row) -> Markup:
    """Return S with its interval, as text and as a point on a line from 0 to 1; a dash if there is none."""
    if row.score is None:
        return el("span", display.DASH, cls="cb-score-in")
    low = row.score if row.score_low is None else row.score_low
    high = row.score if row.score_high is None else row.score_high
    line = el(
        "span",
        el("i", style=f"left:{low * 100:.1f}%;right:{(1 - high) * 100:.1f}%"),
        el("b", style=f"left:{row.score * 100:.1f}%"),
        cls="cb-range",
        aria_hidden="true",
    )
    spread = el("small", display.interval(row.score_low, row.score_high))
    return el("span", el("strong", display.score(row.score)), spread, line, cls="cb-score-in")


def shown(column: str, value: float) -> str:
    """Return a value of a column of numbers from 0 to 1 as text."""
    return display.percent(value) if column in PERCENT else display.score(value)


def _made(lines: Lines, line: Line, column: str, protocol: str, *, is_anchor: bool) -> str:
    if column == "system":
        return _system(line, is_anchor=is_anchor)
    if column == "band":
        href = why_address(protocol, line.row.submission, column)
        return _band(line.row.band, lines.needs(line) if line.here is None else None, column, href)
    if column == "here":
        if line.here is None:
            return _plain("here", display.DASH)
        return _band(line.here, lines.needs(line), column, _matrix_row(lines.part, line.row.submission, protocol))
    if column in ("licence", "organisation", "style", "date", "size", "judge"):
        return _told(line, column)
    return _number(lines, line, column, protocol)


def _matrix_row(part: Slice, submission: str, protocol: str) -> str:
    """Return where the decisions stand that leave a rank open on a part of the evidence."""
    tier = None if part.tier is None else str(part.tier)
    return address(MATRIX, protocol=protocol, trait=part.trait, tier=tier, split=part.split, a=submission)


def _number(lines: Lines, line: Line, column: str, protocol: str) -> str:
    value = line.values.get(column)
    if value is None or isinstance(value, str):
        return f'<td class="cb-n cb-{column}">{display.DASH}</td>'
    spread = line.spreads.get(column)
    told = f"<small>{_ends(column, spread)}</small>" if spread else ""
    best = ""
    if column in line.best and column != "score":
        best = el(
            "em",
            el("span", "★", aria_hidden="true"),
            el("span", "best: ", cls="cb-vh"),
            title=words.BEST_TIP,
        )
    bar, inside = interval_bar(value, spread), shown(column, value)
    if column != "adherence":
        href = why_address(protocol, line.row.submission, column, tier=lines.part.tier, split=lines.part.split)
        # One stop of the Tab key a row; an open row leads to the others.
        inside = el("a", inside, href=href, tabindex=None if column == "score" else -1)
    if column == "score":
        return f'<td class="cb-n cb-score">{told} <b>{inside}</b>{bar}</td>'
    return f'<td class="cb-n cb-{column}">{best}<b>{inside}</b>{told}{bar}</td>'


def _ends(column: str, spread: tuple[float, float]) -> str:
    low, high = spread
    if column in PERCENT:
        return f"{display.percent(low)} to {display.percent(high)}"
    return f"{low:.3f} to {high:.3f}"


def _band(band: RankBand, needs: Needs | None, column: str, href: str) -> str:
    is_best = needs is not None and band.worst == 1 and needs.n_beats > 0
    best = el("em", "best", title=words.BEST_TIP) if is_best else ""
    note = join(*(el("span", text) for text in band_note(needs)), by=" ") if needs is not None else ""
    ranks = el("a", display.band(band.best, band.worst), href=href, tabindex=-1)
    return f'<td class="cb-band cb-{column}"><b>{ranks}</b>{best}{note}</td>'


def _system(line: Line, *, is_anchor: bool) -> str:
    row = line.row
    name = row.name or row.submission
    opens = el(
        "button",
        type="submit",
        name="row",
        value=row.submission,
        cls="cb-opens",
        id=f"open-{row.submission}",
        aria_expanded="false",
        aria_label=f"Details of {name}",
    )
    pick = el("input", type="checkbox", value=row.submission, aria_label=f"Pick {name} for listening", data_pick=True)
    link = el("a", row.system or row.submission, href=address("/system", id=row.submission))
    version = el("span", row.version, cls="cb-version") if row.version else None
    mark = el("span", "anchor", cls="cb-chip cb-plain", title=_ANCHOR) if is_anchor else None
    maker = el("span", row.organisation) if row.organisation else None
    is_open = el("span", "open weights") if row.is_open else None
    under = join(maker, is_open, mark, parts.superseded(row), by=" ")
    inside = el("span", link, " ", version, el("small", under, cls="cb-by") if under else None)
    return el("th", el("span", opens, pick, inside, cls="cb-who-in"), scope="row", cls="cb-system")


def _told(line: Line, column: str) -> str:
    row = line.row
    if column == "licence":
        return _plain(column, row.licence or display.DASH)
    if column == "organisation":
        return _plain(column, row.organisation or display.DASH)
    if column == "style":
        value = line.values["style"]
        return _plain(column, words.STYLES.get(str(value), display.DASH))
    if column == "date":
        return _plain(column, display.day(row.received_at))
    if column == "size":
        told = display.DASH if line.size is None else size_shown(line.size)
        return el("td", told, cls="cb-n cb-size", title=row.parameters or None)
    usage = row.judge_usage
    if usage is None:
        return _plain(column, display.DASH)
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    calls = el("span", f"{usage.n_calls:,} calls")
    return el("td", el("b", display.money(usage.cost_micro_usd)), calls, title=tokens, cls="cb-n cb-judge")


def _plain(column: str, text: str) -> str:
    return el("td", text, cls=f"cb-t cb-{column}")
