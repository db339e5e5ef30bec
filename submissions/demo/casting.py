"""Which espeak-ng voice and pitch a direction calls for, from measured tables."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from submissions.demo.direction import Accent, Direction, Pitch, Sex

UNSAID_AGE_YEARS = 30
PITCH_SEMITONES: Mapping[Pitch, float] = {"low": -4.5, "medium": 0.0, "high": 4.5}

# espeak-ng has no Canadian, Australian or Indian English: each gets the nearest relative that it has.
_LANGUAGES: Mapping[Accent, str] = {
    "American": "en-us",
    "Canadian": "en-us",
    "British": "gmw/en",
    "Australian": "gmw/en",
    "Indian": "gmw/en",
}

# Habitual speaking F0 by age, Hz, rounded from the studies that the pitch probe's table names: boys and girls alike
# until the voice breaks at about 13, women's falling after 50, men's lowest in their forties and rising again.
_AGES_YEARS = (8, 12, 13, 14, 20, 25, 45, 55, 78)
_HABITUAL_HZ: Mapping[Sex, tuple[float, ...]] = {
    "female": (239, 226, 222, 222, 223, 224, 218, 200, 201),
    "male": (239, 222, 171, 148, 120, 120, 108, 115, 138),
}

# Measured: median F0, Hz, of six sentences at these pitch settings.
_PITCH_SETTINGS = (0, 20, 40, 60, 80, 99)
_VARIANT_HZ: Mapping[str, tuple[float, ...]] = {
    "f2": (125, 145, 176, 213, 268, 330),
    "m7": (74, 83, 97, 113, 136, 168),
    "Nguyen": (106, 115, 132, 159, 193, 236),
}
_WOMAN, _MAN, _BOY = "f2", "m7", "Nguyen"
_MAN_UP_TO_HZ = _VARIANT_HZ[_MAN][-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Casting:
    """A voice and its pitch setting."""

    voice: str
    """espeak-ng voice with its variant."""

    pitch: int
    """Pitch setting, 0..99."""


def cast(direction: Direction) -> Casting:
    """Return the voice for a direction; what is not said is an American man of thirty at his habitual pitch.

    A voice with an F0 the variant cannot reach is set as near as it goes.
    """
    sex = direction.sex or "male"
    wanted_hz = habitual_f0_hz(sex, direction.age_years or UNSAID_AGE_YEARS)
    wanted_hz *= 2 ** (PITCH_SEMITONES[direction.pitch or "medium"] / 12)
    variant = _variant(sex, wanted_hz)
    # F0 grows by about the same factor with each step of the setting, so interpolate its logarithm.
    setting = np.interp(np.log(wanted_hz), np.log(_VARIANT_HZ[variant]), _PITCH_SETTINGS)
    return Casting(voice=f"{_LANGUAGES[direction.accent or 'American']}+{variant}", pitch=round(float(setting)))


def habitual_f0_hz(sex: Sex, age_years: int) -> float:
    """Median F0 of an average speaker, Hz, by straight lines between the table's ages."""
    return float(np.interp(age_years, _AGES_YEARS, _HABITUAL_HZ[sex]))


def _variant(sex: Sex, wanted_hz: float) -> str:
    if sex == "female":
        return _WOMAN
    # The boy's variant is the highest of those that still sound male; the man's is the clearest.
    return _MAN if wanted_hz <= _MAN_UP_TO_HZ else _BOY
