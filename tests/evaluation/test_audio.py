"""The decoder: what it accepts, what the canonical clip holds, and that nothing else than a refusal comes out."""

import hashlib
import io
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.audio import canonicalise, quantise, read
from evaluation.audio_facts import CanonicalFacts, ClipRefused
from evaluation.errors import DecodeError
from tests.audio_factory import RATE_HZ, encoded, noise, tone, with_data_length, with_id3_art


def made(folder: Path, data: bytes) -> CanonicalFacts:
    """Make `data` canonical in `folder`, under a name that tells nothing."""
    source = folder / "member"
    source.write_bytes(data)
    return canonicalise(source, folder / "clip.flac")


def codes(facts: CanonicalFacts) -> list[str]:
    """Return the codes of the notes."""
    return [note.code for note in facts.notes]


def refusal(folder: Path, data: bytes) -> ClipRefused:
    """Return how `data` is refused; nothing may be left behind."""
    with pytest.raises(ClipRefused) as caught:
        made(folder, data)
    assert sorted(path.name for path in folder.iterdir()) == ["member"]
    return caught.value


@pytest.mark.parametrize(
    ("container", "coding", "bit_depth"),
    [
        ("WAV", "PCM_U8", 16),
        ("WAV", "PCM_16", 16),
        ("WAV", "PCM_24", 24),
        ("WAV", "PCM_32", 24),
        ("WAV", "FLOAT", 24),
        ("WAV", "DOUBLE", 24),
        ("WAV", "ULAW", 16),
        ("WAVEX", "PCM_16", 16),
        ("WAVEX", "PCM_24", 24),
        ("WAVEX", "FLOAT", 24),
        ("RF64", "PCM_16", 16),
        ("FLAC", "PCM_16", 16),
        ("FLAC", "PCM_24", 24),
        ("OGG", "VORBIS", 16),
        ("OGG", "OPUS", 16),
        ("MP3", "MPEG_LAYER_III", 16),
    ],
)
def test_every_allowed_format_becomes_a_canonical_clip(tmp_path, container, coding, bit_depth):
    """Each format is read by its content, keeps its rate, and sounds as before within its own precision."""
    samples = tone()
    facts = made(tmp_path, encoded(samples, container=container, coding=coding))
    clip, rate_hz = read(tmp_path / "clip.flac")
    info = soundfile.info(tmp_path / "clip.flac")
    assert (info.format, info.subtype, info.channels) == ("FLAC", f"PCM_{bit_depth}", 1)
    assert (facts.rate_hz, rate_hz, facts.bit_depth) == (RATE_HZ, RATE_HZ, bit_depth)
    assert facts.source_format == f"{container}/{coding}"
    assert facts.duration_s == 0.5
    assert facts.notes == ()
    assert facts.sha256 == hashlib.sha256((tmp_path / "clip.flac").read_bytes()).hexdigest()
    middle = slice(1000, 7000)
    assert np.abs(clip[middle] - samples[middle]).max() < (0.05 if bit_depth == 16 else 1e-6)


@pytest.mark.parametrize(("coding", "dtype"), [("PCM_16", "int16"), ("PCM_24", "int32")])
def test_whole_numbers_survive_exactly(tmp_path, coding, dtype):
    """A mono integer source has exactly the same samples in its canonical clip."""
    data = encoded(noise(level=1.0), coding=coding)
    made(tmp_path, data)
    before, _ = soundfile.read(io.BytesIO(data), dtype=dtype)
    after, _ = soundfile.read(tmp_path / "clip.flac", dtype=dtype)
    np.testing.assert_array_equal(after, before)


def test_same_bytes_give_the_same_clip(tmp_path):
    """Canonical bytes do not depend on the time, the path or an earlier clip."""
    data = encoded(noise(), coding="FLOAT")
    first = made(tmp_path, data)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert made(elsewhere, data) == first
    assert (elsewhere / "clip.flac").read_bytes() == (tmp_path / "clip.flac").read_bytes()


