"""What a protocol leaves open. A run under a recipe that can change by itself would describe nothing."""

import re
from collections.abc import Iterator, Mapping

from evaluation.models import LOCAL
from evaluation.pins import Anchor, JudgeRecipe, ModelPin
from evaluation.protocol import Instrument, Protocol

_SHA256 = re.compile(r"[0-9a-f]{64}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_VERSION = re.compile(r"[0-9][0-9A-Za-z.+!-]*")
_WORDS = re.compile(r"[^a-z0-9]+")
_MOVING = frozenset({"latest", "newest", "current", "default", "auto", "nightly", "main", "experimental"})
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}$")


def unpinned(protocol: Protocol) -> tuple[str, ...]:
    """Return everything in `protocol` that could change while its id stays the same, one sentence each.

    Pure: nothing is looked up, so a pin that names what does not exist is not found here.
    """
    return tuple(_unpinned(protocol))


def moving_name(backend: str, model: str) -> str | None:
    """Return why a judge's model name may mean another model tomorrow; None if its provider keeps it fixed.

    What an endpoint of your own serves under a name is between you and it; only its name can be judged.
    """
    words = [word for word in _WORDS.split(model.lower()) if word]
    moving = sorted(_MOVING.intersection(words))
    if not words:
        return "no model is named"
    if moving:
        return f"the provider moves names with {', '.join(map(repr, moving))} in them"
    if backend == "openai" and words[0] in ("gpt", "chatgpt") and not _DATED.search(model):
        return "the provider moves such a name unless it ends in the date of a snapshot, as in -2025-08-28"
    return None


def no_canary(repo: str) -> str:
    """Return what is told of a model without a canary."""
    return f"no canary of {repo} is pinned; name a manifest of labelled clips as you freeze, --canary TRAIT=MANIFEST"


def _unpinned(protocol: Protocol) -> Iterator[str]:
    for name, sha256 in (("file", protocol.corpus.file_sha256), ("records", protocol.corpus.canonical_sha256)):
        if not _SHA256.fullmatch(sha256):
            yield f"corpus {protocol.corpus.name}: the sha256 of its {name} must be 64 hex digits, got {sha256!r:.80}"
    if protocol.corpus.forms_sha256 is not None and not _SHA256.fullmatch(protocol.corpus.forms_sha256):
        yield (
            f"corpus {protocol.corpus.name}: the sha256 of its spoken forms must be 64 hex digits, "
            f"got {protocol.corpus.forms_sha256!r:.80}"
        )
    if not protocol.normaliser:
        yield "the version of the spoken-form normaliser is missing"
    for role, instrument in protocol.instruments.items():
        yield from (f"{role}: {why}" for why in _instrument(instrument))
    if protocol.judge is not None:
        yield from (f"judge: {why}" for why in _judge(protocol.judge, protocol.corpus.n_items))


def _instrument(instrument: Instrument) -> Iterator[str]:
    for package, version in {instrument.package: instrument.version, **instrument.needs}.items():
        if not package or not _VERSION.fullmatch(version):
            yield f"the version of {package or 'its package'} must be one exact version, got {version!r:.40}"
    yield from _hashes("weight file", instrument.weights)
    if instrument.model is not None:
        yield from _model(instrument.model)


def _model(model: ModelPin) -> Iterator[str]:
    if model.revision != LOCAL and not _COMMIT.fullmatch(model.revision):
        yield (
            f"the revision of {model.repo} must be a commit of 40 hex digits, or {LOCAL!r} for a model that is on no "
            f"hub, got {model.revision!r:.60}; a branch or a tag can move"
        )
    if not model.files:
        yield f"no file of {model.repo} is pinned by its sha256"
    yield from _hashes(f"file of {model.repo}", model.files)
    if not model.canary_sha256:
        yield no_canary(model.repo)
    elif not _SHA256.fullmatch(model.canary_sha256):
        yield f"the sha256 of the canary of {model.repo} must be 64 hex digits, got {model.canary_sha256!r:.80}"


def _judge(judge: JudgeRecipe, n_items: int) -> Iterator[str]:
    why = moving_name(judge.backend, judge.model)
    if why is not None:
        yield f"the model {judge.model!r:.80} is not pinned: {why}"
    if not judge.prompt or not judge.texts:
        yield "the wording and the rubrics are not pinned by their sha256"
    yield from _hashes("text", judge.texts)
    if not judge.preparation:
        yield "nothing says how clips are prepared before they are sent"
    yield from _anchor(judge.anchor, n_items)


def _anchor(anchor: Anchor, n_items: int) -> Iterator[str]:
    if not anchor.submission:
        yield "no anchor is pinned; name a published submission as you freeze, --anchor SUBMISSION"
    elif not anchor.clips:
        yield "the clips of the anchor are not pinned by their sha256"
    elif len(anchor.clips) > n_items:
        yield f"the anchor has {len(anchor.clips)} clips, the corpus {n_items} items"
    yield from _hashes("clip of the anchor", anchor.clips)


def _hashes(what: str, hashes: Mapping[str, str]) -> Iterator[str]:
    wrong = [name for name, sha256 in hashes.items() if not _SHA256.fullmatch(sha256)]
    if wrong:
        more = f" and {len(wrong) - 3} more" if len(wrong) > 3 else ""
        yield f"the sha256 of the {what} {', '.join(wrong[:3])}{more} must be 64 hex digits"
