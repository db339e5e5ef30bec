"""What every instrument read of one clip, with its name, version and card. Pure."""

from collections.abc import Iterator, Mapping

from evaluation.cards import InstrumentCard
from evaluation.protocol import Instrument, Protocol
from evaluation.records import Acoustics, ClassScores, Estimate, PredictedMos, Transcript, Unread, Verdict
from evaluation.traits import NATURALNESS
from leaderboard import dimensions, display, shell, words
from leaderboard.markup import Child, Markup, el, join
from leaderboard.query import address
from leaderboard.why.chain import Chain

_SHORT = 10
_Line = tuple[str, str, Child]
"""Role of the instrument, what it read, and the reading."""


def readings(protocol: Protocol, chain: Chain, cards: Mapping[str, InstrumentCard]) -> Markup:
    """Return the table of readings; `cards` are those of the board's instruments, by trait."""
    lines = [*_acoustics(chain), *_transcript(chain), *_probes(chain), *_naturalness(chain)]
    rows = [
        el("tr", el("th", what, scope="row"), el("td", told), el("td", _by(protocol, role, cards)))
        for role, what, told in lines
    ]
    rows += [_verdict(protocol, name, one) for name, one in (chain.readings.verdicts if chain.readings else {}).items()]
    head = el("tr", *(shell.column(text) for text in ("Quantity", "Reading", "Instrument")))
    table = el("table", el("thead", head), el("tbody", *rows), cls="cb-table cb-why-items", id="why-readings")
    return shell.scroll_box(table, "Readings of the clip")


def _acoustics(chain: Chain) -> Iterator[_Line]:
    read = chain.readings.acoustics if chain.readings else None
    if isinstance(read, Unread):
        yield "vad", "Acoustics", _unread(read)
    if not isinstance(read, Acoustics):
        return
    span = f"{read.speech_start_s:.3f} to {read.speech_end_s:.3f} s, pauses {read.pause_s:.3f} s"
    yield "vad", "Speech", span
    f0 = "no voiced frame" if read.f0_hz is None else f"{read.f0_hz:.2f} Hz, {read.voiced_share:.0%} voiced"
    yield "f0", "Median F0", f0
    yield "level", "Speech level", f"{read.level_dbfs:.2f} dBFS, peak {read.peak_dbfs:.2f} dBFS".replace("-", "−")


def _transcript(chain: Chain) -> Iterator[_Line]:
    heard = chain.readings.transcript if chain.readings else None
    if isinstance(heard, Unread):
        yield "transcriber", "Transcript", _unread(heard)
    if not isinstance(heard, Transcript):
        return
    roles = (
        "transcriber",
        *(("transcriber_again",) if heard.again else ()),
        *(("second_transcriber",) if heard.second else ()),
    )
    for role, hearing in zip(roles, heard.hearings(), strict=True):
        counts = " (this one counts)" if hearing == chain.heard and len(roles) > 1 else ""
        yield role, "Transcript" + counts, el("span", hearing.text or display.DASH, cls="cb-quote")


def _probes(chain: Chain) -> Iterator[_Line]:
    for name, read in (chain.readings.probes if chain.readings else {}).items():
        label = words.header(name).label
        match read:
            case ClassScores():
                yield name, label, _classes(read)
            case Estimate():
                yield name, label, display.quantity(name, read.value)
            case Unread():
                yield name, label, _unread(read)


def _naturalness(chain: Chain) -> Iterator[_Line]:
    read = chain.readings.naturalness if chain.readings else None
    if isinstance(read, PredictedMos):
        yield NATURALNESS, "Predicted opinion", f"{read.mos:.6g} of 1 to 5"
    elif isinstance(read, Unread):
        yield NATURALNESS, "Predicted opinion", _unread(read)


def _classes(read: ClassScores) -> str:
    pairs = sorted(zip(read.labels, read.probabilities, strict=True), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {probability:.3f}" for name, probability in pairs)


def _unread(read: Unread) -> Markup:
    return el("span", f"not read: {dimensions.reason(read.reason)}", cls="cb-bad-text")


def _verdict(protocol: Protocol, name: str, verdict: Verdict | Unread) -> Markup:
    label = f"{words.header(name).label}, judged"
    if isinstance(verdict, Unread):
        told: Child = _unread(verdict)
    else:
        orders = "both orders agree" if verdict.is_consistent else "the two orders disagree"
        told = (
            f"{verdict.score:g} of 3, the anchor’s clip {verdict.anchor_score:g}; {orders}; "
            f"{display.count(verdict.n_replies, 'reply').replace('replys', 'replies')}"
        )
    by = el("a", protocol.judge.model if protocol.judge else "judge", href="/method#judge")
    return el("tr", el("th", label, scope="row"), el("td", told), el("td", by))


def _by(protocol: Protocol, role: str, cards: Mapping[str, InstrumentCard]) -> Markup:
    one = protocol.instruments.get(role)
    if one is None:
        return el("span", display.DASH)
    place = address("/method", protocol=protocol.id)
    link = el("a", one.name, href=f"{place}#instrument-{role}")
    card = el("a", "its card", href=f"{place}#card-{role}") if role in cards else None
    return join(link, " ", el("small", _version(one)), el("br") if card else None, card)


def _version(one: Instrument) -> str:
    return f"{one.package} {one.version}" if one.model is None else one.model.revision[:_SHORT]
