"""The method page's part on the flawless ceiling: what it is, its formula, and all that it takes for granted."""

from evaluation.ceiling import Ceiling
from evaluation.protocol import Protocol
from leaderboard import display, shell, words
from leaderboard.markup import Child, Markup, el, join

_LEAD = (
    "A system that does everything right would not score 1, because instruments err. The flawless ceiling is the S "
    "that it could expect from this protocol's instruments, as far as their cards tell. Read S against it, not against "
    "1. S itself is never corrected by it."
)
_FORMULA = (
    "ceiling = mean over items of: share passed by the gate × product over k dimensions of E[max(d, {floor:g})^(1/k)]"
)
_READ = "E[…] is the mean over the card's own clips of the value that the item asks for, each as the probe measured it."
_ASSUMES = (
    "On one clip the instruments err independently of each other. Errors that come together, as of a wrong gender and "
    "the pitch that is held against it, are not seen.",
    "The board's clips are as hard for a probe as the clips of its card, and a value that nobody labelled is read "
    "without error.",
    "Reading again is not modelled: the same flawless clip gets the same reading.",
)


def section(protocol: Protocol, found: Ceiling | None) -> Markup:
    """Return the section."""
    formula = el("p", _FORMULA.format(floor=protocol.constants.desirability_floor), cls="cb-formula")
    return el(
        "section",
        el("h2", "The flawless ceiling"),
        el("p", _LEAD),
        _figure(found)
        if found
        else el("p", "It is not worked out here: the items of this board are not known on this site."),
        formula,
        el("p", _READ),
        el("h3", "What it takes for granted"),
        el("ul", *(el("li", line) for line in (*_named(protocol, found), *_ASSUMES))),
        id="ceiling",
    )


def _figure(found: Ceiling) -> Markup:
    spread = display.interval(found.interval.low, found.interval.high)
    text = join(
        "Here it is ",
        el("b", display.score(found.score), id="ceiling-score"),
        f" (95 %: {spread}), over {display.count(found.n_items, 'item')}. ",
        "The interval tells only how few clips the cards rest on.",
    )
    pairs: list[tuple[str, Child]] = [
        (words.header(name).label, f"alone leaves {display.score(factor)} of 1")
        for name, factor in found.factors.items()
    ]
    if found.gate_factor is not None:
        pairs.append(("The word gate", f"lets {display.percent(found.gate_factor)} of right readings pass"))
    return join(el("p", text), shell.facts(pairs) if pairs else None)


def _named(protocol: Protocol, found: Ceiling | None) -> list[str]:
    if found is None:
        return []
    lines = []
    judged = [name for name in found.perfect if name in protocol.judged]
    unknown = [name for name in found.perfect if name not in protocol.judged]
    if unknown:
        lines.append(f"{_labels(unknown)}: without a card of this instrument, counted as never wrong.")
    if judged:
        lines.append(
            f"{_labels(judged)}: a judge has no card; counted as giving a flawless clip full marks every time, which "
            "no judge does."
        )
    if found.perfect_values:
        lines.append(f"{'; '.join(found.perfect_values)}: the card has no clip of them, counted as never wrong.")
    if found.gate_factor is None:
        lines.append("The word gate was not tried with these transcribers; counted as never refusing a right reading.")
    if lines:
        lines[-1] += " So the true ceiling lies below the figure."
    return lines


def _labels(names: list[str]) -> str:
    return ", ".join(words.header(name).label for name in names)
