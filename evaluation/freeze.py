"""From a draft to a protocol: every name becomes a commit or a hash, or all that stands in the way is told at once."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from evaluation import recipes
from evaluation.errors import CastboardError, ProtocolError
from evaluation.freeze_check import no_canary, unpinned
from evaluation.freeze_draft import Draft, DraftJudge, DraftModel, problems
from evaluation.freeze_hub import ModelUnresolved, Resolved, from_folder, from_hub, opened
from evaluation.frozen_constants import FROZEN
from evaluation.gate.normalisers import NEWEST
from evaluation.models import LOCAL
from evaluation.packaged import ROLES, check_installed, check_packaged
from evaluation.pins import Anchor, JudgeRecipe
from evaluation.probes.classifiers.canary_files import read_canary
from evaluation.probes.classifiers.catalogue import Candidate, default_for, instrument_of, wanted_files
from evaluation.probes.classifiers.labels import check_label_map, label_files
from evaluation.protocol import Instrument, Protocol
from evaluation.traits import TRAITS, trait

T = TypeVar("T")

_MANIFEST_ENDS = ".jsonl"
_NO_ANCHOR = Anchor(name="", submission="", clips={})


class FreezeError(ProtocolError):
    """A draft cannot be frozen.

    Attributes:
        problems: everything that stands in the way, one sentence each.
    """

    def __init__(self, name: str, found: tuple[str, ...]) -> None:
        """Carry all problems of the draft called `name`."""
        listed = "\n".join(f"- {problem}" for problem in found)
        many = "1 thing stands" if len(found) == 1 else f"{len(found)} things stand"
        super().__init__(f"{many} in the way of freezing {name}:\n{listed}")
        self.problems = found


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What a draft is frozen with."""

    base: Protocol
    """The protocol that the draft is based on."""
    candidates: Collection[Candidate]
    """The catalogue of models."""
    models: Path
    """Folder of all models and canaries."""
    allows_non_commercial: bool
    """Whether models whose licence forbids commercial use may be pinned."""
    anchor: Callable[[], Anchor] | None
    """Reads the judge's anchor; None if none was named."""
    canaries: Mapping[str, Path] = field(default_factory=dict)
    """Canary manifests by trait; they go before those that the draft names."""
    endpoint: str | None = None
    """Address of the hub; None for the client's own."""


def freeze(draft: Draft, shop: Workshop) -> Protocol:
    """Return the protocol that `draft` is today; the same draft may give another one tomorrow.

    Raises:
        FreezeError: with everything that stands in the way.
    """
    packaged = {role: one for role, one in shop.base.instruments.items() if one.model is None}
    found = list(problems(draft, tuple(packaged)))
    instruments = _instruments(draft, shop, packaged, found)
    anchor = _anchor(shop, found)
    protocol = Protocol(
        name=draft.name,
        track=shop.base.track,
        corpus=draft.corpus or shop.base.corpus,
        dimensions=draft.dimensions,
        not_measured=draft.not_measured,
        instruments=instruments,
        normaliser=NEWEST,
        constants=FROZEN,
        judge=_judge(draft.judge, anchor) if draft.judge else None,
    )
    found += [*_not_installed(protocol), *_short_anchor(protocol), *unpinned(protocol)]
    if found:
        raise FreezeError(draft.name or "the draft", tuple(dict.fromkeys(found)))
    return protocol


def canary_path(name: str, model: DraftModel, named: Mapping[str, Path]) -> Path | None:
    """Return the canary manifest of a trait's model: that of `named`, else the draft's own; None if that is no path."""
    own = Path(model.canary) if model.canary.endswith(_MANIFEST_ENDS) else None
    return named.get(name, own)


def _instruments(
    draft: Draft, shop: Workshop, packaged: Mapping[str, Instrument], found: list[str]
) -> dict[str, Instrument]:
    """Return every instrument that can be had; what stands in the way of others is added to `found`."""
    named = [role for role in draft.instruments if role in ROLES and role in packaged]
    instruments = {role: _packaged(role, packaged[role]) for role in named}
    for name, model in draft.models.items():
        faults: list[str] = []
        instrument = _pinned(name, model, shop, faults)
        found += [f"{name}: {fault}" for fault in faults]
        if instrument is not None:
            instruments[name] = instrument
    return instruments


def _anchor(shop: Workshop, found: list[str]) -> Anchor:
    try:
        return shop.anchor() if shop.anchor else _NO_ANCHOR
    except CastboardError as error:
        found.append(f"judge: {error}")
        return _NO_ANCHOR


def _packaged(role: str, of_base: Instrument) -> Instrument:
    """Return an instrument of the base as this version runs it; what the base chose freely stays."""
    free = {name: of_base.settings[name] for name in recipes.FREE_SETTINGS.get(role, ()) if name in of_base.settings}
    return replace(of_base, settings={**recipes.settings(role), **free}, weights=recipes.weights(role))


