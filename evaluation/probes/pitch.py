"""Pitch: median F0 in semitones against what is usual for the requested gender and age. Pure.

The reference follows the request, not the voice that was heard: a wrong gender is paid for in gender, and
"a low-pitched woman" means low for a woman.
"""

from bisect import bisect_left
from collections.abc import Mapping
from math import log2
from typing import NamedTuple

LOW = "low"
MEDIUM = "medium"
HIGH = "high"

SEMITONES_PER_OCTAVE = 12


class Usual(NamedTuple):
    """Mean speaking F0 of one group of people."""

    age: float
    """Age in years (the middle of an age group)."""
    f0_hz: float
    """Mean speaking F0, Hz."""


# Sources, by age. Values of reading or conversational speech, no sustained vowels.
#  8         Girls and boys do not differ (Sorenson 1989, J Commun Disord 22:115-123). 239 Hz is the geometric mean of
#            220 Hz (Berger et al. 2019, J Voice: conversational voice of 2626 children, 223 Hz at 6, girls 206 Hz at
#            17, read off linearly) and 260 Hz (girl choristers reading, Herbst et al. 2025, Voice Foundation).
#  12, 13    Girls: the same two sources give 212 and 232 Hz at 13: 222 Hz. Boys at 12 have not broken yet: 222 Hz.
#  13.5      Boys: the steepest fall (Berger et al. 2019); taken half way, in semitones, from 222 to 102 Hz (their
#            boys at 17): 150 Hz. Single boys of that age stand on either side, so no reference can be close.
#  20..85    Men, reading: 120 Hz in the 20s, 107 Hz in the 40s, 146 Hz in the 80s, steadily changing between (Shipp and
#            Hollien 1972, J Acoust Soc Am 51:111; Hollien and Shipp 1972, J Speech Hear Res 15:155-159).
#  20..75    Women, reading, by decade from the 20s: 224, 213, 221, 199, 200, 202 Hz (Stoicheff 1981, J Speech Hear Res
#            24:437-441). The fall after 50 is confirmed by Nishio and Niimi 2008 (Folia Phoniatr Logop 60:120-127) and
#            Eichhorn et al. 2018 (J Voice 32:644).
USUAL: Mapping[str, tuple[Usual, ...]] = {
    "female": (
        Usual(8, 239),
        Usual(13, 222),
        Usual(25, 224),
        Usual(35, 213),
        Usual(45, 221),
        Usual(55, 199),
        Usual(65, 200),
        Usual(75, 202),
    ),
    "male": (
        Usual(8, 239),
        Usual(12, 222),
        Usual(13.5, 150),
        Usual(20, 120),
        Usual(25, 120),
        Usual(45, 107),
        Usual(85, 146),
    ),
}
"""Usual speaking F0 by gender, ascending in age. Part of the protocol: a changed row is a new protocol."""


def reference_hz(gender: str, age: float) -> float:
    """Return the usual speaking F0 for a gender and an age.

    Args:
        gender: "female" or "male".
        age: years; below the first and above the last row of the table, that row holds.

    Returns:
        F0 in Hz, interpolated over age on a logarithmic scale of frequency.

    Raises:
        KeyError: for another gender.

    Example:
        >>> from evaluation.probes.pitch import reference_hz
        >>> reference_hz("male", 45)
        107.0
    """
    rows = USUAL[gender]
    at = bisect_left(rows, age, key=lambda row: row.age)
    if at == 0 or at == len(rows):
        return float(rows[min(at, len(rows) - 1)].f0_hz)
    younger, older = rows[at - 1], rows[at]
    share = (age - younger.age) / (older.age - younger.age)
    return float(younger.f0_hz ** (1 - share) * older.f0_hz**share)


def semitones(f0_hz: float, gender: str, age: float) -> float:
    """Return how far a voice lies above (or below, negative) the usual for a gender and an age.

    Args:
        f0_hz: median voiced F0, Hz, > 0.
        gender: requested gender, "female" or "male".
        age: requested age in years.

    Returns:
        Semitones.

    Raises:
        ValueError: if `f0_hz` is not positive.

    Example:
        >>> from evaluation.probes.pitch import semitones
        >>> semitones(214.0, "male", 45)
        12.0
    """
    if f0_hz <= 0:
        raise ValueError(f"f0_hz must be positive, got {f0_hz}")
    return SEMITONES_PER_OCTAVE * log2(f0_hz / reference_hz(gender, age))


def bucket(distance_semitones: float, *, dead_zone: float) -> str:
    """Return "low", "medium" or "high".

    Args:
        distance_semitones: distance from the usual.
        dead_zone: half-width of "medium", semitones, >= 0; its ends are medium.
    """
    if distance_semitones < -dead_zone:
        return LOW
    return HIGH if distance_semitones > dead_zone else MEDIUM
