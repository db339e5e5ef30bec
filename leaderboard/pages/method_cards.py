"""The method page's part on instrument cards: how often each probe errs on clips whose truth is known."""

from collections.abc import Mapping, Sequence

from evaluation.cards import InstrumentCard, measurable
from evaluation.protocol import Protocol
from evaluation.traits import trait
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.pages import instrument_card
from leaderboard.pages.instrument_card import share
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
        (right, el("b", share(card.accuracy))),
        ("Could not be read", f"{card.n_unread:,} of {card.n_clips:,}"),
        ("Measured", join(f"{card.date}, ", el("code", card.source))),
    ]
    if card.manifest_sha256:
        pairs.append(("sha256 of its list", el("code", card.manifest_sha256, cls="cb-hash")))
    tables: list[Markup | None] = [el("p", el("a", "Its confusion and its engines stand below", href="#trials"), ".")]
    if not is_shown_below:
        tables = [instrument_card.counts(card), _classes(card) if card.confusion else None, _groups(card)]
    return el(
        "div",
        el("h3", words.header(card.trait).label),
        shell.facts(pairs),
        *tables,
        id=f"card-{card.trait}",
        cls="cb-card-block",
    )


def _classes(card: InstrumentCard) -> Markup:
    heads = ("Label", "Of those so labelled, right", "Of those so measured, right")
    rows = [(one.label, share(one.recall), share(one.precision)) for one in card.classes]
    return _details("By label", heads, rows)


def _groups(card: InstrumentCard) -> Markup | None:
    rows = [(one.group, share(one.right)) for one in card.groups]
    return _details("By group of clips", ("Group", "Right"), rows) if rows else None


def _details(title: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markup:
    return el("details", el("summary", title), shell.scroll_box(_rows(heads, rows), title))


def _rows(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Markup:
    head = el("tr", *(shell.column(text) for text in heads))
    lines = [el("tr", el("th", row[0], scope="row"), *(el("td", cell) for cell in row[1:])) for row in rows]
    return el("table", el("thead", head), el("tbody", *lines), cls="cb-table")
