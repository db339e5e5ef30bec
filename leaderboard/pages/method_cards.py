"""The method page's part on instrument cards: how often each probe errs on clips whose truth is known."""

from collections.abc import Mapping, Sequence

from evaluation.cards import InstrumentCard, NumberErrors, measurable
from evaluation.protocol import Protocol
from evaluation.summary import Rate
from evaluation.traits import trait
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import confusion
from leaderboard.trials import Trials

_LEAD = (
    "A card tells what a probe of this very version said of clips whose truth is known. It belongs to the instrument, "
    "so another model, commit or threshold has no card until somebody measures it."
)


def section(protocol: Protocol, cards: Mapping[str, InstrumentCard], trials: Trials) -> Markup | None:
    """Return the section; None if no card could be made of anything that the protocol scores.

    Args:
        protocol: what is scored.
        cards: of its instruments, by trait.
        trials: shown below; a card that counts the same clips leaves its tables to them.
    """
    names = measurable(protocol)
    if not names:
        return None
    blocks = [
        _card(cards[name], is_shown_below=_is_trial(cards[name], trials)) if name in cards else None for name in names
    ]
    missing = [words.header(name).label for name in names if name not in cards]
    command = el("code", "python app.py validate --manifest labelled.jsonl --trait TRAIT --publish")
    none = (
        el(
            "p",
            el("b", "No card yet: "),
            f"{', '.join(missing)}. ",
            "How often they err on their own is not known here. Whoever has labelled clips can measure it: ",
            command,
            id="cards-missing",
        )
        if missing
        else None
    )
    return el("section", el("h2", "Cards of the probes"), el("p", _LEAD), *blocks, none, id="cards")


def right_of(card: InstrumentCard) -> str:
    """Return a card's accuracy: "right on 97.6% of 866 clips"."""
    return f"right on {display.percent(card.accuracy.rate)} of {card.n_clips:,}"


def told(rate: Rate) -> str:
    """Return a share with its counts and its interval: "845 of 866, 97.6% (96.3% to 98.4%)"."""
    found = rate.interval
    spread = f" ({display.percent(found.low)} to {display.percent(found.high)})" if found else ""
    return f"{rate.n_hits:,} of {rate.n:,}, {display.percent(rate.rate)}{spread}" if rate.n else display.DASH


def _is_trial(card: InstrumentCard, trials: Trials) -> bool:
    counts = {label: {name: n for name, n in row.items() if n} for label, row in card.confusion.items()}
    trial = {label: {name: n for name, n in row.items() if n} for label, row in trials.gender.confusion.items()}
    return card.trait == trials.gender.role and counts == trial


def _card(card: InstrumentCard, *, is_shown_below: bool) -> Markup:
    measured = trait(card.trait)
    right = f"Within {measured.tolerance:g} {measured.unit}" if card.pairs else "Measured as labelled"
    pairs: list[tuple[str, Child]] = [
        (
            "Instrument",
            join(card.instrument.name, " ", el("code", card.instrument.revision or card.instrument.version)),
        ),
        ("Clips", card.what),
        (right, el("b", told(card.accuracy))),
        ("Could not be read", f"{card.n_unread:,} of {card.n_clips:,}"),
        ("Measured", join(f"{card.date}, ", el("code", card.source))),
    ]
    if card.manifest_sha256:
        pairs.append(("sha256 of its list", el("code", card.manifest_sha256, cls="cb-hash")))
    tables: list[Markup | None] = [el("p", el("a", "Its confusion and its engines stand below", href="#trials"), ".")]
    if not is_shown_below:
        tables = [*([_confusion(card), _classes(card)] if card.confusion else [_numbers(card)]), _groups(card)]
    return el(
        "div",
        el("h3", words.header(card.trait).label),
        shell.facts(pairs),
        *tables,
        id=f"card-{card.trait}",
        cls="cb-card-block",
    )


def _confusion(card: InstrumentCard) -> Markup | None:
    return confusion.table(
        card.confusion,
        trait(card.trait).values,
        down="Label",
        caption="Labelled clips by label and measured value",
        label=f"Confusion of the {card.trait} probe on labelled clips",
    )


def _classes(card: InstrumentCard) -> Markup:
    heads = ("Label", "Of those so labelled, right", "Of those so measured, right")
    rows = [(one.label, told(one.recall), told(one.precision)) for one in card.classes]
    return _details("By label", heads, rows)


def _groups(card: InstrumentCard) -> Markup | None:
    rows = [(one.group, told(one.right)) for one in card.groups]
    return _details("By group of clips", ("Group", "Right"), rows) if rows else None


def _numbers(card: InstrumentCard) -> Markup:
    unit = trait(card.trait).unit
    lines = {value: card.values[value] for value in sorted(card.values, key=float)}
    lines |= {"all": card.errors} if card.errors else {}
    heads = (f"Label, {unit}", f"Mean absolute error, {unit}", "Bias", "Read", "Could not be read")
    rows = [(value, *_errors(errors)) for value, errors in lines.items()]
    return shell.scroll_box(_rows(heads, rows), f"Errors of the {card.trait} probe on labelled clips")


def _errors(errors: NumberErrors) -> tuple[str, str, str, str]:
    counts = (f"{errors.n_read:,}", f"{errors.n_unread:,}")
    if errors.mean_absolute is None or errors.bias is None:
        return (display.DASH, display.DASH, *counts)
    found = errors.interval
    spread = f" ({found.low:.1f} to {found.high:.1f})" if found else ""
    return (f"{errors.mean_absolute:.1f}{spread}", f"{errors.bias:+.1f}".replace("-", "−"), *counts)


def _details(title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markup:
    return el("details", el("summary", title), shell.scroll_box(_rows(heads, rows), title))


def _rows(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markup:
    head = el("tr", *(el("th", text, scope="col") for text in heads))
    lines = [el("tr", el("th", row[0], scope="row"), *(el("td", cell) for cell in row[1:])) for row in rows]
    return el("table", el("thead", head), el("tbody", *lines), cls="cb-table")