def test_stereo_is_averaged_and_noted(tmp_path):
    """Two channels become their mean."""
    left, right = tone(frequency_hz=200), tone(frequency_hz=300)
    facts = made(tmp_path, encoded(np.stack([left, right], axis=1), coding="PCM_24"))
    clip, _ = read(tmp_path / "clip.flac")
    assert np.abs(clip - (left + right) / 2).max() < 1e-6
    assert facts.source_channels == 2
    assert codes(facts) == ["stereo"]


def test_a_dead_side_is_named(tmp_path):
    """Stereo with one silent side is noted with the side, and halved as every average."""
    facts = made(tmp_path, encoded(np.stack([tone(), 0 * tone()], axis=1)))
    assert facts.has_dead_channel
    assert [note.detail for note in facts.notes] == ["right side silent"]
    assert np.abs(read(tmp_path / "clip.flac")[0]).max() == pytest.approx(0.15, abs=1e-3)


def test_silence_and_constant_are_noted(tmp_path):
    """Digital silence and pure DC are accepted and named."""
    silent = made(tmp_path, encoded(np.zeros(8000)))
    constant = made(tmp_path, encoded(np.full(8000, 0.25)))
    offset = made(tmp_path, encoded(tone() + 0.2))
    assert (silent.is_silent, silent.is_constant, codes(silent)) == (True, False, ["silent"])
    assert (constant.is_silent, constant.is_constant, codes(constant)) == (False, True, ["constant"])
    assert constant.dc_offset == pytest.approx(0.25, abs=1e-4)
    assert codes(offset) == ["dc_offset"]


def test_clipping_is_measured(tmp_path):
    """A tone driven far into full scale is mostly clipped; a clean one is not at all."""
    clipped = made(tmp_path, encoded(np.clip(tone(level=8.0), -1, 1)))
    assert codes(clipped) == ["clipping"]
    assert 0.8 < clipped.clipped_share < 1.0
    assert made(tmp_path, encoded(tone())).clipped_share == 0.0


def test_floats_beyond_full_scale_are_held_and_noted(tmp_path):
    """A float source of peak 2 is cut at full scale, and told so with its peak."""
    facts = made(tmp_path, encoded(tone(level=2.0, frequency_hz=1000), coding="FLOAT"))
    clip, _ = read(tmp_path / "clip.flac")
    assert codes(facts) == ["over_full_scale"]
    assert facts.peak == pytest.approx(2.0, abs=0.01)
    assert (clip.max(), clip.min()) == (pytest.approx(1.0, abs=1e-6), -1.0)
    integers = made(tmp_path, encoded(tone(level=20000.0), coding="FLOAT"))
    assert "integers stored as floats" in integers.notes[0].detail


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("coding", ["FLOAT", "DOUBLE"])
def test_samples_that_are_no_numbers_are_refused(tmp_path, bad, coding):
    """NaN and infinite samples are counted and the first is located."""
    samples = tone()
    samples[[4000, 5000]] = bad
    error = refusal(tmp_path, encoded(samples, coding=coding))
    assert error.code == "nonfinite"
    assert error.faults[0].detail == "2 samples, the first at 0.250 s"


@pytest.mark.parametrize("rate_hz", [8_000, 22_050, 44_100, 192_000])
def test_rates_within_the_limits_are_kept(tmp_path, rate_hz):
    """A clip keeps its native rate; below 16 kHz this is noted."""
    facts = made(tmp_path, encoded(tone(rate_hz=rate_hz), rate_hz=rate_hz))
    assert facts.rate_hz == read(tmp_path / "clip.flac")[1] == rate_hz
    assert codes(facts) == (["low_rate"] if rate_hz < 16_000 else [])


@pytest.mark.parametrize("rate_hz", [1, 7_999, 96_001, 192_001, 1_000_000])
def test_other_rates_are_refused(tmp_path, rate_hz):
    """A rate outside 8..192 kHz, or one that FLAC cannot name, is refused with its value."""
    error = refusal(tmp_path, encoded(tone(), rate_hz=rate_hz))
    assert (error.code, error.faults[0].detail) == ("rate_not_allowed", f"{rate_hz} Hz")


