"""Readings become scores: the one place where requested meets measured. Pure; can be redone for ever.

A clip's own failure scores 0 and says why. A hole on our side never becomes a number: the whole
submission is refused with a list of what is missing, because a row with a hole is not published.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation import desirability
from evaluation.corpus_forms import check_forms
from evaluation.errors import CastboardError
from evaluation.findings import DECIMALS, Finding, Measured, Scene, finding_of
from evaluation.gate.normalisers import Comparison, Normaliser, normaliser
from evaluation.probes import loudness
from evaluation.protocol import Protocol
from evaluation.records import (
    ClipReadings,
    Counted,
    DimensionScore,
    GateDetail,
    Item,
    ItemId,
    SampleScore,
    Transcript,
    Unread,
)
from evaluation.traits import NATURALNESS, trait

_SHOWN_HOLES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """One thing that our side owes and does not have."""

    item_id: ItemId
    """The item."""
    what: str
    """Dimension, "transcript" or "readings"."""
    reason: str
    """Why it is missing."""


class IncompleteReadings(CastboardError):
    """Readings of a submission have holes on our side, so it cannot be scored.

    Attributes:
        holes: every hole, in the order of items.
    """

    def __init__(self, holes: Sequence[Hole]) -> None:
        """List the first holes and count the rest."""
        shown = "; ".join(f"{hole.item_id} {hole.what}: {hole.reason}" for hole in holes[:_SHOWN_HOLES])
        more = f"; and {len(holes) - _SHOWN_HOLES} more" if len(holes) > _SHOWN_HOLES else ""
        super().__init__(
            f"{len(holes)} readings are missing on our side, and a missing reading is never a 0: {shown}{more}. "
            "Mend the instrument and read these items again."
        )
        self.holes = tuple(holes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A whole submission, scored."""

    samples: tuple[SampleScore, ...]
    """One for each item, in the order of the items."""
    loudness_reference_dbfs: float | None
    """The submission's own normal level, dBFS; None if no clip that requests normal could be read."""


def score_submission(
    protocol: Protocol,
    items: Sequence[Item],
    readings: Mapping[ItemId, ClipReadings],
    declined: Collection[ItemId],
) -> Scored:
    """Return the score of every item of one submission.

    Args:
        protocol: dimensions and constants.
        items: all items of the corpus, in its order.
        readings: of every item that is not declined.
        declined: items that the system refused: composite 0, no dimensions.

    Raises:
        IncompleteReadings: if our side owes a reading; lists every hole.
        ProtocolError: if the protocol names a normaliser that this version does not know.
        ValueError: for an unknown item, one both read and declined, one that requests nothing of a scored trait,
            or items from which the submission's own normal loudness cannot be had.
    """
    _refuse_strangers({item.id for item in items}, readings, declined)
    _refuse_unasked(protocol, items)
    check_forms(protocol.corpus.forms_sha256, protocol.normaliser, items)
    is_levelled = "loudness" in protocol.dimensions and "loudness" not in protocol.judged
    if is_levelled and not any(_requests_normal(item) for item in items):
        raise ValueError(f"loudness needs an item that requests {loudness.NORMAL!r}; these items have none")
    reference = _reference_dbfs(items, readings)
    spoken = normaliser(protocol.normaliser)
    samples: list[SampleScore] = []
    holes: list[Hole] = []
    for item in items:
        if item.id in declined:
            samples.append(_declined(item))
            continue
        if item.id not in readings:
            holes.append(Hole(item_id=item.id, what="readings", reason="the clip was not read"))
            continue
        scene = Scene(
            item=item,
            readings=readings[item.id],
            protocol=protocol,
            normaliser=spoken,
            reference_dbfs=reference,
        )
        findings = {dimension: finding_of(dimension, scene) for dimension in protocol.dimensions}
        found = list(_holes(scene, findings))
        holes.extend(found)
        if not found:
            samples.append(_sample(scene, findings))
    if holes:
        raise IncompleteReadings(holes)
    return Scored(samples=tuple(samples), loudness_reference_dbfs=reference)


def score_clip(protocol: Protocol, item: Item, readings: ClipReadings, *, reference_dbfs: float | None) -> SampleScore:
    """Return the score of one item that was not declined, as `score_submission` gives it among all.

    Args:
        protocol: dimensions and constants.
        item: the item.
        readings: of its clip.
        reference_dbfs: the submission's own normal level, as `own_level_dbfs` gives it.

    Raises:
        IncompleteReadings: if our side owes a reading.
        ProtocolError: if the protocol names a normaliser that this version does not know.
    """
    scene = Scene(
        item=item,
        readings=readings,
        protocol=protocol,
        normaliser=normaliser(protocol.normaliser),
        reference_dbfs=reference_dbfs,
    )
    findings = {dimension: finding_of(dimension, scene) for dimension in protocol.dimensions}
    holes = list(_holes(scene, findings))
    if holes:
        raise IncompleteReadings(holes)
    return _sample(scene, findings)


def own_level_dbfs(levels: Sequence[float]) -> float | None:
    """Return a submission's own normal level from the levels of its clips whose items request normal; None for none."""
    return round(loudness.reference_dbfs(levels), DECIMALS) if levels else None


