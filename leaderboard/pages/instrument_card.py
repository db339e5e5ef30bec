"""An instrument's card as pages show it beside its trait, and the ceiling that follows from all cards."""

from evaluation.cards import InstrumentCard, NumberErrors
from evaluation.ceiling import Ceiling
from evaluation.summary import Rate
from evaluation.traits import trait
from leaderboard import dimensions, display, shell, words
from leaderboard.derived import Beside
from leaderboard.markup import Markup, el, join
from leaderboard.pages import confusion
from leaderboard.query import address
from leaderboard.views import Board

N_LOSSES = 3
"""Instruments that the sentence on the ceiling names."""


def section(board: Board, beside: Beside) -> Markup:
    """Return every dimension of a board with what measures it and what is known of that."""
    blocks = [_block(board, name, beside.cards.get(name)) for name in board.protocol.dimensions]
    lead = (
        "A number is worth no more than what measured it. A card counts how often an instrument is right on clips "
        "whose truth is known."
    )
    return el(
        "section",
        el("h2", "What stands behind each dimension"),
        el("p", lead, cls="cb-small"),
        el("div", *blocks, cls="cb-traits cb-cards"),
        id="board-cards",
    )


def _block(board: Board, name: str, card: InstrumentCard | None) -> Markup:
    where = address("/", protocol=board.protocol_id, trait=name)
    return el(
        "article",
        el("h3", el("a", words.header(name).label, href=where, title="systems in this dimension")),
        body(board, name, card),
        cls="cb-trait",
        id=f"card-{name}",
    )


def body(board: Board, name: str, card: InstrumentCard | None) -> Markup:
    """Return who measures a dimension of a board and, if there is one, the card of it."""
    protocol = board.protocol
    by = join(
        el("span", dimensions.NOTES[dimensions.how(protocol, name)], cls="cb-chip cb-plain"),
        " ",
        dimensions.measurer(protocol, name),
    )
    who = el("p", by, cls="cb-small")
    if card is not None:
        return join(who, _figures(board, card))
    why = ". A judge has no card; how consistent it is stands on each system's page" if name in protocol.judged else ""
    return join(who, el("p", el("b", "No card"), f": counted as perfect{why}.", cls="cb-no-card"))


def share(found: Rate) -> str:
    """Return a rate with what it rests on, "16 of 24, 66.7% (46.7% to 82.0%)", or a dash."""
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return f"{found.n_hits:,} of {found.n:,}, {display.rate(found.rate, low, high)}" if found.n else display.DASH


def counts(card: InstrumentCard) -> Markup | None:
    """Return the table of what a probe said of labelled clips: its confusion, or its errors if it gives numbers."""
    if card.errors:
        return _errors(card)
    return confusion.table(
        card.confusion,
        trait(card.trait).values,
        down="Label",
        caption="Labelled clips by label and measured value",
        label=f"Confusion of the {card.trait} probe on labelled clips",
    )


def _figures(board: Board, card: InstrumentCard) -> Markup:
    measured = trait(card.trait)
    right = f"within {measured.tolerance:g} {measured.unit} of the truth" if card.errors else "measured as labelled"
    found = card.accuracy
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    accuracy = el("p", el("strong", display.percent(found.rate)), el("small", _spread(low, high)), cls="cb-bigmean")
    clips = f"{right}, on {display.count(card.n_clips, 'labelled clip')}"
    unread = f"; {card.n_unread} could not be read" if card.n_unread else ""
    error = el("p", _error(card.errors, measured.unit), cls="cb-small") if card.errors else None
    return join(accuracy, el("p", f"{clips}{unread}.", cls="cb-small"), error, _more(board, card))


def _spread(low: float | None, high: float | None) -> str:
    return "no interval" if low is None or high is None else f"{display.percent(low)} to {display.percent(high)}"


def _error(errors: NumberErrors, unit: str) -> str:
    if errors.mean_absolute is None or errors.bias is None:
        return "No clip could be read, so nothing is known of its error."
    spread = f" ({errors.interval.low:.1f} to {errors.interval.high:.1f})" if errors.interval else ""
    bias = f"{errors.bias:+.1f}".replace("-", "−")
    return f"Mean absolute error {errors.mean_absolute:.1f}{spread} {unit}, on average {bias} {unit}."


def _more(board: Board, card: InstrumentCard) -> Markup:
    title = f"Error by {'age' if card.trait == 'age' else 'value'}" if card.errors else "Confusion matrix"
    file = el("a", "card, JSON", href=f"/download/instrument/{board.protocol_id}/{card.trait}.json", download=True)
    groups = [el("li", f"{one.group}: {share(one.right)}") for one in card.groups]
    return el(
        "details",
        el("summary", title),
        counts(card),
        el("ul", *groups, cls="cb-small cb-groups") if groups else None,
        el("p", card.what, " ", f"Measured on {card.date} with ", el("code", card.source), "; ", file, cls="cb-small"),
    )


def _errors(card: InstrumentCard) -> Markup:
    unit = trait(card.trait).unit
    lines = {value: card.values[value] for value in sorted(card.values, key=float)}
    lines |= {"all": card.errors} if card.errors else {}
    heads = (f"Label, {unit}", f"Mean absolute error, {unit}", "Bias", "Read", "Could not be read")
    head = el("tr", *(shell.column(text, "cb-num" if at else None) for at, text in enumerate(heads)))
    rows = [
        el("tr", el("th", value, scope="row"), *(el("td", text, cls="cb-num") for text in _error_cells(errors)))
        for value, errors in lines.items()
    ]
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-values")
    return shell.scroll_box(table, f"Errors of the {card.trait} probe on labelled clips")


def _error_cells(errors: NumberErrors) -> tuple[str, str, str, str]:
    seen = (f"{errors.n_read:,}", f"{errors.n_unread:,}")
    if errors.mean_absolute is None or errors.bias is None:
        return (display.DASH, display.DASH, *seen)
    spread = f" ({errors.interval.low:.1f} to {errors.interval.high:.1f})" if errors.interval else ""
    return (f"{errors.mean_absolute:.1f}{spread}", f"{errors.bias:+.1f}".replace("-", "−"), *seen)


def ceiling_note(found: Ceiling | None) -> Markup:
    """Return what a system without fault would score here, and what is counted as perfect, in plain sentences."""
    if found is None or (not found.factors and found.gate_factor is None):
        text = "What a system without fault would score here is not known: no instrument of this protocol has a card."
        return el("p", text, id="ceiling")
    losses = {words.header(name).label.lower(): factor for name, factor in found.factors.items()}
    if found.gate_factor is not None:
        losses["the word gate"] = found.gate_factor
    worst = sorted((factor, name) for name, factor in losses.items() if factor < 1)[:N_LOSSES]
    told = ", ".join(f"{name} (× {factor:.2f})" for factor, name in worst)
    because = f", because what measures errs on it too, most of all {told}" if told else ""
    spread = f"({found.interval.low:.2f} to {found.interval.high:.2f})"
    first = join(
        "A system without fault would score about ", el("b", f"{found.score:.2f}"), f" {spread} here{because}."
    )
    return el("p", first, _perfect(found), id="ceiling")


def _perfect(found: Ceiling) -> str | None:
    missing = [*(words.header(name).label.lower() for name in found.perfect), *found.perfect_values]
    return f" Counted as perfect, as no card says otherwise: {', '.join(missing)}." if missing else None
