"""The instruments of one protocol, loaded together: one clip in, all its readings out.

`preflight` answers before a run whether everything that the protocol names is here and is the pinned
thing; loading and reading happen in evaluator processes only.
"""

import importlib.metadata
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from evaluation import audio, recipes, weights
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.gate.doubt import doubt_of
from evaluation.gate.normalisers import normaliser
from evaluation.gate.second_model import load_second
from evaluation.gate.transcribe import AGAIN, Transcriber
from evaluation.judge.mos import NaturalnessPredictor
from evaluation.probes.acoustic import AcousticPass, Samples, to_16k
from evaluation.probes.gender import GenderClassifier
from evaluation.probes.vad import RATE_HZ
from evaluation.protocol import Instrument, Protocol
from evaluation.records import Acoustics, Clip, ClipReadings, Hearing, PredictedMos, ProbeReading, Transcript, Unread

Tool = TypeVar("Tool")
Reading = TypeVar("Reading")

ACOUSTIC_ROLES = ("vad", "f0", "level")
HEARING_ROLES = ("transcriber", "transcriber_again", "second_transcriber")
ROLES = (*ACOUSTIC_ROLES, "gender", *HEARING_ROLES, "naturalness")
"""What an instrument may be used for."""

_PREPARE = "decode and resample"


def preflight(protocol: Protocol) -> None:
    """Return if every instrument of `protocol` is installed at its pinned version with its pinned weights.

    Raises:
        MissingDependency: a package is absent or of another version; carries the install line.
        WeightsMismatch: a weight file is another one.
        ProtocolError: the protocol describes something else than what this version does.
    """
    normaliser(protocol.normaliser)
    for role, instrument in protocol.instruments.items():
        if role not in ROLES:
            raise ProtocolError(f"protocol {protocol.name}: no instrument reads {role!r}; roles are {', '.join(ROLES)}")
        _check_recipe(protocol, role, instrument)
        _check_installed(instrument)
    if "transcriber" not in protocol.instruments and any(role in protocol.instruments for role in HEARING_ROLES):
        raise ProtocolError(
            f"protocol {protocol.name}: clips can be heard again only if a transcriber heard them first"
        )


def _check_recipe(protocol: Protocol, role: str, instrument: Instrument) -> None:
    free = recipes.FREE_SETTINGS.get(role, ())
    named = {name: value for name, value in instrument.settings.items() if name not in free}
    if named != recipes.settings(role):
        raise ProtocolError(_otherwise(protocol, f"the settings of {role}", recipes.settings(role), named))
    missing = [name for name in free if name not in instrument.settings]
    if missing:
        raise ProtocolError(f"protocol {protocol.name}: the settings of {role} lack {', '.join(missing)}")
    if dict(instrument.weights) != recipes.weights(role):
        raise ProtocolError(
            _otherwise(protocol, f"the weights of {role}", recipes.weights(role), dict(instrument.weights))
        )


def _otherwise(protocol: Protocol, what: str, does: object, names: object) -> str:
    return (
        f"protocol {protocol.name}: {what} would not be what it names: this version does {does}, "
        f"the protocol names {names}. Use the version that it was written for, or write a protocol for this one."
    )


