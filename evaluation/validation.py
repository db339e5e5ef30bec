"""A validation run: one probe of a protocol on labelled clips, measured and judged exactly as a submission is.

Each clip becomes a canonical clip and gets a made-up item that requests what the clip is labelled with; the findings
that scoring would see are what the card counts. A group of clips counts as one submission where that matters: loudness
is measured against the group's own clips that are labelled normal.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol as TypingProtocol

from evaluation import traits
from evaluation.cards import InstrumentCard, identity_of
from evaluation.cards_count import Origin, Outcome, card_of
from evaluation.codec import sha256_of_file
from evaluation.decoding import Decoder
from evaluation.errors import CastboardError, DecodeError
from evaluation.findings import DECIMALS, Measured, Scene, finding_of
from evaluation.gate.normalisers import normaliser
from evaluation.probes import loudness
from evaluation.probes.labelled import LabelledClip
from evaluation.protocol import Protocol
from evaluation.records import Acoustics, Clip, ClipReadings, Item, ItemId, Unread
from evaluation.traits import Kind, Trait

BATCH = 16
"""Clips in memory together."""
_OLDEST = 120.0
_SHOWN = 20


class UnfitClips(CastboardError):
    """Labelled clips cannot be used; lists every problem.

    Attributes:
        problems: one sentence each, naming the clip.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        """Show the first problems and count the rest."""
        more = f"\n- and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
        listed = "".join(f"\n- {problem}" for problem in problems[:_SHOWN])
        super().__init__(f"{len(problems)} things are wrong with the labelled clips:{listed}{more}")
        self.problems = tuple(problems)


class Reader(TypingProtocol):
    """Loaded instruments; see `evaluation.instruments.Instruments`."""

    def read(self, clips: Sequence[Clip], clips_dir: Path, seconds: dict[str, float]) -> tuple[ClipReadings, ...]:
        """Return the readings of canonical clips."""
        ...


def trait_of(clips: Sequence[LabelledClip]) -> str:
    """Return the name of the only trait that a probe can measure and that all labels are values of.

    Raises:
        CastboardError: if that is no trait, or several.
    """
    labels = {clip.label for clip in clips}
    fitting = [one.name for one in traits.TRAITS if all(_may_be_label(one, label) for label in labels)]
    if len(fitting) != 1:
        shown = ", ".join(repr(label)[:60] for label in sorted(labels)[:_SHOWN])
        raise CastboardError(
            f"the labels ({shown}) are of {' and of '.join(fitting) or 'no one trait'}; say which with --trait"
        )
    return fitting[0]


def _may_be_label(measured: Trait, label: str) -> bool:
    if measured.kind is Kind.NUMERIC:
        return _is_number(label)
    return measured.kind is not Kind.JUDGED and label in measured.values


def check_clips(name: str, clips: Sequence[LabelledClip]) -> None:
    """Return if the labelled clips say all that a card of the trait called `name` needs.

    Raises:
        UnfitClips: with every label that cannot be, every missing fact and every file that is another one.
    """
    measured = traits.trait(name)
    problems = []
    for clip in clips:
        problems += [f"{clip.path.name}: {fault}" for fault in _faults(measured, clip)]
    if name == "loudness":
        groups = {clip.group or "" for clip in clips}
        anchored = {clip.group or "" for clip in clips if clip.label == loudness.NORMAL}
        problems += [
            f"group {group!r:.80}: loudness is measured against the group's own clips labelled {loudness.NORMAL!r}; "
            "it has none"
            for group in sorted(groups - anchored)
        ]
    if problems:
        raise UnfitClips(problems)


def validate(
    protocol: Protocol,
    name: str,
    clips: Sequence[LabelledClip],
    instruments: Reader,
    *,
    folder: Path,
    origin: Origin,
    n_processes: int = 1,
    tell: Callable[[int], None] = lambda _: None,
) -> InstrumentCard:
    """Return the card of the probe that measures a trait under a protocol.

    Args:
        protocol: names the probe and its thresholds.
        name: the trait.
        clips: labelled clips, at least one.
        instruments: loaded, with the roles of `cards.basis_of(name)` at least.
        folder: an empty folder for the canonical clips.
        origin: where the figures come from.
        n_processes: decoders at work at once.
        tell: is called with the number of clips of each batch that was read.

    Raises:
        ProtocolError: if no instrument measures the trait.
        UnfitClips: if clips cannot be used or decoded; lists all of them.
        CastboardError: if the instrument, not a clip, failed.
    """
    identity = identity_of(protocol, name)
    check_clips(name, clips)
    canonical = _canonical(clips, folder, n_processes)
    readings: list[ClipReadings] = []
    for start in range(0, len(canonical), BATCH):
        batch = canonical[start : start + BATCH]
        readings += instruments.read(batch, folder, {})
        tell(len(batch))
    return card_of(name, identity, _outcomes(protocol, name, clips, readings), origin, protocol.constants)


