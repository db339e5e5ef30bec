"""How a dimension of one clip came about, in sentences with its own numbers in them. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.desirability import JUDGE_FULL_MARK, MOS_LEAST, MOS_MOST
from evaluation.gate.normalisers import normaliser
from evaluation.probes.pitch import reference_hz
from evaluation.protocol import Constants, Protocol
from evaluation.records import Acoustics, DimensionScore, Verdict
from evaluation.traits import NATURALNESS, Kind, trait
from leaderboard import dimensions, display
from leaderboard.why.chain import Chain


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One dimension of one clip in words."""

    measured: str
    """How the quantity follows from the readings; empty if there is nothing to add."""
    rule: str
    """How the desirability follows from quantity and request."""


def explained(protocol: Protocol, chain: Chain, score: DimensionScore) -> Explained:
    """Return how a dimension's quantity and desirability came about."""
    if score.reason is not None:
        why = dimensions.reason(score.reason)
        return Explained(measured="", rule=f"Nothing could be read of it ({why}), by the clip's own fault: 0.")
    if score.dimension in protocol.judged:
        return _judged(chain, score)
    if score.dimension == NATURALNESS:
        return _predicted(score)
    kind = trait(score.dimension).kind
    if kind is Kind.ORDINAL:
        return Explained(measured=_measured(protocol, chain, score), rule=_ordinal(protocol.constants, score))
    if kind is Kind.NUMERIC:
        return _numeric(score)
    return _categorical(score)


def composite_sentence(protocol: Protocol, desirabilities: tuple[float, ...], *, passed: bool, composite: float) -> str:
    """Return the composite's arithmetic on one line."""
    floor = protocol.constants.desirability_floor
    if not passed:
        return "The gate vetoed the clip, so g = 0 and the composite is 0, whatever the dimensions say."
    terms = " × ".join(f"{max(value, floor):g}" for value in desirabilities)
    return f"1 × ({terms})^(1/{len(desirabilities)}) = {composite:.6f}"


def _judged(chain: Chain, score: DimensionScore) -> Explained:
    verdict = chain.readings.verdicts.get(score.dimension) if chain.readings else None
    told = ""
    if isinstance(verdict, Verdict):
        told = (
            f"Mean of {verdict.n_replies} replies in both orders: {verdict.score:g}, and {verdict.anchor_score:g} "
            "for the anchor's clip."
        )
    mark = score.quantity or 0.0
    rule = f"{mark:g} of {JUDGE_FULL_MARK:g}: {mark:g} / {JUDGE_FULL_MARK:g} = {score.desirability:.6g}."
    return Explained(measured=told, rule=rule)


def _predicted(score: DimensionScore) -> Explained:
    mos = score.quantity or 0.0
    rule = (
        f"A predicted opinion of {mos:g} on {MOS_LEAST:g} to {MOS_MOST:g}: ({mos:g} − {MOS_LEAST:g}) / "
        f"{MOS_MOST - MOS_LEAST:g} = {score.desirability:.6g}."
    )
    return Explained(measured="", rule=rule)


def _numeric(score: DimensionScore) -> Explained:
    one = trait(score.dimension)
    asked, found = float(score.requested or 0), score.quantity or 0.0
    off = abs(found - asked)
    start = f"{found:.6g} {one.unit} is {off:.6g} from the requested {asked:g}"
    if off <= one.tolerance:
        return Explained(measured="", rule=f"{start}, within the tolerance of {one.tolerance:g}: 1.")
    beyond = off - one.tolerance
    sum_ = f"max(0, 1 − {beyond:.6g} / {one.tolerance:g}) = {score.desirability:.6g}"
    return Explained(measured="", rule=f"{start}, {beyond:.6g} beyond the tolerance of {one.tolerance:g}: {sum_}.")


def _categorical(score: DimensionScore) -> Explained:
    told = f"{score.measured} is the most probable class, p = {score.quantity or 0:.6g}."
    if score.measured == score.requested:
        return Explained(measured=told, rule=f"{score.requested} was requested: the same, so 1.")
    return Explained(measured=told, rule=f"{score.requested} was requested: another class, so 0.")


def _ordinal(constants: Constants, score: DimensionScore) -> str:
    values = trait(score.dimension).values
    lies = f"{display.quantity(score.dimension, score.quantity)} lies in {score.measured}"
    start = f"{lies} ({_span(constants, score)}); requested {score.requested}"
    if score.measured == score.requested:
        return f"{start}, the same bucket: 1."
    apart = abs(values.index(score.measured or "") - values.index(score.requested or ""))
    near = "adjacent" if apart == 1 else f"{apart} buckets away"
    return f"{start}, {near}: {score.desirability:g}."


def _span(constants: Constants, score: DimensionScore) -> str:
    slow, fast = constants.pace_slow_below, constants.pace_fast_from
    pitch, level = constants.pitch_dead_zone_semitones, constants.loudness_dead_zone_db
    spans = {
        "slow": f"below {slow:g} words/s",
        "moderate": f"{slow:g} to {fast:g} words/s",
        "fast": f"{fast:g} words/s and more",
        "low": f"below −{pitch:g} st",
        "medium": f"−{pitch:g} to +{pitch:g} st",
        "high": f"above +{pitch:g} st",
        "quiet": f"below −{level:g} dB",
        "normal": f"−{level:g} to +{level:g} dB",
        "loud": f"above +{level:g} dB",
    }
    return spans.get(score.measured or "", "")


def _measured(protocol: Protocol, chain: Chain, score: DimensionScore) -> str:
    acoustics = chain.readings.acoustics if chain.readings else None
    tell = _MEASURED.get(score.dimension)
    if tell is None or not isinstance(acoustics, Acoustics):
        return ""
    return tell(protocol, chain, acoustics, score.quantity or 0.0)


def _pace(protocol: Protocol, chain: Chain, read: Acoustics, rate: float) -> str:
    n_words = normaliser(protocol.normaliser).n_spoken_words(chain.item.script)
    span = f"{read.speech_end_s:g} − {read.speech_start_s:g}"
    return f"{n_words} spoken words / ({span}) s of speech = {rate:.6f} words/s."


def _pitch(_: Protocol, chain: Chain, read: Acoustics, distance: float) -> str:
    gender, age = chain.item.requested["gender"], chain.item.requested["age"]
    usual = reference_hz(gender, float(age))
    found = f"{distance:+.6f}".replace("-", "−")
    return (
        f"Median F0 {read.f0_hz or 0:.2f} Hz against {usual:.2f} Hz, usual for the requested {gender} of {age}: "
        f"12 × log2({read.f0_hz or 0:.2f} / {usual:.2f}) = {found} st."
    )


def _loudness(_: Protocol, chain: Chain, read: Acoustics, difference: float) -> str:
    own = chain.reference_dbfs or 0.0
    texts = (f"{read.level_dbfs:.6g}", f"{own:.6g}", f"{difference:+.6f}")
    level, usual, found = (text.replace("-", "−") for text in texts)
    return (
        f"Speech level {level} dBFS less the system's own normal level {usual} dBFS (median of its clips that request "
        f"normal) = {found} dB."
    )


_MEASURED: Mapping[str, Callable[[Protocol, Chain, Acoustics, float], str]] = {
    "pace": _pace,
    "pitch": _pitch,
    "loudness": _loudness,
}
