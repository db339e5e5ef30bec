"""How a dimension is measured on a board, in words: by a probe, by a judge, or by a mere predictor. Pure."""

from collections.abc import Mapping
from typing import Literal

from evaluation.cards import basis_of
from evaluation.judge.prompt import HIGHEST_SCORE
from evaluation.protocol import Protocol
from evaluation.traits import NATURALNESS, Kind, named
from leaderboard import display, words

How = Literal["probed", "judged", "predicted"]

NOTES: Mapping[How, str] = {"probed": "probed", "judged": "judged", "predicted": words.PREDICTOR_NOTE}
"""What stands below the name of a dimension."""
_REASONS: Mapping[str, str] = {
    "addresses_judge": "the clip speaks to the judge",
    "adds_words": "the clip adds words of its own to the script",
    "gated": "vetoed by the gate, so the judge did not hear it",
    "not_judged": "the judge gave no reply that could be read",
}
_SUMMARY_REASONS: Mapping[str, str] = {
    "declined": "the system declined the item",
    "gate": "the clip says other words than its script",
}


def how(protocol: Protocol, name: str) -> How:
    """Return how a scored dimension is measured."""
    if name in protocol.judged:
        return "predicted" if protocol.judge is not None and protocol.judge.backend == "embedded" else "judged"
    return "predicted" if name == NATURALNESS else "probed"


def is_heard(protocol: Protocol) -> bool:
    """Return whether any dimension is judged by a model that listens, so that people could be asked the same."""
    return any(how(protocol, name) == "judged" for name in protocol.dimensions)


def measurer(protocol: Protocol, name: str) -> str:
    """Return what measures a dimension: the judge's model, or the name of the main instrument."""
    if name in protocol.judged and protocol.judge is not None:
        return protocol.judge.model
    main = protocol.instruments.get(basis_of(name).roles[0])
    return main.name if main else display.DASH


def tip(protocol: Protocol, name: str) -> str:
    """Return one plain sentence that says what a dimension's value is on this board."""
    if name not in protocol.judged:
        return words.header(name).tip
    question = next((one.question for one in named([name])), "How natural does the voice sound?")
    by = "The judge's score" if how(protocol, name) == "judged" else "A predictor's score, which is no judge's,"
    return f"{question} {by} in both orders, from 0..{HIGHEST_SCORE} to 0..1."


def is_class(protocol: Protocol, name: str) -> bool:
    """Return whether a dimension has a hit rate: classes or buckets that an instrument measures."""
    kinds = {one.kind for one in named([name])}
    return name not in protocol.judged and bool(kinds & {Kind.CATEGORICAL, Kind.ORDINAL})


def is_number(protocol: Protocol, name: str) -> bool:
    """Return whether an instrument measures a dimension as a number."""
    return name not in protocol.judged and any(one.kind is Kind.NUMERIC for one in named([name]))


def quantity(protocol: Protocol, name: str, value: float | None) -> str:
    """Return the number behind a measured value with its unit, or a dash."""
    if value is None or name not in protocol.judged:
        return display.quantity(name, value)
    return judge_score(value)


def judge_score(value: float | None) -> str:
    """Return a judge's score: "2.50 of 3", or a dash."""
    return display.DASH if value is None else f"{value:.2f} of {HIGHEST_SCORE}"


def reason(code: str) -> str:
    """Return why nothing could be read, in words; a code that has none comes back as it is."""
    return words.REASONS.get(code) or _REASONS.get(code) or code


def summary_reason(code: str) -> str:
    """Return a reason as a summary counts it, "gate" or "<dimension>: <reason>", in words."""
    if code in _SUMMARY_REASONS:
        return _SUMMARY_REASONS[code]
    name, _, why = code.partition(": ")
    return f"{words.header(name).label}: {reason(why)}" if why else code


def season_line(protocol: Protocol) -> str:
    """Return what a protocol's board measures, with what judge against what anchor, in one line."""
    groups: dict[How, list[str]] = {"probed": [], "judged": [], "predicted": []}
    for name in protocol.dimensions:
        groups[how(protocol, name)].append(words.header(name).label.lower())
    told = []
    if groups["probed"]:
        told.append(f"Probes measure {_listed(groups['probed'])}")
    if groups["judged"] and protocol.judge is not None:
        judge = protocol.judge
        against = f"against the clips of {judge.anchor.name}"
        told.append(f"{judge.model} judges {_listed(groups['judged'])} {against}")
    if groups["predicted"]:
        told.append(f"a model predicts {_listed(groups['predicted'])}; nobody judges it")
    return "; ".join(told) + "."


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