def _faults(measured: Trait, clip: LabelledClip) -> list[str]:
    faults = []
    if measured.kind is Kind.NUMERIC:
        if not _is_number(clip.label):
            faults.append(f"the label must be a number of {measured.unit or 'units'}, got {clip.label!r:.80}")
    elif clip.label not in measured.values:
        faults.append(f"the label must be one of {', '.join(measured.values)}, got {clip.label!r:.80}")
    if measured.name == "pace" and clip.script is None:
        faults.append('pace needs the "script" that is read')
    if measured.name == "pitch":
        genders = traits.trait("gender").values
        if clip.gender not in genders:
            faults.append(f'pitch needs the speaker\'s "gender", one of {", ".join(genders)}, got {clip.gender!r:.80}')
        if clip.age is None or not _is_number(clip.age) or float(clip.age) > _OLDEST:
            faults.append(f'pitch needs the speaker\'s "age", 0 to {_OLDEST:g} years, got {clip.age!r:.80}')
    if clip.sha256 is not None and sha256_of_file(clip.path) != clip.sha256:
        faults.append("the file is not the one whose sha256 the manifest names")
    return faults


def _is_number(text: str) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return math.isfinite(number) and number >= 0


def _canonical(clips: Sequence[LabelledClip], folder: Path, n_processes: int) -> tuple[Clip, ...]:
    ids = [ItemId(f"clip-{number:06}") for number in range(1, len(clips) + 1)]
    found, problems = [], []
    with Decoder(n_processes) as decoder:
        answers = [decoder.decode(clip.path, folder / f"{id_}.flac") for id_, clip in zip(ids, clips, strict=True)]
        for id_, clip, answer in zip(ids, clips, answers, strict=True):
            try:
                facts = answer.result()
            except DecodeError as error:
                problems.append(f"{clip.path.name}: it cannot be read as audio ({error.code}): {error}")
                continue
            found.append(
                Clip(
                    item_id=id_,
                    sha256=facts.sha256,
                    duration_s=facts.duration_s,
                    rate_hz=facts.rate_hz,
                    bit_depth=facts.bit_depth,
                    source_format=facts.source_format,
                    source_channels=facts.source_channels,
                )
            )
    if problems:
        raise UnfitClips(problems)
    return tuple(found)


def _outcomes(
    protocol: Protocol, name: str, clips: Sequence[LabelledClip], readings: Sequence[ClipReadings]
) -> list[Outcome]:
    spoken = normaliser(protocol.normaliser)
    references = _references(clips, readings)
    outcomes, failures = [], []
    for clip, reading in zip(clips, readings, strict=True):
        scene = Scene(
            item=_made_up(name, clip, reading.item_id),
            readings=reading,
            protocol=protocol,
            normaliser=spoken,
            reference_dbfs=references.get(clip.group or ""),
        )
        found = finding_of(name, scene)
        if found is None or (isinstance(found, Unread) and found.fault == "instrument"):
            failures.append(f"{clip.path.name}: {found.detail or found.reason if found else 'nothing was reported'}")
            continue
        bucket, quantity = (found.bucket, found.quantity) if isinstance(found, Measured) else ("", None)
        outcomes.append(Outcome(label=clip.label, measured=bucket or None, quantity=quantity, group=clip.group or ""))
    if failures:
        shown = "; ".join(failures[:_SHOWN])
        raise CastboardError(
            f"the instrument, not the clip, failed on {len(failures)} clips, and that never counts as an error of "
            f"its own: {shown}. Mend it and run this again."
        )
    return outcomes


def _references(clips: Sequence[LabelledClip], readings: Sequence[ClipReadings]) -> Mapping[str, float]:
    """Return each group's own normal level, dBFS, as scoring takes a submission's."""
    levels: dict[str, list[float]] = defaultdict(list)
    for clip, reading in zip(clips, readings, strict=True):
        if clip.label == loudness.NORMAL and isinstance(reading.acoustics, Acoustics):
            levels[clip.group or ""].append(reading.acoustics.level_dbfs)
    return {group: round(loudness.reference_dbfs(found), DECIMALS) for group, found in levels.items()}


def _made_up(name: str, clip: LabelledClip, item_id: ItemId) -> Item:
    facts = {"gender": clip.gender, "age": clip.age, name: clip.label}
    return Item(
        id=item_id,
        instruction="",
        script=clip.script or "",
        requested={key: value for key, value in facts.items() if value is not None},
        tier=0,
        split="public",
    )
