"""The instruments of one protocol, loaded together: one clip in, all its readings out.

`preflight` answers before a run whether everything that the protocol names is here and is the pinned
thing; loading and reading happen in evaluator processes only.
"""

import importlib.metadata
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from evaluation import audio, weights
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.gate.transcribe import Transcriber
from evaluation.judge.mos import NaturalnessPredictor
from evaluation.probes.acoustic import AcousticPass, to_16k
from evaluation.probes.gender import GenderClassifier
from evaluation.probes.vad import RATE_HZ
from evaluation.protocol import Instrument, Protocol
from evaluation.records import Clip, ClipReadings

Tool = TypeVar("Tool")
Reading = TypeVar("Reading")

ACOUSTIC_ROLES = ("vad", "f0", "level")
ROLES = (*ACOUSTIC_ROLES, "gender", "transcriber", "naturalness")
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


def _check(instrument: Instrument) -> None:
    install = f"pip install {instrument.package}=={instrument.version}"
    try:
        version = importlib.metadata.version(instrument.package)
    except importlib.metadata.PackageNotFoundError:
        raise MissingDependency(f"{instrument.name} ({instrument.package})", install) from None
    if version != instrument.version:
        raise MissingDependency(f"{instrument.package} {instrument.version} (here is {version})", install)
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
        return cls(
            acoustic=AcousticPass.load() if any(role in named for role in ACOUSTIC_ROLES) else None,
            gender=GenderClassifier.load() if "gender" in named else None,
            transcriber=Transcriber.load() if "transcriber" in named else None,
            naturalness=NaturalnessPredictor.load() if "naturalness" in named else None,
        )

    def read(self, clip: Clip, path: Path, seconds: dict[str, float]) -> ClipReadings:
        """Return all readings of one canonical clip.

        Args:
            clip: the clip's record.
            path: its FLAC file.
            seconds: gets the wall time of each instrument added, s, by its name.
        """
        with _timed(seconds, _PREPARE):
            samples, rate_hz = audio.read(path)
            samples_16k = to_16k(samples, rate_hz)
        acoustics = _read(self.acoustic, "acoustics", seconds, lambda it: it.read(samples, rate_hz, samples_16k))
        return ClipReadings(
            item_id=clip.item_id,
            clip_sha256=clip.sha256,
            acoustics=acoustics,
            transcript=_read(self.transcriber, "transcriber", seconds, lambda it: it.transcribe(samples_16k, RATE_HZ)),
            gender=_read(self.gender, "gender", seconds, lambda it: it.classify(samples_16k)),
            naturalness=_read(self.naturalness, "naturalness", seconds, lambda it: it.predict(samples_16k)),
        )


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