def _check_installed(instrument: Instrument) -> None:
    wanted = {instrument.package: instrument.version, **instrument.needs}
    install = "pip install " + " ".join(f"{package}=={version}" for package, version in wanted.items())
    for package, version in wanted.items():
        try:
            found = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            raise MissingDependency(f"{package}, which {instrument.name} needs,", install) from None
        # A local label names a build ("2.13.0+cpu"), not another version.
        if found.partition("+")[0] != version:
            raise MissingDependency(f"{package} {version} ({found} is), which {instrument.name} needs,", install)
    for file, sha256 in instrument.weights.items():
        weights.locate(instrument.package, file, sha256, install)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruments:
    """Loaded instruments; None where the protocol has none. The same clip always gives the same readings."""

    acoustic: AcousticPass | None
    """The shared acoustic pass."""
    gender: GenderClassifier | None
    """The gender probe."""
    transcriber: Transcriber | None
    """The gate's transcriber."""
    transcriber_again: Transcriber | None
    """The same model under another setting, for clips in doubt."""
    second_transcriber: Transcriber | None
    """Another model, for clips in doubt."""
    naturalness: NaturalnessPredictor | None
    """The naturalness predictor."""

    @classmethod
    def load(cls, protocol: Protocol) -> "Instruments":
        """Load what `protocol` names.

        Raises:
            MissingDependency, WeightsMismatch, ProtocolError: as `preflight`.
        """
        preflight(protocol)
        named = protocol.instruments
        transcriber = Transcriber.load() if "transcriber" in named else None
        is_heard_again = transcriber is not None and "transcriber_again" in named
        return cls(
            acoustic=AcousticPass.load() if any(role in named for role in ACOUSTIC_ROLES) else None,
            gender=GenderClassifier.load() if "gender" in named else None,
            transcriber=transcriber,
            transcriber_again=transcriber.with_decoding(AGAIN) if transcriber and is_heard_again else None,
            second_transcriber=load_second() if "second_transcriber" in named else None,
            naturalness=_predictor(named["naturalness"]) if "naturalness" in named else None,
        )

    def read(self, clips: Sequence[Clip], clips_dir: Path, seconds: dict[str, float]) -> tuple[ClipReadings, ...]:
        """Return all readings of some canonical clips; a clip's readings do not depend on its company.

        Args:
            clips: the clips' records; at 16 kHz they must fit in memory together, at their own rate one by one.
            clips_dir: holds each as `<item id>.flac`.
            seconds: gets the wall time of each instrument added, s, by its name.
        """
        sounds: list[Samples] = []
        acoustics: list[Acoustics | Unread | None] = []
        for clip in clips:
            samples_16k, reading = self._acoustics(clips_dir / f"{clip.item_id}.flac", seconds)
            sounds.append(samples_16k)
            acoustics.append(reading)
        transcripts = self._transcripts(sounds, seconds)
        return tuple(
            ClipReadings(
                item_id=clip.item_id,
                clip_sha256=clip.sha256,
                acoustics=acoustics[i],
                transcript=self._heard_again(transcripts[i], sounds[i], acoustics[i], seconds),
                naturalness=self._naturalness(sounds[i], seconds),
                probes=self._probes(sounds[i], seconds),
            )
            for i, clip in enumerate(clips)
        )

    def _acoustics(self, path: Path, seconds: dict[str, float]) -> tuple[Samples, Acoustics | Unread | None]:
        with _timed(seconds, _PREPARE):
            samples, rate_hz = audio.read(path)
            samples_16k = to_16k(samples, rate_hz)
        return samples_16k, _read(
            self.acoustic, "acoustics", seconds, lambda it: it.read(samples, rate_hz, samples_16k)
        )

    def _probes(self, samples_16k: Samples, seconds: dict[str, float]) -> dict[str, ProbeReading]:
        found = _read(self.gender, "gender", seconds, lambda it: it.classify(samples_16k))
        return {} if found is None else {"gender": found}

    def _naturalness(self, samples_16k: Samples, seconds: dict[str, float]) -> PredictedMos | Unread | None:
        return _read(self.naturalness, "naturalness", seconds, lambda it: it.predict(samples_16k))

    def _transcripts(self, clips: Sequence[Samples], seconds: dict[str, float]) -> Sequence[Transcript | None]:
        # Windows of several clips are decoded together: quicker, and the texts are the same.
        many = _read(self.transcriber, "transcriber", seconds, lambda it: it.transcribe_many(clips, RATE_HZ))
        return many if many is not None else [None] * len(clips)

    def _heard_again(
        self,
        transcript: Transcript | None,
        samples_16k: Samples,
        acoustics: Acoustics | Unread | None,
        seconds: dict[str, float],
    ) -> Transcript | None:
        """Return a transcript with what else was heard, if it is in doubt and the protocol has other ears."""
        if transcript is None or (self.transcriber_again is None and self.second_transcriber is None):
            return transcript
        doubt = doubt_of(transcript.text, acoustics)
        if doubt is None:
            return transcript
        again, second = (
            _read(ears, "transcriber, again", seconds, lambda it: it.transcribe(samples_16k, RATE_HZ))
            for ears in (self.transcriber_again, self.second_transcriber)
        )
        return replace(transcript, doubt=doubt, again=_hearing(again), second=_hearing(second))


def _hearing(transcript: Transcript | None) -> Hearing | None:
    return transcript.hearings()[0] if transcript else None


def _predictor(instrument: Instrument) -> NaturalnessPredictor:
    return NaturalnessPredictor.load(hop_s=float(instrument.settings["hop_s"]))


def _read(
    instrument: Tool | None, name: str, seconds: dict[str, float], read: Callable[[Tool], Reading]
) -> Reading | None:
    if instrument is None:
        return None
    with _timed(seconds, name):
        return read(instrument)


@contextmanager
def _timed(seconds: dict[str, float], name: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    seconds[name] = seconds.get(name, 0.0) + time.perf_counter() - began
