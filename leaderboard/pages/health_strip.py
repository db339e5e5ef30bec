"""How far to trust a board's numbers: a table of all dimensions, a line for one, and what is known of the judge."""

from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.trust import DimensionTrust, GateTrust, JudgeTrust, Trust

ID = "trust"
_TIMES = ((86_400.0, "day"), (3_600.0, "hour"), (60.0, "minute"))


def section(trust: Trust) -> Markup:
    """Return the whole section: every dimension in a table, then gate and judge."""
    return el(
        "section",
        shell.anchor(ID, words.TRUST_TITLE),
        el("p", words.TRUST_LEAD, cls="cb-small"),
        shell.scroll_box(_table(trust), words.TRUST_TITLE),
        el("ul", *(el("li", line) for line in _notes(trust)), cls="cb-trust-notes"),
        id=ID,
    )


def strip(trust: Trust, name: str = "") -> Markup:
    """Return what stands beside a column or a preset: one dimension in a line if there is one, then gate and judge.

    Args:
        trust: of the board.
        name: dimension; empty, or one that the board does not score, for the board.
    """
    one = trust.of(name)
    if one is None:
        return _strip([], _notes(trust))
    by = join(one.by, " ", el("code", one.version) if one.version else None)
    parts: list[Child] = [by, join(words.TRUST_HEADERS["right"].label.lower(), ": ", _right(one))]
    if one.n_flips is None:
        parts.append(join(words.TRUST_HEADERS["flawless"].label.lower(), ": ", _flawless(one)))
    else:
        parts.append(join(words.TRUST_HEADERS["flips"].label.lower(), " in ", _flips(one)))
    return _strip(parts, [_gate(trust.gate), *(_judge_lines(trust.judge) if one.n_flips is not None else ())])


def _strip(facts: list[Child], notes: list[str]) -> Markup:
    told = el("p", join(*facts, by=" · ")) if facts else None
    lines = el("ul", *(el("li", note) for note in notes), cls="cb-trust-notes")
    return el("div", told, lines, cls="cb-trust-one", id="trust-strip")


def _table(trust: Trust) -> Markup:
    keys = [key for key in words.TRUST_HEADERS if key != "flips" or trust.judge is not None]
    cells = {"right": _right, "flawless": _flawless, "flips": _flips}
    heads = [_head(key) for key in keys]
    rows = []
    for one in trust.dimensions:
        by = el("td", one.by, el("small", one.version) if one.version else None)
        name = el("th", words.header(one.name).label, scope="row")
        rest = (el("td", cells[key](one)) for key in keys if key in cells)
        rows.append(el("tr", name, by, *rest))
    return el("table", el("thead", el("tr", *heads)), el("tbody", *rows), cls="cb-table cb-trust", id="trust-table")


def _head(key: str) -> Markup:
    header = words.TRUST_HEADERS[key]
    return el("th", header.label, scope="col", data_tip=header.tip, tabindex=0)


def _right(one: DimensionTrust) -> str:
    if one.right is None or not one.right.n:
        return display.DASH if one.n_flips is not None else words.TRUST_NO_CARD
    low, high = (one.right.interval.low, one.right.interval.high) if one.right.interval else (None, None)
    return f"{display.rate(one.right.rate, low, high)} of {one.right.n:,}"


def _flawless(one: DimensionTrust) -> str:
    return words.TRUST_PERFECT if one.flawless is None else f"× {one.flawless:.2f}"


def _flips(one: DimensionTrust) -> str:
    if one.n_flips is None or not one.n_verdicts:
        return display.DASH
    return f"{display.percent(one.n_flips / one.n_verdicts)} of {display.count(one.n_verdicts, 'verdict')}"


def _notes(trust: Trust) -> list[str]:
    return [_gate(trust.gate), *_judge_lines(trust.judge)]


def _gate(gate: GateTrust) -> str:
    if gate.false is None:
        return words.TRUST_GATE_UNKNOWN
    false = display.rate(gate.false.share, gate.false.interval.low, gate.false.interval.high)
    return words.TRUST_GATE.format(false=false, n=gate.n_checked)


def _judge_lines(judge: JudgeTrust | None) -> list[str]:
    if judge is None:
        return []
    repeat = words.TRUST_JUDGE_REPEAT if judge.votes == 1 else words.TRUST_JUDGE_VOTES.format(votes=judge.votes)
    return [repeat, _outage(judge), _cost(judge)]


def _outage(judge: JudgeTrust) -> str:
    if judge.waits is None:
        return words.TRUST_OUTAGE_UNKNOWN
    if not judge.waits.n_holds:
        return words.TRUST_NO_OUTAGE
    holds = display.count(judge.waits.n_holds, "outage")
    return words.TRUST_OUTAGE.format(time=_lasting(judge.waits.total_s), holds=holds)


def _lasting(seconds: float) -> str:
    for unit_s, noun in _TIMES:
        if seconds >= unit_s:
            return display.count(round(seconds / unit_s), noun)
    return display.count(round(seconds), "second")


def _cost(judge: JudgeTrust) -> str:
    if judge.cost_micro_usd is None:
        return words.TRUST_COST_UNKNOWN
    systems = display.count(judge.n_priced, "system")
    return words.TRUST_COST.format(mean=display.money(round(judge.cost_micro_usd)), systems=systems)
