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

from evaluation import audio, weights
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.gate.doubt import doubt_of
from evaluation.gate.second_model import load_second
from evaluation.gate.transcribe import AGAIN, Transcriber
from evaluation.judge.mos import NaturalnessPredictor
from evaluation.probes.acoustic import AcousticPass, Samples, to_16k
from evaluation.probes.gender import GenderClassifier
from evaluation.probes.vad import RATE_HZ
from evaluation.protocol import Instrument, Protocol
from evaluation.records import Acoustics, Clip, ClipReadings, Hearing, Transcript, Unread

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
        ProtocolError: the protocol names a role that this version does not know.
    """
    for role, instrument in protocol.instruments.items():
        if role not in ROLES:
            raise ProtocolError(f"protocol {protocol.name}: no instrument reads {role!r}; roles are {', '.join(ROLES)}")
        _check(instrument)
    if "transcriber" not in protocol.instruments and any(role in protocol.instruments for role in HEARING_ROLES):
        raise ProtocolError(
            f"protocol {protocol.name}: clips can be heard again only if a transcriber heard them first"
        )


def _check(instrument: Instrument) -> None:
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
class _Sound:
    """One decoded clip."""

    samples: Samples
    """Mono, at the clip's own rate."""
    rate_hz: int
    """That rate, Hz."""
    samples_16k: Samples
    """The same at 16 kHz."""


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
            naturalness=_naturalness(named["naturalness"]) if "naturalness" in named else None,
        )

    def read(self, clips: Sequence[Clip], clips_dir: Path, seconds: dict[str, float]) -> tuple[ClipReadings, ...]:
        """Return all readings of some canonical clips; a clip's readings do not depend on its company.

        Args:
            clips: the clips' records; together they must fit in memory.
            clips_dir: holds each as `<item id>.flac`.
            seconds: gets the wall time of each instrument added, s, by its name.
        """
        with _timed(seconds, _PREPARE):
            sounds = [_sound(clips_dir / f"{clip.item_id}.flac") for clip in clips]
        transcripts = self._transcripts([sound.samples_16k for sound in sounds], seconds)
        return tuple(
            self._readings(clip, sound, transcript, seconds)
            for clip, sound, transcript in zip(clips, sounds, transcripts, strict=True)
        )

    def _readings(
        self, clip: Clip, sound: _Sound, transcript: Transcript | None, seconds: dict[str, float]
    ) -> ClipReadings:
        samples, rate_hz, samples_16k = sound.samples, sound.rate_hz, sound.samples_16k
        acoustics = _read(self.acoustic, "acoustics", seconds, lambda it: it.read(samples, rate_hz, samples_16k))
        return ClipReadings(
            item_id=clip.item_id,
            clip_sha256=clip.sha256,
            acoustics=acoustics,
            transcript=self._heard_again(transcript, samples_16k, acoustics, seconds),
            gender=_read(self.gender, "gender", seconds, lambda it: it.classify(samples_16k)),
            naturalness=_read(self.naturalness, "naturalness", seconds, lambda it: it.predict(samples_16k)),
        )

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


def _sound(path: Path) -> _Sound:
    samples, rate_hz = audio.read(path)
    return _Sound(samples=samples, rate_hz=rate_hz, samples_16k=to_16k(samples, rate_hz))


def _naturalness(instrument: Instrument) -> NaturalnessPredictor:
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
