"""One system in detail: each dimension by value, requested against measured, verdicts, and S by tier and split."""

from collections.abc import Mapping

from evaluation.corrected import Corrected
from evaluation.summary import Mean, Slice, TraitTable
from evaluation.traits import trait
from leaderboard import dimensions, display, shell, words
from leaderboard.derived import Beside
from leaderboard.figures.scatter import scatter
from leaderboard.markup import Markup, el, join
from leaderboard.pages import confusion, instrument_card, judging
from leaderboard.pages.trait import CORRECTED_NOTE, corrected_rate
from leaderboard.pages.why import interval_bar
from leaderboard.pages.why_link import why_link
from leaderboard.query import address
from leaderboard.views import Board, Detail, Row


def traits(board: Board, row: Row, detail: Detail, *, beside: Beside, corrected: Mapping[str, Corrected]) -> Markup:
    """Return every dimension with its mean, its values, its confusion or errors, and the card of what measured it.

    Args:
        board: the board.
        row: the system.
        detail: its figures and samples.
        beside: cards of the board's instruments.
        corrected: the system's corrected rates, by trait; those that there are.
    """
    blocks = [
        _trait(board, name, row, detail, beside=beside, corrected=corrected.get(name))
        for name in board.protocol.dimensions
    ]
    derived = el("p", CORRECTED_NOTE, cls="cb-small", id="corrected-note") if corrected else None
    return el("section", el("h2", "Trait by trait"), derived, el("div", *blocks, cls="cb-traits"), id="system-traits")


def _trait(board: Board, name: str, row: Row, detail: Detail, *, beside: Beside, corrected: Corrected | None) -> Markup:
    protocol = board.protocol
    mean = detail.summary.overall.dimensions[name]
    shown = why_link(el("strong", display.score(mean.mean)), board.protocol_id, row.submission, name)
    bar = interval_bar(mean.mean, mean.interval.low, mean.interval.high) if mean.interval else None
    value = join(el("p", shown, el("small", _spread(mean)), cls="cb-bigmean"), bar)
    without = "not judged" if name in protocol.judged else "without anything to read"
    unread = (
        el("p", f"{display.count(mean.n_unread, 'clip')} {without}, counted 0.", cls="cb-small")
        if mean.n_unread
        else None
    )
    table = detail.summary.traits.get(name)
    judged = detail.summary.judged.get(name)
    predicted = el("p", words.PREDICTOR_NOTE.capitalize() + ".", cls="cb-small")
    inner = (
        _hits(corrected) if corrected else None,
        judging.dimension(judged) if judged else None,
        predicted if dimensions.how(protocol, name) == "predicted" else None,
        _values(board, row, name, table, corrected) if table else None,
        _confusion(name, table) if table else None,
        _ages(name, detail, table) if table and dimensions.is_number(protocol, name) else None,
    )
    card = el("details", el("summary", "Who measured this"), instrument_card.body(board, name, beside.cards.get(name)))
    return el(
        "article",
        el("h3", words.header(name).label),
        el("p", dimensions.tip(protocol, name), cls="cb-small"),
        value,
        unread,
        *inner,
        card,
        cls="cb-trait",
        id=f"trait-{name}",
    )


def _hits(found: Corrected) -> Markup:
    seen = instrument_card.share(found.overall.observed)
    fixed = join("Corrected for the probe's errors: ", corrected_rate(found.overall))
    clipped = " (held at the end of 0..1)" if found.overall.is_clipped else None
    return join(
        el("p", f"Measured as requested: {seen}.", cls="cb-small"), el("p", fixed, clipped, cls="cb-small cb-corrected")
    )


def _ages(name: str, detail: Detail, table: TraitTable) -> Markup:
    """Return the error of a numeric trait: the mean, and every clip as a point."""
    unit = trait(name).unit
    pairs = [
        (float(score.requested), score.quantity)
        for sample in detail.samples.values()
        for score in sample.dimensions
        if score.dimension == name and score.requested and score.quantity is not None
    ]
    if table.mean_error is None or not pairs:
        return el("p", "No clip could be read, so there is no error to tell.", cls="cb-small")
    head = el("p", "Mean absolute error ", el("b", f"{table.mean_error:.1f} {unit}"), f" over {len(pairs)} clips.")
    return join(head, scatter(pairs, label=f"Requested and measured {name} of every clip, {unit}"))


