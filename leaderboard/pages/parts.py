"""Pieces that several pages show the same way: a player, a transcript with its differences, a table of readings."""

from itertools import groupby

from evaluation.gate.normalisers import normaliser
from evaluation.gate.wer import AlignedWord
from evaluation.protocol import Protocol
from evaluation.records import ClassScores, DimensionScore, Hearing, Item, ProbeReading
from leaderboard import dimensions, display, shell, words
from leaderboard.clips import CLIP_ROUTE
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address
from leaderboard.views import Row, Sample

N_LONG = 360
"""Signs from which on a transcript gets a box of its own; a recogniser that loops writes pages."""


def superseded(row: Row) -> Markup | None:
    """Return the mark of a row that a later version supersedes, which leads to that one; None for any other."""
    if row.superseded_by is None:
        return None
    tip = "A later version of this system has a row; opens it."
    href = address("/system", id=row.superseded_by)
    return el("a", "superseded", href=href, cls="cb-chip cb-plain cb-superseded", title=tip)


def clip_address(submission: str, item_id: str, sha256: str) -> str:
    """Return a clip's address; its hash is part of it, so what it names never changes."""
    return f"{CLIP_ROUTE}/{submission}/{item_id}/{sha256[:16]}.flac"


def player(source: str | None, label: str) -> Markup:
    """Return a native player that loads nothing until it is started; a remark if there is no clip."""
    if source is None:
        return el("p", "No clip: the system declined this item.", cls="cb-absent")
    return el("audio", src=source, preload="none", controls=True, aria_label=label, cls="cb-player")


def transcript(item: Item, sample: Sample, protocol: Protocol) -> Markup:
    """Return what was heard, with words left out struck through and words added or replaced marked.

    Of a clip that was heard again the hearing that counts is marked, and the others stand below it.
    """
    counted = sample.counted()
    if counted is None:
        return el("p", "No transcript.", cls="cb-absent")
    steps = normaliser(protocol.normaliser).compare(item, counted.text).words
    shown = _marked(counted.text, steps)
    if len(counted.text) > N_LONG:
        shown = _long(shown, counted.text, sample)
    return join(shown, _units(sample), _heard_again(counted, sample))


def _long(shown: Markup, text: str, sample: Sample) -> Markup:
    label = f"Transcript of {sample.item_id}, {display.count(len(text.split()), 'word')}"
    return el("div", shown, cls="cb-long", tabindex=0, role="region", aria_label=label)


def _marked(text: str, steps: tuple[AlignedWord, ...]) -> Markup:
    if all(step.kind == "equal" for step in steps):
        return el("p", text or display.DASH, cls="cb-transcript")
    runs = (_run(is_equal, tuple(run)) for is_equal, run in groupby(steps, lambda step: step.kind == "equal"))
    return el("p", join(*runs, by=" "), cls="cb-transcript", title=None if len(text) > N_LONG else text)


def _units(sample: Sample) -> Markup | None:
    if sample.gate is None or not sample.gate.n_units:
        return None
    right = f"{sample.gate.n_units_right} of {sample.gate.n_units}"
    return el("p", el("small", f"Numbers, dates, addresses and the like read right: {right}"), cls="cb-soft")


def _heard_again(counted: Hearing, sample: Sample) -> Markup | None:
    """Return why a clip was heard again, which hearing counts, and the others if they give other word errors."""
    heard = sample.transcript
    if heard is None or heard.doubt is None:
        return None
    is_disputed = sample.gate is not None and sample.gate.is_disputed
    note = f"Heard again, because {words.DOUBTS[heard.doubt]}. "
    note += (
        "The hearings disagree; the better one counts: " if is_disputed else "The hearings agree; the first counts: "
    )
    others = [one for one in heard.hearings() if one != counted]
    lines = (el("li", el("small", one.setting), el("br"), one.text or display.DASH) for one in others)
    more = el("details", el("summary", "What else was heard"), el("ul", *lines)) if others else None
    return join(el("p", el("small", note, el("code", counted.setting)), cls="cb-soft cb-heard-again"), more)


