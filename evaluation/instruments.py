"""The instruments of one protocol, or some of them, loaded together: one clip in, all their readings out.

`evaluation.preflight` answers before a run whether everything that the protocol names is here and is the pinned
thing; loading and reading happen in evaluator processes only.
"""

import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from evaluation import audio
from evaluation.errors import ProtocolError
from evaluation.gate.doubt import doubt_of
from evaluation.gate.second_model import load_second
from evaluation.gate.transcribe import AGAIN, Transcriber
from evaluation.judge.mos import NaturalnessPredictor
from evaluation.packaged import ACOUSTIC_ROLES, check_packaged, trait_of
from evaluation.probes.acoustic import AcousticPass, Samples, to_16k
from evaluation.probes.classifiers.base import Probe
from evaluation.probes.classifiers.load import load_probe
from evaluation.probes.gender import GenderClassifier
from evaluation.probes.vad import RATE_HZ
from evaluation.protocol import Instrument, Protocol
from evaluation.records import Acoustics, Clip, ClipReadings, Hearing, PredictedMos, ProbeReading, Transcript, Unread

Tool = TypeVar("Tool")
Reading = TypeVar("Reading")

_PREPARE = "decode and resample"


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
    probes: Mapping[str, Probe]
    """Large models by the trait that they read; the gender probe of a package is not among them."""

    @classmethod
    def load(
        cls,
        protocol: Protocol,
        *,
        roles: Collection[str] | None = None,
        models: Path | None = None,
        allows_non_commercial: bool = False,
    ) -> "Instruments":
        """Load what `protocol` names.

        Args:
            protocol: the recipe.
            roles: roles to load, all of them of the protocol; None loads every one.
            models: folder that holds the models which no package carries; None: there is none.
            allows_non_commercial: whether models whose licence forbids commercial use may be loaded.

        Raises:
            MissingDependency, WeightsMismatch, ProtocolError: if an instrument is absent or another one.
            ProtocolError: for a role that the protocol does not have.
        """
        chosen = protocol.instruments.keys() if roles is None else roles
        strangers = sorted(set(chosen) - protocol.instruments.keys())
        if strangers:
            raise ProtocolError(f"protocol {protocol.name} has no instrument for {', '.join(strangers)}")
        named = {role: one for role, one in protocol.instruments.items() if role in chosen and one.model is None}
        for role in named:
            check_packaged(protocol, role)
        transcriber = Transcriber.load() if "transcriber" in named else None
        is_heard_again = transcriber is not None and "transcriber_again" in named
        return cls(
            acoustic=AcousticPass.load() if any(role in named for role in ACOUSTIC_ROLES) else None,
            gender=GenderClassifier.load() if "gender" in named else None,
            transcriber=transcriber,
            transcriber_again=transcriber.with_decoding(AGAIN) if transcriber and is_heard_again else None,
            second_transcriber=load_second() if "second_transcriber" in named else None,
            naturalness=_predictor(named["naturalness"]) if "naturalness" in named else None,
            probes={
                role: _large(role, one, models, allows_non_commercial=allows_non_commercial)
                for role, one in protocol.instruments.items()
                if role in chosen and one.model is not None
            },
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
        probes = self._many_probes(sounds, seconds)
        return tuple(
            ClipReadings(
                item_id=clip.item_id,
                clip_sha256=clip.sha256,
                acoustics=acoustics[i],
                transcript=self._heard_again(transcripts[i], sounds[i], acoustics[i], seconds),
                naturalness=self._naturalness(sounds[i], seconds),
                probes={**self._gender(sounds[i], seconds), **probes[i]},
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

    def _many_probes(self, clips: Sequence[Samples], seconds: dict[str, float]) -> list[dict[str, ProbeReading]]:
        found: list[dict[str, ProbeReading]] = [{} for _ in clips]
        for trait, probe in self.probes.items():
            with _timed(seconds, trait):
                many = probe.read_many(clips)
            for readings, reading in zip(found, many, strict=True):
                readings[trait] = reading
        return found

    def _gender(self, samples_16k: Samples, seconds: dict[str, float]) -> dict[str, ProbeReading]:
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


def _large(role: str, instrument: Instrument, models: Path | None, *, allows_non_commercial: bool) -> Probe:
    if models is None:
        raise ProtocolError(f"the model that reads {role} comes from no package; say where the folder of models is")
    probe = load_probe(trait_of(role), instrument, models, allows_non_commercial=allows_non_commercial)
    torch = sys.modules.get("torch")  # the loader's affair; some kinds need none
    if torch is not None:
        torch.set_num_threads(1)  # sums are cut by the number of threads, and no reading may depend on that
    return probe


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