def _spread(mean: Mean) -> str:
    low_high = display.interval(mean.interval.low, mean.interval.high) if mean.interval else "no interval"
    return f"{low_high}, n = {mean.n_scored}"


def _values(board: Board, row: Row, name: str, table: TraitTable, found: Corrected | None) -> Markup:
    heads = ["Requested", "Mean", "Clips", *(["Corrected"] if found else [])]
    head = el("tr", *(shell.column(text, "cb-num" if at else None) for at, text in enumerate(heads)))
    lines = []
    for value in _in_order(name, table):
        mean = table.values[value]
        link = el("a", value, href=_clips_of(board, row, f"{name}:{value}"))
        number = why_link(display.score(mean.mean), board.protocol_id, row.submission, name, value=value)
        between = mean.interval
        bar = interval_bar(mean.mean, between.low, between.high) if between else shell.bar(mean.mean)
        cells = [join(number, bar), f"{mean.n_scored}"]
        if found:
            cells.append(corrected_rate(found.values[value]) if value in found.values else display.DASH)
        lines.append(el("tr", el("th", link, scope="row"), *(el("td", cell, cls="cb-num") for cell in cells)))
    inner = el("table", el("thead", head), el("tbody", *lines), cls="cb-table cb-values")
    return shell.scroll_box(inner, f"{words.header(name).label} by requested value")


def _in_order(name: str, table: TraitTable) -> list[str]:
    """Return the requested values that occur, in the registry's order; other numbers after them."""
    known = trait(name).values
    others = sorted((value for value in table.values if value not in known), key=lambda value: (len(value), value))
    return [value for value in (*known, *others) if value in table.values and table.values[value].n_scored]


def _clips_of(board: Board, row: Row, pick: str) -> str:
    return address("/listen", protocol=board.protocol_id, systems=row.submission, pick=pick)


def _confusion(name: str, table: TraitTable) -> Markup | None:
    return confusion.table(
        table.confusion,
        trait(name).values,
        down="Requested",
        caption="Clips by requested and measured value",
        label=f"Confusion of {name}",
    )


def reasons(detail: Detail) -> Markup | None:
    """Return what made something of this system 0, with how often; None if nothing did."""
    counts = detail.summary.reasons
    if not counts:
        return None
    rows = [
        el("tr", el("th", dimensions.summary_reason(code), scope="row"), el("td", f"{n}", cls="cb-num"))
        for code, n in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    head = el("tr", shell.column("Reason"), shell.column("Clips", "cb-num"))
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table", id="system-reasons")
    return el("section", el("h2", "What counted 0, and why"), shell.scroll_box(table, "Reasons"), cls="cb-narrow")


def slices(board: Board, row: Row, detail: Detail) -> Markup:
    """Return S by tier and by split, each figure a link to how it was made."""
    tiers = [(words.TIERS.get(int(name), name), part, {"tier": name}) for name, part in detail.summary.tiers.items()]
    splits = [(words.SPLITS.get(name, name), part, {"split": name}) for name, part in detail.summary.splits.items()]
    head = el(
        "tr",
        *(
            shell.column(text, "cb-num" if at else None)
            for at, text in enumerate(("Items", "S", "Interval", words.header("gate").label, "n"))
        ),
    )
    rows = [_slice(board, row, label, part, place) for label, part, place in [*tiers, *splits]]
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table", id="system-slices")
    return el(
        "section", el("h2", "By tier and split"), shell.scroll_box(table, "Score by tier and split"), cls="cb-narrow"
    )


def _slice(board: Board, row: Row, label: str, part: Slice, place: Mapping[str, str]) -> Markup:
    between = part.score.interval
    low_high = display.interval(between.low, between.high) if between else display.DASH
    bar = interval_bar(part.score.mean, between.low, between.high) if between else None
    score = why_link(display.score(part.score.mean), board.protocol_id, row.submission, "score", **place)
    gate = why_link(display.percent(part.gate.rate), board.protocol_id, row.submission, "gate", **place)
    numbers = (score, join(low_high, bar), gate, str(part.score.n_scored))
    return el("tr", el("th", label, scope="row"), *(el("td", cell, cls="cb-num") for cell in numbers))