def test_all_header_faults_come_at_once(tmp_path):
    """Three channels at 4 kHz are two faults of one file."""
    error = refusal(tmp_path, encoded(np.zeros((9000, 3)), rate_hz=4000))
    assert [fault.code for fault in error.faults] == ["too_many_channels", "rate_not_allowed"]


@pytest.mark.parametrize(
    ("n_samples", "code"), [(3199, "too_short"), (3200, None), (1_920_000, None), (1_920_001, "too_long")]
)
def test_length_limits_include_their_ends(tmp_path, n_samples, code):
    """0.2 s and 120 s are allowed; one sample less or more is not."""
    data = encoded(noise(duration_s=n_samples / RATE_HZ, level=0.01))
    if code is None:
        assert made(tmp_path, data).duration_s == n_samples / RATE_HZ
    else:
        assert refusal(tmp_path, data).code == code


@pytest.mark.parametrize("claimed", [0, 0xFFFFFFFF, 0x7FFFFFFF, 0x7FFFFFDB])
def test_a_streamed_wav_is_read_to_its_end(tmp_path, claimed):
    """A placeholder for the length loses no sample and is noted; the file itself is not changed."""
    whole = encoded(noise())
    facts = made(tmp_path, with_data_length(whole, claimed))
    assert codes(facts) == ["streamed_header"]
    assert (tmp_path / "member").read_bytes() == with_data_length(whole, claimed)
    expected, _ = soundfile.read(io.BytesIO(whole), dtype="float32")
    np.testing.assert_array_equal(read(tmp_path / "clip.flac")[0], expected)


def test_a_wav_that_claims_too_much_is_read_and_noted(tmp_path):
    """A cut file gives what it holds, with both lengths."""
    facts = made(tmp_path, with_data_length(encoded(noise()), 32_000))
    assert facts.duration_s == 0.5
    assert [(note.code, note.detail) for note in facts.notes] == [("cut_short", "16000 of 32000 bytes of audio")]


def test_a_wav_that_claims_too_little_is_read_as_claimed(tmp_path):
    """Bytes after the declared audio are not read, and noted; a tag chunk there is no surplus."""
    wav = encoded(noise())
    assert made(tmp_path, wav + b"LIST" + struct.pack("<I", 4) + b"INFO").notes == ()
    facts = made(tmp_path, with_data_length(wav, 8_000))
    assert facts.duration_s == 0.25
    assert [(note.code, note.detail) for note in facts.notes] == [("surplus_bytes", "8000 bytes")]


def test_a_header_alone_is_refused(tmp_path):
    """A WAV without a sample is empty; one that ends inside its header is damaged."""
    wav = encoded(noise())
    assert refusal(tmp_path, with_data_length(wav[:44], 0)).code == "empty"
    assert refusal(tmp_path, wav[:44]).code == "empty"
    assert refusal(tmp_path, wav[:20]).code == "damaged"


def test_mp3_with_a_picture_is_read(tmp_path):
    """300 kB of ID3 art before the audio change nothing."""
    mp3 = encoded(tone(duration_s=1.0), container="MP3", coding="MPEG_LAYER_III")
    plain = made(tmp_path, mp3)
    assert made(tmp_path, with_id3_art(mp3)) == plain


