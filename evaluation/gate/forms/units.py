"""Units of measure behind a number. Pure."""

import re

from evaluation.gate.forms.form import Form, any_of
from evaluation.gate.forms.quantities import quantity

# Symbol: singular, plural. What is written the same in both cases stands under its lower case only.
_UNITS = {
    "km": ("kilometer", "kilometers"), "m": ("meter", "meters"), "cm": ("centimeter", "centimeters"),
    "mm": ("millimeter", "millimeters"), "nm": ("nanometer", "nanometers"), "mi": ("mile", "miles"),
    "ft": ("foot", "feet"), "in": ("inch", "inches"), "yd": ("yard", "yards"), "kg": ("kilogram", "kilograms"),
    "g": ("gram", "grams"), "mg": ("milligram", "milligrams"), "lb": ("pound", "pounds"), "lbs": ("pound", "pounds"),
    "oz": ("ounce", "ounces"),
    "fl oz": ("fluid ounce", "fluid ounces"), "l": ("liter", "liters"), "ml": ("milliliter", "milliliters"),
    "cl": ("centiliter", "centiliters"), "dl": ("deciliter", "deciliters"), "gal": ("gallon", "gallons"),
    "qt": ("quart", "quarts"), "pt": ("pint", "pints"), "tsp": ("teaspoon", "teaspoons"),
    "tbsp": ("tablespoon", "tablespoons"), "mph": ("mile per hour", "miles per hour"),
    "kph": ("kilometer per hour", "kilometers per hour"), "kmh": ("kilometer per hour", "kilometers per hour"),
    "hz": ("hertz", "hertz"), "khz": ("kilohertz", "kilohertz"), "mhz": ("megahertz", "megahertz"),
    "ghz": ("gigahertz", "gigahertz"), "kb": ("kilobyte", "kilobytes"), "mb": ("megabyte", "megabytes"),
    "gb": ("gigabyte", "gigabytes"), "tb": ("terabyte", "terabytes"),
    "kbps": ("kilobit per second", "kilobits per second"), "mbps": ("megabit per second", "megabits per second"),
    "gbps": ("gigabit per second", "gigabits per second"), "w": ("watt", "watts"), "kw": ("kilowatt", "kilowatts"),
    "mw": ("megawatt", "megawatts"), "kwh": ("kilowatt hour", "kilowatt hours"), "v": ("volt", "volts"),
    "kv": ("kilovolt", "kilovolts"), "a": ("amp", "amps"), "mah": ("milliamp hour", "milliamp hours"),
    "pa": ("pascal", "pascals"), "kpa": ("kilopascal", "kilopascals"), "psi": ("pound per square inch",) * 2,
    "cal": ("calorie", "calories"), "kcal": ("kilocalorie", "kilocalories"), "kj": ("kilojoule", "kilojoules"),
    "db": ("decibel", "decibels"), "hp": ("horsepower", "horsepower"), "rpm": ("revolutions per minute",) * 2,
    "bpm": ("beats per minute",) * 2, "fps": ("frames per second",) * 2, "px": ("pixel", "pixels"),
    "ms": ("millisecond", "milliseconds"), "s": ("second", "seconds"), "sec": ("second", "seconds"),
    "secs": ("second", "seconds"), "min": ("minute", "minutes"), "mins": ("minute", "minutes"),
    "h": ("hour", "hours"), "hr": ("hour", "hours"), "hrs": ("hour", "hours"), "yr": ("year", "years"),
    "yrs": ("year", "years"), "wk": ("week", "weeks"), "wks": ("week", "weeks"), "mo": ("month", "months"),
    "ha": ("hectare", "hectares"), "sq": ("square", "square"), "pp": ("pages", "pages"), "k": ("kelvin", "kelvin"),
}  # fmt: skip
_ONLY_CLOSE = frozenset({"m", "in", "a", "s", "h", "w", "v", "l", "g", "k", "ms", "mo", "pa", "pt", "cal"})
"""Symbols that are also words or letters: never behind a hyphen, some only right behind the number."""
_NAMES = "|".join(sorted(_UNITS, key=len, reverse=True))
_POWERS = {"²": "square", "2": "square", "^2": "square", "³": "cubic", "3": "cubic", "^3": "cubic"}
_NUMBER = r"(\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
MEASURE = re.compile(rf"{_NUMBER}(\s?-?)({_NAMES})([²³]|\^[23])?(?:/({_NAMES})([²³])?)?(?![\w'])(?!-\w)", re.I)
"""Number, unit, power, per unit; 60 km/h, 5kg, 30 m²."""
DEGREES = re.compile(rf"(-|−)?{_NUMBER}\s?°\s?(?:([CFKNSEW])\b)?")
"""20°C, 17.68° N, 90°."""
_SCALES: dict[str, Form] = {
    "C": any_of("celsius", "centigrade", "c"), "F": any_of("fahrenheit", "f"), "K": any_of("kelvin", "k"),
    "N": any_of("north", "n"), "S": any_of("south", "s"), "E": any_of("east", "e"), "W": any_of("west", "w"),
}  # fmt: skip
ALONE = re.compile(rf"({_NAMES})/({_NAMES})(?![\w/])", re.I)
"""km/h without a number."""


def measure(match: re.Match[str], is_heard: bool) -> Form | None:
    """Return a number with its unit."""
    text, gap, symbol, power, per, per_power = match.groups()
    name = symbol.lower()
    is_apart = bool(gap) and name in _ONLY_CLOSE and not (per or power)
    if is_apart and ("-" in gap or name in ("in", "a") or symbol.isupper()):
        return None
    if name in _ONLY_CLOSE and symbol.isupper() and name not in ("w", "v", "k", "l", "a"):
        return None
    return (quantity(text, is_heard=is_heard), _unit(name, power, per, per_power))


def alone(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return a unit per unit."""
    if len(match[1]) == 1 and len(match[2]) == 1 and match[0].lower() != "m/s":
        return None
    return _unit(match[1].lower(), None, match[2], None)


def _unit(name: str, power: str | None, per: str | None, per_power: str | None) -> Form:
    short: Form = any_of("kilos", "kilo", "kg") if name == "kg" else name
    said = any_of(*(_with_per(word) for word in reversed(_UNITS[name])), *([] if power or per else [short]))
    raised = _POWERS[power] if power else None
    if raised:
        word = "squared" if raised == "square" else "cubed"
        said = any_of((raised, said), (said, word))
    if per is None:
        return said
    below: Form = any_of(_UNITS[per.lower()][0], *(["hour"] if per.lower() == "h" else []))
    if per_power:
        below = any_of((below, "squared"), ("square", below))
    slashed = (name, any_of("slash", "per", ""), per.lower())
    return any_of((said, any_of("per", "an", "a") if not per_power else "per", below), slashed)


def _with_per(name: str) -> Form:
    head, per, tail = name.partition(" per ")
    return (head, any_of("per", "an", "a"), tail) if per and tail in ("hour", "minute", "second") else name


def degrees(match: re.Match[str], is_heard: bool) -> Form | None:
    """Return degrees of temperature, of a compass or an angle."""
    minus, text, scale = match.groups()
    said: tuple[Form, ...] = (quantity(text, is_heard=is_heard), any_of("degrees", "degree"))
    tail: Form = _SCALES[scale] if scale else ""
    if scale in ("C", "F"):
        said = (said[0], any_of("degrees", "degree"))
    return (any_of("minus", "negative") if minus else "", *said, tail)
