"""Systems that are callables, synthesised, measured, scored and decided in one call: `benchmark`.

What one system raises or returns for one item costs that item only, with the reason. Nothing is published; for a row
that can be, send a zip.
"""

import logging
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from evaluation import audio
from evaluation.adapters import Speaks, as_system
from evaluation.api import load_protocol
from evaluation.audio_facts import ClipRefused
from evaluation.corpus import Corpus
from evaluation.decision import contender, decide
from evaluation.engine.local import LocalEngine
from evaluation.errors import CastboardError, ProtocolError
from evaluation.judge.backend import JudgeMisconfigured
from evaluation.judge.compare import Judge
from evaluation.preflight import preflight
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, Decision, Item, ItemId, SampleScore
from evaluation.run import Engine, Memory
from evaluation.scoring import score_submission
from evaluation.stages import read_clips
from evaluation.summary import Summary, summarise

log = logging.getLogger(__name__)

_MOST_BYTES = 50 << 20
_MOST_REASON = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScores:
    """One system, scored."""

    label: str
    """What it is called."""
    summary: Summary
    """Figures as on a board; failed items count there among the declined, with composite 0."""
    samples: tuple[SampleScore, ...]
    """Scores of every item."""
    readings: Mapping[ItemId, ClipReadings]
    """What was measured of every clip."""
    refused: tuple[ItemId, ...]
    """Items for which the system returned None."""
    failed: Mapping[ItemId, str]
    """Items for which it raised, or returned what is no clip, each with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTally:
    """What a judge said of one pair, naturalness only, beside the decision and never in it."""

    wins_a: int
    """Items on which it prefers the first."""
    ties: int
    """Items on which it prefers neither, or its two orders disagree."""
    wins_b: int
    """Items on which it prefers the second."""
    not_judged: Mapping[ItemId, str]
    """Items without a verdict, each with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairOutcome:
    """The decision of one pair."""

    a: str
    """Label of the first."""
    b: str
    """Label of the second."""
    decision: Decision
    """Who wins, with the arithmetic."""
    reason: str
    """The same as a sentence."""
    judge: JudgeTally | None
    """What the judge said; None without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """What came of a benchmark."""

    protocol: Protocol
    """What it was measured under."""
    items: tuple[Item, ...]
    """Items that were asked for."""
    is_partial: bool
    """Whether these are not all of the corpus; then no S is that of a board."""
    systems: Mapping[str, SystemScores]
    """Systems by label, in the order given."""
    pairs: tuple[PairOutcome, ...]
    """Every pair, in the order given."""

    @property
    def scores(self) -> dict[str, float]:
        """S of each system by label, 0..1."""
        return {label: one.summary.overall.score.mean or 0.0 for label, one in self.systems.items()}


def benchmark(
    corpus: Corpus,
    *systems: Any,
    protocol: str | Protocol = "lite",
    judge: Judge | None = None,
    labels: Sequence[str] | None = None,
    items: int | Sequence[str] | None = None,
    n_processes: int | None = None,
    models: Path | None = None,
    open_engine: Callable[[Protocol], AbstractContextManager[Engine]] | None = None,
) -> Benchmark:
    """Synthesise, measure, score and decide some systems.

    Args:
        corpus: the test set.
        systems: one or more callables `(text, instruction) -> audio bytes or None`, or systems of
            `evaluation.adapters`. They run in this process, one item after the other.
        protocol: protocol or its name; its corpus is replaced by the given one. It may have no judge.
        judge: compares the systems' clips pair by pair in naturalness, beside the decision; one that is made with
            `is_sandboxed=False` is much faster, and the clips are decoded by then.
        labels: what the systems are called; None for their own names.
        items: how many of the first items, or which ids; None for all.
        n_processes: evaluator processes, >= 1; None for the number of cores. Scores do not depend on it.
        models: folder of models that no package carries.
        open_engine: opens what reads the clips; None for processes of this machine.

    Returns:
        Scores of every system, and the decision of every pair with its reason.

    Raises:
        ValueError: for no system, labels that do not fit or come twice, or unknown items.
        ProtocolError: if the protocol has a judge of its own, or cannot be followed here.
        InstrumentFault: if an instrument of ours owes a reading.
        JudgeMisconfigured: if the judge can never answer.
    """
    named = _named(systems, labels)
    chosen = _chosen(corpus, items)
    recipe = load_protocol(protocol) if isinstance(protocol, str) else protocol
    if recipe.judge is not None:
        raise ProtocolError(f"protocol {recipe.name} has a judge with an anchor; evaluate clips under it with the verb")
    recipe = replace(recipe, corpus=corpus.pin)
    preflight(recipe, items=chosen, models=models)
    opened = open_engine or (
        lambda wanted: LocalEngine(wanted, n_processes=n_processes or os.cpu_count() or 1, models=models)
    )
    with tempfile.TemporaryDirectory(prefix="castboard-") as folder:
        places = {label: Path(folder) / f"{number:03d}" for number, label in enumerate(named)}
        spoken = {label: _spoken(system, chosen, places[label], label) for label, system in named.items()}
        with opened(recipe) as engine:  # once for all systems: loading takes longer than reading a few clips
            scored = {
                label: _scored(one, recipe, chosen, places[label], label=label, engine=engine)
                for label, one in spoken.items()
            }
        pairs = tuple(
            _pair(recipe, scored[a], scored[b], chosen, judge=judge, places=(places[a], places[b]))
            for a, b in combinations(scored, 2)
        )
    return Benchmark(
        protocol=recipe,
        items=chosen,
        is_partial=len(chosen) < len(corpus.items),
        systems=scored,
        pairs=pairs,
    )


def reason_of(decision: Decision) -> str:
    """Return a decision as a sentence with its arithmetic."""
    who = f"{decision.challenger} {'beats' if decision.is_win else 'ties with'} {decision.incumbent}"
    sign = ">" if decision.is_win else "<="
    return (
        f"{who}: S {decision.challenger_score:.6f} against {decision.incumbent_score:.6f}, "
        f"lower bound {decision.lcb:+.6f} {sign} margin {decision.margin:.6f}"
    )


def _named(systems: Sequence[Any], labels: Sequence[str] | None) -> dict[str, Speaks]:
    made = [as_system(one) for one in systems]
    names = list(labels) if labels is not None else [one.name for one in made]
    if not made or len(names) != len(made) or len(set(names)) != len(names):
        raise ValueError(f"give at least one system, and a label of its own for each; got {len(made)} and {names}")
    return dict(zip(names, made, strict=True))


def _chosen(corpus: Corpus, items: int | Sequence[str] | None) -> tuple[Item, ...]:
    if items is None:
        return corpus.items
    if isinstance(items, int):
        if not 1 <= items <= len(corpus.items):
            raise ValueError(f"items must be 1 to {len(corpus.items)}, got {items}")
        return corpus.items[:items]
    wanted = set(items)
    unknown = sorted(wanted - {item.id for item in corpus.items})
    if unknown or not wanted:
        raise ValueError(f"items must be ids of the corpus, got {unknown[:10] or 'none'}")
    return tuple(item for item in corpus.items if item.id in wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spoken:
    clips: tuple[Clip, ...]
    refused: tuple[ItemId, ...]
    failed: Mapping[ItemId, str]


def _spoken(system: Speaks, items: Sequence[Item], folder: Path, label: str) -> _Spoken:
    """Ask a system for every item and write what is a clip into `folder`."""
    folder.mkdir()
    clips: list[Clip] = []
    refused: list[ItemId] = []
    failed: dict[ItemId, str] = {}
    for item in items:
        outcome = _clip(system, item, folder)
        if isinstance(outcome, Clip):
            clips.append(outcome)
        elif outcome is None:
            refused.append(item.id)
        else:
            failed[item.id] = outcome
            log.info("item.failed", extra={"system": label, "item_id": item.id, "why": outcome})
    return _Spoken(clips=tuple(clips), refused=tuple(refused), failed=failed)


def _scored(
    spoken: _Spoken, recipe: Protocol, items: Sequence[Item], folder: Path, *, label: str, engine: Engine
) -> SystemScores:
    readings = read_clips(
        protocol=recipe,
        clips=spoken.clips,
        clips_dir=folder,
        store=Memory(),
        open_engine=lambda _: nullcontext(engine),
    )
    result = score_submission(recipe, items, readings, {*spoken.refused, *spoken.failed})
    return SystemScores(
        label=label,
        summary=summarise(recipe, items, result, readings),
        samples=result.samples,
        readings=readings,
        refused=spoken.refused,
        failed=spoken.failed,
    )


def _clip(system: Speaks, item: Item, folder: Path) -> Clip | str | None:
    """Return the canonical clip of an item, why there is none, or None if the system refused."""
    try:
        sound = system.speak(item)
    except Exception as error:  # noqa: BLE001 - whatever a system raises costs this item, not the run
        return f"it raised {type(error).__name__}: {error}"[:_MOST_REASON]
    if sound is None:
        return None
    if not isinstance(sound, bytes | bytearray):
        return f"it returned {type(sound).__name__} instead of bytes"
    if len(sound) > _MOST_BYTES:
        return f"it returned {len(sound):,} bytes; at most {_MOST_BYTES:,} are read"
    source, target = folder / "upload", folder / f"{item.id}.flac"
    source.write_bytes(sound)
    try:
        facts = audio.canonicalise(source, target)
    except ClipRefused as error:
        return "it returned no clip: " + "; ".join(f"{fault.code} ({fault.detail})" for fault in error.faults)
    return Clip(
        item_id=item.id,
        sha256=facts.sha256,
        duration_s=facts.duration_s,
        rate_hz=facts.rate_hz,
        bit_depth=facts.bit_depth,
        source_format=facts.source_format,
        source_channels=facts.source_channels,
    )


def _pair(
    recipe: Protocol,
    a: SystemScores,
    b: SystemScores,
    items: Sequence[Item],
    *,
    judge: Judge | None,
    places: tuple[Path, Path],
) -> PairOutcome:
    decision = decide(contender(a.label, a.samples), contender(b.label, b.samples), constants=recipe.constants)
    both = [item for item in items if item.id in a.readings and item.id in b.readings]
    tally = None if judge is None else _judged(judge, both, places)
    return PairOutcome(a=a.label, b=b.label, decision=decision, reason=reason_of(decision), judge=tally)


def _judged(judge: Judge, items: Sequence[Item], places: tuple[Path, Path]) -> JudgeTally:
    counts = {"a": 0, "tie": 0, "b": 0}
    not_judged: dict[ItemId, str] = {}
    for item in items:
        sounds = [(place / f"{item.id}.flac").read_bytes() for place in places]
        try:
            said = judge.compare(
                text=item.script,
                instruction=item.instruction,
                audio_a=sounds[0],
                audio_b=sounds[1],
                category=item.category,
            )
        except JudgeMisconfigured:
            raise
        except CastboardError as error:
            not_judged[item.id] = str(error)[:_MOST_REASON]
        else:
            counts[said.winner] += 1
    return JudgeTally(wins_a=counts["a"], ties=counts["tie"], wins_b=counts["b"], not_judged=not_judged)