@pytest.mark.parametrize(
    ("data", "code", "found"),
    [
        (b"", "not_audio", "an empty file"),
        (b"This is not audio.\n" * 500, "not_audio", "a text file"),
        (b"<!DOCTYPE html><html></html>" * 20, "not_audio", "an HTML or XML text"),
        (b"version https://git-lfs.github.com/spec/v1\noid", "not_audio", "a Git LFS pointer"),
        (b"PK\x03\x04" + bytes(500), "not_audio", "a zip file"),
        (bytes(10_000), "not_audio", "a file of zero bytes"),
        (bytes(range(1, 30)) * 100, "not_audio", "bytes of no known audio format"),
        (b"\x00\x00\x00\x20ftypM4A " + bytes(500), "not_audio", "an MP4 or M4A file"),
        (encoded(tone(), container="AIFF"), "format_not_allowed", "AIFF with PCM_16"),
        (encoded(tone(), coding="IMA_ADPCM"), "format_not_allowed", "WAV with IMA_ADPCM"),
    ],
)
def test_other_files_are_named(tmp_path, data, code, found):
    """What is no allowed audio is refused with what it is."""
    error = refusal(tmp_path, data)
    assert error.code == code
    assert found in error.faults[0].detail


@pytest.mark.parametrize(("container", "coding"), [("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("OGG", "OPUS")])
def test_half_a_file_is_damaged(tmp_path, container, coding):
    """A compressed file that ends in the middle is refused as damaged."""
    data = encoded(noise(), container=container, coding=coding)
    assert refusal(tmp_path, data[: len(data) // 2]).code == "damaged"


def test_half_an_mp3_is_read_and_noted(tmp_path):
    """MP3 frames stand alone: what is there is read, and the loss is noted."""
    data = encoded(tone(duration_s=2.0), container="MP3", coding="MPEG_LAYER_III")
    assert codes(made(tmp_path, data[: len(data) // 2])) == ["cut_short"]


def test_an_old_clip_survives_a_refusal(tmp_path):
    """A target appears whole or not at all: a refused source leaves the one before."""
    made(tmp_path, encoded(tone()))
    before = (tmp_path / "clip.flac").read_bytes()
    with pytest.raises(ClipRefused):
        made(tmp_path, b"no audio")
    assert (tmp_path / "clip.flac").read_bytes() == before


@given(data=st.binary(max_size=2000))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_bytes_are_only_ever_refused(tmp_path, data):
    """Random bytes give facts or a refusal, nothing else."""
    try:
        assert isinstance(made(tmp_path, data), CanonicalFacts)
    except ClipRefused as refused:
        assert refused.faults


_SEEDS = [
    encoded(noise(duration_s=0.3), container=container, coding=coding)
    for container, coding in (
        ("WAV", "PCM_16"),
        ("WAVEX", "FLOAT"),
        ("FLAC", "PCM_16"),
        ("OGG", "VORBIS"),
        ("OGG", "OPUS"),
        ("MP3", "MPEG_LAYER_III"),
    )
]


@given(
    seed=st.sampled_from(_SEEDS),
    changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), min_size=1, max_size=6),
)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_broken_headers_are_read_or_refused(tmp_path, seed, changes):
    """Changed bytes in a real header give finite mono audio within the limits, or a refusal."""
    data = bytearray(seed)
    for at, value in changes:
        data[at % len(data)] = value
    try:
        facts = made(tmp_path, bytes(data))
    except ClipRefused:
        return
    samples, rate_hz = read(tmp_path / "clip.flac")
    assert np.isfinite(samples).all()
    assert 0.2 <= len(samples) / rate_hz <= 120
    assert facts.duration_s == round(len(samples) / rate_hz, 6)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=20))
def test_quantising_stays_within_the_word(values):
    """Whatever the value, the step fits the word, and a step's own value is kept."""
    steps = quantise(np.array(values), 16)
    assert steps.min() >= -32768
    assert steps.max() <= 32767
    np.testing.assert_array_equal(quantise(steps / 32768, 16), steps)


def test_reading_something_else_is_an_error(tmp_path):
    """`read` takes canonical clips only."""
    (tmp_path / "a.flac").write_bytes(b"no audio")
    with pytest.raises(DecodeError, match="cannot be read"):
        read(tmp_path / "a.flac")
    (tmp_path / "b.flac").write_bytes(encoded(np.zeros((9000, 2)), container="FLAC"))
    with pytest.raises(DecodeError, match="must be mono"):
        read(tmp_path / "b.flac")