def _pinned(name: str, model: DraftModel, shop: Workshop, faults: list[str]) -> Instrument | None:
    """Return the instrument of one trait, or None; model, hub, labels and canary are all looked at.

    A pin whose labels the model does not have could not be mended later: no run would start under its protocol.
    """
    candidate = _tried(lambda: _candidate(name, model, shop), faults)
    if candidate is None:
        return None
    canary = _tried(lambda: _canary(name, model, shop), faults)
    if canary == "":
        faults.append(no_canary(candidate.repo))
    resolved = _tried(lambda: _resolved(candidate, model, shop), faults)
    if resolved is None:
        return None
    instrument = instrument_of(candidate, resolved.revision, resolved.files, canary or "")
    _tried(lambda: _check_labels(name, instrument, candidate.repo, resolved, shop), faults)
    return None if canary is None else instrument


def _check_labels(name: str, instrument: Instrument, repo: str, resolved: Resolved, shop: Workshop) -> None:
    with opened(repo, resolved, label_files(instrument), shop.models, endpoint=shop.endpoint) as folder:
        check_label_map(trait(name), instrument, folder)


def _tried(attempt: Callable[[], T], faults: list[str]) -> T | None:
    try:
        return attempt()
    except CastboardError as error:
        faults.append(str(error))
        return None


def _resolved(candidate: Candidate, model: DraftModel, shop: Workshop) -> Resolved:
    choose = partial(wanted_files, candidate)
    if model.revision == LOCAL:
        return from_folder(candidate.repo, choose, shop.models)
    try:
        return from_hub(candidate.repo, model.revision or None, choose, endpoint=shop.endpoint)
    except ModelUnresolved as error:
        folder = shop.models / candidate.repo.replace("/", "--")
        files = ", ".join((*candidate.files, *([" or ".join(candidate.weights)] if candidate.weights else [])))
        raise ModelUnresolved(
            f'{error}. Freeze where the hub can be reached, or copy {files} into {folder} and write revision = "local"'
        ) from error


def _candidate(trait: str, model: DraftModel, shop: Workshop) -> Candidate:
    if trait not in {one.name for one in TRAITS}:
        raise ProtocolError(
            f"no model reads it, since it is no trait; there are {', '.join(one.name for one in TRAITS)}"
        )
    found = _named(trait, model.candidate, shop) if model.candidate else default_for(trait, shop.candidates)
    if found.is_non_commercial and not shop.allows_non_commercial:
        raise ProtocolError(
            f"the licence of {found.repo}, {found.licence}, forbids commercial use. Set CASTBOARD_NON_COMMERCIAL=1 if "
            f"that fits what you do, name another model, or move {trait} to not_measured with this reason"
        )
    return found


def _named(trait: str, name: str, shop: Workshop) -> Candidate:
    fitting = {one.name: one for one in shop.candidates if one.trait == trait}
    if name not in fitting:
        raise ProtocolError(f"the catalogue has no model {name!r:.80} for it; it has {', '.join(fitting) or 'none'}")
    return fitting[name]


def _canary(name: str, model: DraftModel, shop: Workshop) -> str:
    """Return the sha256 (hex) of the model's canary manifest; empty if none was named."""
    path = canary_path(name, model, shop.canaries)
    return model.canary if path is None else read_canary(trait(name), path).sha256


def _judge(judge: DraftJudge, anchor: Anchor) -> JudgeRecipe:
    from evaluation.judge import preparation, rubrics  # a resampler, which only a judged protocol needs

    return JudgeRecipe(
        backend=judge.backend,
        model=judge.model,
        dimensions=judge.dimensions,
        is_combined=judge.is_combined,
        votes=judge.votes,
        prompt=rubrics.VERSION,
        texts=rubrics.hashes(),
        preparation=preparation.settings(),
        temperature=judge.temperature,
        max_output_tokens=judge.max_output_tokens,
        n_asks=judge.n_asks,
        anchor=anchor,
    )


def _not_installed(protocol: Protocol) -> Iterator[str]:
    for role, instrument in protocol.instruments.items():
        try:
            if instrument.model is None:
                check_packaged(protocol, role)
            else:
                check_installed(instrument)
        except CastboardError as error:
            yield f"{role}: {error}"


def _short_anchor(protocol: Protocol) -> list[str]:
    if protocol.judge is None or not protocol.judge.anchor.clips:
        return []
    n_clips, n_items = len(protocol.judge.anchor.clips), protocol.corpus.n_items
    if n_clips == n_items:
        return []
    return [f"judge: the anchor must have a clip of each of the {n_items} items, it has {n_clips}; name another system"]