def _refuse_strangers(
    known: Collection[ItemId], readings: Mapping[ItemId, ClipReadings], declined: Collection[ItemId]
) -> None:
    strangers = sorted({*readings, *declined} - {*known})
    if strangers:
        raise ValueError(f"these items are not in the corpus: {strangers}")
    both = sorted({*readings} & {*declined})
    if both:
        raise ValueError(f"these items are both read and declined: {both}")


def _refuse_unasked(protocol: Protocol, items: Sequence[Item]) -> None:
    scored = set(protocol.dimensions) - {NATURALNESS}
    # Pitch is measured against the usual voice of the requested gender and age.
    needed = scored | ({"gender", "age"} if "pitch" in scored and "pitch" not in protocol.judged else set())
    for item in items:
        if not needed <= set(item.requested):
            absent = sorted(needed - set(item.requested))
            raise ValueError(f"{item.id} requests no {', '.join(absent)}, which protocol {protocol.name} scores")


def _requests_normal(item: Item) -> bool:
    return item.requested.get("loudness") == loudness.NORMAL


def _reference_dbfs(items: Sequence[Item], readings: Mapping[ItemId, ClipReadings]) -> float | None:
    levels = []
    for item in items:
        if _requests_normal(item) and item.id in readings:
            acoustics = readings[item.id].acoustics
            if acoustics is not None and not isinstance(acoustics, Unread):
                levels.append(acoustics.level_dbfs)
    return own_level_dbfs(levels)


def _declined(item: Item) -> SampleScore:
    return SampleScore(
        item_id=item.id,
        is_declined=True,
        dimensions=(),
        word_errors=None,
        passed_gate=False,
        composite_micro=0,
    )


def _holes(scene: Scene, findings: Mapping[str, Finding]) -> Iterator[Hole]:
    owed: dict[str, Transcript | Finding] = {"transcript": scene.readings.transcript, **findings}
    for what, finding in owed.items():
        if finding is None:
            yield Hole(item_id=scene.item.id, what=what, reason="no instrument reported it")
        elif isinstance(finding, Unread) and finding.fault == "instrument":
            yield Hole(item_id=scene.item.id, what=what, reason=finding.detail or finding.reason)


def _sample(scene: Scene, findings: Mapping[str, Finding]) -> SampleScore:
    scores = tuple(
        _unread(scene, dimension, finding) if isinstance(finding, Unread) else _measured(scene, dimension, finding)
        for dimension, finding in findings.items()
        if finding is not None
    )
    comparison, detail = _heard(scene.normaliser, scene.item, scene.readings)
    errors = comparison.errors
    passed = errors.wer <= scene.protocol.constants.wer_limit
    composite = desirability.composite_micro(
        [score.desirability for score in scores],
        passed_gate=passed,
        floor=scene.protocol.constants.desirability_floor,
    )
    return SampleScore(
        item_id=scene.item.id,
        is_declined=False,
        dimensions=scores,
        word_errors=errors,
        passed_gate=passed,
        composite_micro=composite,
        gate=detail,
    )


def passes_gate(protocol: Protocol, item: Item, readings: ClipReadings) -> bool:
    """Return whether a clip says the right words.

    Raises:
        ProtocolError: if the protocol names a normaliser that this version does not know.
    """
    comparison, _ = _heard(normaliser(protocol.normaliser), item, readings)
    return comparison.errors.wer <= protocol.constants.wer_limit


def _heard(spoken: Normaliser, item: Item, readings: ClipReadings) -> tuple[Comparison, GateDetail]:
    """Compare every hearing of the clip with the script; the one with the lowest rate counts, the first on a draw."""
    heard = readings.transcript
    # A clip in which nothing can be heard says none of the words: all of them are deletions.
    texts: dict[Counted | None, str] = {None: ""}
    if isinstance(heard, Transcript):
        texts = {"first": heard.text}
        texts |= {"again": heard.again.text} if heard.again else {}
        texts |= {"second": heard.second.text} if heard.second else {}
    compared = {which: spoken.compare(item, text) for which, text in texts.items()}
    counted = min(compared, key=lambda which: compared[which].errors.wer)
    best = compared[counted]
    detail = GateDetail(
        counted=counted,
        is_disputed=len({one.errors for one in compared.values()}) > 1,
        path=best.path,
        n_units=best.n_units,
        n_units_right=best.n_units_right,
    )
    return best, detail


def _requested(scene: Scene, dimension: str) -> str | None:
    return None if dimension == NATURALNESS else scene.item.requested[dimension]


def _unread(scene: Scene, dimension: str, finding: Unread) -> DimensionScore:
    return DimensionScore(
        dimension=dimension,
        requested=_requested(scene, dimension),
        measured=None,
        quantity=None,
        desirability=0.0,
        reason=finding.reason,
    )


def _measured(scene: Scene, dimension: str, finding: Measured) -> DimensionScore:
    requested = _requested(scene, dimension)
    if dimension in scene.protocol.judged:
        desired = desirability.judged(finding.quantity)
    elif requested is None:
        desired = desirability.predicted_mos(finding.quantity)
    else:
        desired = desirability.of_trait(
            trait(dimension),
            requested,
            bucket=finding.bucket,
            quantity=finding.quantity,
            adjacent_credit=scene.protocol.constants.adjacent_credit,
        )
    return DimensionScore(
        dimension=dimension,
        requested=requested,
        measured=finding.bucket or None,
        quantity=finding.quantity,
        desirability=desired,
        reason=None,
    )