def _run(is_equal: bool, steps: tuple[AlignedWord, ...]) -> Child:
    """Return neighbouring words of one kind: as they are, or what was left out and then what was heard instead."""
    script = " ".join(step.reference for step in steps if step.reference)
    if is_equal:
        return script
    heard = " ".join(step.heard for step in steps if step.heard)
    left_out = el("del", script) if script else None
    added = el("ins", heard) if heard else None
    return join(left_out, " " if left_out and added else None, added)


def gate_mark(sample: Sample) -> Markup:
    """Return the gate's verdict with the word-error rate."""
    if sample.is_declined:
        return el("span", "declined", cls="cb-mark cb-bad")
    rate = display.percent(sample.wer) if sample.wer is not None and sample.wer <= 1 else _beyond(sample.wer)
    if sample.passed_gate:
        return el("span", "✓ passes the gate", el("small", f"WER {rate}"), cls="cb-mark cb-good")
    return el("span", "✕ vetoed", el("small", f"WER {rate}"), cls="cb-mark cb-bad")


def _beyond(wer: float | None) -> str:
    return display.DASH if wer is None else f"{wer * 100:.0f}%"


def readings(sample: Sample, protocol: Protocol, *, chain: str) -> Markup:
    """Return requested against measured, one line a dimension, with class probabilities where there are some.

    Args:
        sample: the clip.
        protocol: what it was measured with.
        chain: address of its derivation, to which each desirability leads.
    """
    heads = ("Dimension", "Requested", "Measured", "Desirability")
    head = el(
        "tr",
        *(
            shell.column(text, "cb-num" if at == len(heads) - 1 else None, is_stop=False)
            for at, text in enumerate(heads)
        ),
    )
    lines = (_reading(score, sample, protocol, chain) for score in sample.dimensions)
    table = el("table", el("thead", head), el("tbody", *lines), cls="cb-table cb-readings")
    return el("div", table, cls="cb-scroll", tabindex=0, role="group", aria_label="Requested against measured")


def _reading(score: DimensionScore, sample: Sample, protocol: Protocol, chain: str) -> Markup:
    name = score.dimension
    told = None if score.quantity is None else dimensions.quantity(protocol, name, score.quantity)
    note = el("small", f" {dimensions.how(protocol, name)}") if dimensions.how(protocol, name) != "probed" else None
    if score.reason is not None:
        measured: Child = el("span", dimensions.reason(score.reason), cls="cb-bad-text")
    elif score.measured:
        measured = join(score.measured, el("small", f" {told}", cls="cb-quantity") if told else None)
    else:
        measured = el("span", told or display.DASH, cls="cb-quantity")
    return el(
        "tr",
        el("th", words.header(name).label, note, scope="row"),
        el("td", score.requested or display.DASH),
        el("td", measured, _probabilities(sample.probes.get(name))),
        el("td", el("a", desirability_mark(score.desirability), href=chain, tabindex=-1), cls="cb-num"),
    )


def _probabilities(reading: ProbeReading | None) -> Markup | None:
    """Return every class that could have been requested with its probability, most probable first."""
    if not isinstance(reading, ClassScores):
        return None
    ranked = sorted(zip(reading.labels, reading.probabilities, strict=True), key=lambda pair: -pair[1])
    lines = [
        el("li", el("span", label), shell.bar(probability), el("small", f"{probability:.2f}"))
        for label, probability in ranked
    ]
    return el("details", el("summary", "all classes"), el("ul", *lines), cls="cb-classes")


def desirability_mark(desirability: float) -> Markup:
    """Return a desirability with a sign that does not rest on colour."""
    sign, look = ("●", "good") if desirability >= 0.75 else ("◐", "half") if desirability >= 0.25 else ("○", "bad")
    return el("span", el("i", sign, aria_hidden="true"), f" {desirability:.2f}", cls=f"cb-dot cb-dot-{look}")
