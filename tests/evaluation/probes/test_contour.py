"""A contour draws a clip as it is: its peaks, its level and its pitch, in bins that fit its length."""

import numpy as np
import pytest

from evaluation.probes.contour import (
    FULL_SCALE,
    LOWEST_DBFS,
    MOST_BINS,
    Contour,
    ContourReader,
    bin_length_s,
    n_bins,
)

RATE_HZ = 16_000

pytestmark = pytest.mark.models


@pytest.fixture(scope="module")
def reader() -> ContourReader:
    """Load the tracker once."""
    return ContourReader.load()


def voice(f0_hz: float, seconds: float, *, amplitude: float = 0.1) -> np.ndarray:
    """Return a steady tone with overtones."""
    t = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    wave = sum(np.sin(2 * np.pi * f0_hz * k * t) / k for k in range(1, 9))
    return np.asarray(amplitude * wave, dtype=np.float32)


@pytest.mark.parametrize(
    ("duration_s", "length_s"), [(0.001, 0.02), (0.02, 0.02), (12.0, 0.02), (12.01, 0.04), (24.0, 0.04), (120.0, 0.2)]
)
def test_bins_are_short_and_at_most_six_hundred(duration_s: float, length_s: float) -> None:
    """Up to 12 s a bin has 20 ms; a longer clip has longer ones, never more of them."""
    assert bin_length_s(duration_s) == length_s
    assert 1 <= n_bins(duration_s, length_s) <= MOST_BINS


def test_pitch_stands_where_the_voice_is(reader: ContourReader) -> None:
    """A tone of 200 Hz between silences has that pitch in its bins alone."""
    silence = np.zeros(RATE_HZ // 2, dtype=np.float32)
    drawn = reader.read(np.concatenate((silence, voice(200.0, 1.0), silence)), RATE_HZ)
    inside = drawn.f0_hz[30:70]
    assert all(f0 is not None and abs(f0 - 200.0) < 4.0 for f0 in inside)
    assert all(f0 is None for f0 in (*drawn.f0_hz[:20], *drawn.f0_hz[-20:]))


def test_level_and_peaks_are_those_of_the_samples(reader: ContourReader) -> None:
    """A square wave of half of full scale has that peak on both sides and the level of its power, -6 dBFS."""
    square = np.where(np.arange(RATE_HZ) // 40 % 2, 0.5, -0.5).astype(np.float32)
    drawn = reader.read(square, RATE_HZ)
    assert set(drawn.low) == {-64} and set(drawn.high) == {64}
    assert set(drawn.level_dbfs) == {-6.0}
    assert (drawn.duration_s, drawn.bin_s, len(drawn.low)) == (1.0, 0.02, 50)


def test_silence_has_neither_level_nor_pitch(reader: ContourReader) -> None:
    """A clip of zeros is a flat line."""
    drawn = reader.read(np.zeros(4_000, dtype=np.float32), RATE_HZ)
    assert set(drawn.level_dbfs) == set(drawn.f0_hz) == {None}
    assert set(drawn.low) == set(drawn.high) == {0}


@pytest.mark.parametrize("n_samples", [1, 2, 319, 320, 321, 1_599, 1_601])
def test_the_shortest_clips_have_every_column(reader: ContourReader, n_samples: int) -> None:
    """However short a clip, its columns have one length, and what they hold can be drawn."""
    drawn = reader.read(np.full(n_samples, -1.0, dtype=np.float32), RATE_HZ)
    expected = n_bins(n_samples / RATE_HZ, drawn.bin_s)
    assert {len(column) for column in (drawn.low, drawn.high, drawn.level_dbfs, drawn.f0_hz)} == {expected}
    assert set(drawn.low) == {-FULL_SCALE}


def test_gain_moves_levels_and_not_pitch(reader: ContourReader) -> None:
    """Ten times as faint is 20 dB lower everywhere, with the same pitch."""
    loud, faint = (reader.read(voice(150.0, 0.6, amplitude=size), RATE_HZ) for size in (0.1, 0.01))
    assert loud.f0_hz == pytest.approx(faint.f0_hz, abs=0.2)
    assert {one - other for one, other in _levels(loud, faint)} == {20.0}


def test_faint_noise_is_held_at_the_lowest_level(reader: ContourReader) -> None:
    """A level is either none or at least the lowest that is told."""
    noise = 2e-5 * np.random.default_rng(3).standard_normal(RATE_HZ).astype(np.float32)
    levels = reader.read(noise, RATE_HZ).level_dbfs
    assert all(level is None or LOWEST_DBFS <= level <= 0.0 for level in levels)
    assert any(level is not None for level in levels)


def _levels(one: Contour, other: Contour) -> list[tuple[float, float]]:
    pairs = zip(one.level_dbfs, other.level_dbfs, strict=True)
    return [(a, b) for a, b in pairs if a is not None and b is not None]
