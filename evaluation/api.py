"""Corpus, protocol, probes and gate by name, for a researcher's own scripts; thin over the modules of a board."""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from evaluation import audio, corpus, protocol
from evaluation.corpus import Corpus, CorpusPin
from evaluation.gate.normalisers import Comparison, normaliser
from evaluation.instruments import Instruments
from evaluation.packaged import HEARING_ROLES
from evaluation.protocol import Protocol
from evaluation.records import Clip, ClipReadings, Item, ItemId, Transcript, WordErrors

_ONE = ItemId("clip")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """What the gate says of one clip."""

    passed: bool
    """Whether the word-error rate is within the protocol's limit."""
    errors: WordErrors
    """Counts and rate."""
    transcript: str
    """What was heard; of several hearings the one that counts."""
    comparison: Comparison
    """The words one by one, and the accepted reading that is nearest."""


class Gate:
    """Says whether a clip says the right words."""

    def __init__(self, recipe: Protocol, instruments: Instruments | None) -> None:
        """Judge by `recipe`; without instruments only texts can be checked. `load_gate` makes one."""
        self._recipe = recipe
        self._instruments = instruments

    def check(self, script: str, heard: str) -> GateCheck:
        """Return what the gate says of a transcript."""
        return self._best(script, [heard])

    def check_audio(self, script: str, wav: bytes) -> GateCheck:
        """Transcribe a sound file of any format that a submission may hold, and check it.

        Raises:
            ClipRefused: if it is no clip.
            ValueError: if the gate was loaded without ears.
        """
        if self._instruments is None:
            raise ValueError("this gate has no ears; load it with load_gate(..., hears=True)")
        heard = _read(self._instruments, wav).transcript
        return self._best(script, [one.text for one in heard.hearings()] if isinstance(heard, Transcript) else [""])

    def _best(self, script: str, heard: list[str]) -> GateCheck:
        item = Item(id=_ONE, instruction="", script=script, requested={}, tier=1, split="public")
        compare = normaliser(self._recipe.normaliser).compare
        comparison, text = min(((compare(item, one), one) for one in heard), key=lambda pair: pair[0].errors.wer)
        errors = comparison.errors
        return GateCheck(
            passed=errors.wer <= self._recipe.constants.wer_limit, errors=errors, transcript=text, comparison=comparison
        )


class Probes:
    """Loaded probes of a protocol; the same sound always gives the same readings."""

    def __init__(self, instruments: Instruments) -> None:
        """Read with loaded instruments; `load_probes` makes one."""
        self._instruments = instruments

    def read(self, wav: bytes) -> ClipReadings:
        """Return what the probes read of a sound file of any format that a submission may hold.

        Raises:
            ClipRefused: if it is no clip.
        """
        return _read(self._instruments, wav)


def load_corpus(name: str | Path, pin: CorpusPin | None = None) -> Corpus:
    """Return a verified corpus.

    Args:
        name: "benchmark_v1", or the path of a corpus file.
        pin: what a file must be; None trusts the file as it is, and pins that.

    Raises:
        CorpusMismatch: if the file is damaged or not the pinned one.
        MissingDependency: if the packaged corpus is not installed.

    Example:
        >>> load_corpus("benchmark_v1").items[0].requested["gender"] in ("male", "female")
        True
    """
    if str(name) == corpus.BENCHMARK_V1.name and pin is None:
        return corpus.load_benchmark_v1()
    path = Path(name)
    return corpus.load(path, pin or corpus.pin_of(path, path.stem))


def load_protocol(name: str | Path) -> Protocol:
    """Return a shipped protocol by its name, or one by the path of its JSON file.

    Raises:
        ProtocolError: if there is none, or it is malformed.

    Example:
        >>> load_protocol("lite").dimensions
        ('gender', 'pace', 'pitch', 'loudness', 'naturalness')
    """
    return protocol.load(str(name))


def load_probes(recipe: str | Protocol = "lite", *, models: Path | None = None) -> Probes:
    """Load everything of a protocol that measures a clip, but for the gate's ears.

    Args:
        recipe: the protocol or its name.
        models: folder of models that no package carries; None: there is none.

    Raises:
        MissingDependency, WeightsMismatch, ProtocolError: if an instrument is absent or another one.
    """
    found = _protocol(recipe)
    roles = [role for role in found.instruments if role not in HEARING_ROLES]
    return Probes(Instruments.load(found, roles=roles, models=models))


def load_gate(recipe: str | Protocol = "lite", *, hears: bool = False) -> Gate:
    """Return the gate of a protocol.

    Args:
        recipe: the protocol or its name.
        hears: whether it also loads its transcribers, so that it can check audio.

    Raises:
        MissingDependency, WeightsMismatch, ProtocolError: if an instrument is absent or another one.

    Example:
        >>> load_gate("lite").check("Meet me at 5 pm.", "Meet me at night.").passed
        False
    """
    found = _protocol(recipe)
    normaliser(found.normaliser)
    roles = [role for role in found.instruments if role in HEARING_ROLES]
    return Gate(found, Instruments.load(found, roles=roles) if hears else None)


def _protocol(recipe: str | Protocol) -> Protocol:
    return recipe if isinstance(recipe, Protocol) else load_protocol(recipe)


def _read(instruments: Instruments, wav: bytes) -> ClipReadings:
    with tempfile.TemporaryDirectory(prefix="castboard-") as folder:
        source, target = Path(folder) / "upload", Path(folder) / f"{_ONE}.flac"
        source.write_bytes(wav)
        facts = audio.canonicalise(source, target)
        clip = Clip(
            item_id=_ONE,
            sha256=facts.sha256,
            duration_s=facts.duration_s,
            rate_hz=facts.rate_hz,
            bit_depth=facts.bit_depth,
            source_format=facts.source_format,
            source_channels=facts.source_channels,
        )
        return instruments.read((clip,), Path(folder), {})[0]
