"""Pace: spoken words per second between the first and the last voiced sound. Pure."""

from evaluation.records import Acoustics

SLOW = "slow"
MODERATE = "moderate"
FAST = "fast"


def words_per_second(n_spoken_words: int, acoustics: Acoustics) -> float:
    """Return the speaking rate, pauses between the words included.

    Args:
        n_spoken_words: words of the script as it is spoken ("$5" counts two), >= 0.
        acoustics: reading of the clip.

    Returns:
        Words per second, >= 0.

    Raises:
        ValueError: if the reading holds no speech span; the acoustic pass never gives such a reading.

    Example:
        >>> from evaluation.probes.pace import words_per_second
        >>> from evaluation.records import Acoustics
        >>> reading = Acoustics(duration_s=5.0, speech_start_s=0.5, speech_end_s=4.5, pause_s=0.4,
        ...                     level_dbfs=-23.0, peak_dbfs=-3.0, f0_hz=120.0, voiced_share=0.6)
        >>> words_per_second(10, reading)
        2.5
    """
    span_s = acoustics.speech_end_s - acoustics.speech_start_s
    if span_s <= 0:
        raise ValueError(f"speech span must be longer than 0 s, got {span_s} s")
    return n_spoken_words / span_s


def bucket(words_per_second: float, *, slow_below: float, fast_from: float) -> str:
    """Return "slow", "moderate" or "fast".

    Args:
        words_per_second: speaking rate.
        slow_below: rates below this are slow, words/s.
        fast_from: rates from this on are fast, words/s; not below `slow_below`.
    """
    if words_per_second < slow_below:
        return SLOW
    return MODERATE if words_per_second < fast_from else FAST
