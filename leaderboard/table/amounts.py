"""Numbers and days that readers and makers write as text: "1.2B", "350 million", ">0.5", "2026-01". Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

_UNITS = {
    "": 1,
    "k": 1_000,
    "thousand": 1_000,
    "m": 1_000_000,
    "mio": 1_000_000,
    "million": 1_000_000,
    "millions": 1_000_000,
    "b": 1_000_000_000,
    "bn": 1_000_000_000,
    "billion": 1_000_000_000,
    "billions": 1_000_000_000,
    "g": 1_000_000_000,
    "t": 1_000_000_000_000,
    "trillion": 1_000_000_000_000,
}
_SIZE = re.compile(r"(?<![\w.])(\d{1,15}(?:[.,]\d{1,12})*)\s*([a-z]{0,9})(?![\w.]*\d)", re.IGNORECASE)
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+(\.\d+)?")
_DAY = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?%?")
_MOST = 10**18
_STEPS = ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "K"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Values from one end to another; an end that is None is open."""

    low: float | None = None
    """Least value."""
    high: float | None = None
    """Largest value."""
    is_above: bool = False
    """The least value itself is outside."""
    is_below: bool = False
    """The largest value itself is outside."""

    def holds(self, value: float | None) -> bool:
        """Say whether a value lies in it; what is not known lies nowhere."""
        if value is None:
            return False
        is_low = self.low is None or value > self.low or (value == self.low and not self.is_above)
        return is_low and (self.high is None or value < self.high or (value == self.high and not self.is_below))


@lru_cache(maxsize=4096)
def size(text: str) -> int | None:
    """Return a number of parameters as a maker wrote it, or None if it says none.

    The first number with a unit counts, or the only number: "Kokoro 82M", "1.2B (0.4B active)", "82,000,000".

    Example:
        >>> size("1.2B"), size("350 million"), size("82,000,000"), size("unknown")
        (1200000000, 350000000, 82000000, None)
    """
    found = [(match[1], match[2].lower()) for match in _SIZE.finditer(text[:200])]
    known = [(number, unit) for number, unit in found if unit in _UNITS]
    with_unit = [pair for pair in known if pair[1]]
    if not with_unit and len(known) != 1:
        return None
    number, unit = (with_unit or known)[0]
    value = _plain(number)
    if value is None:
        return None
    whole = round(value * _UNITS[unit])
    return whole if 0 < whole <= _MOST else None


def size_text(n: int) -> str:
    """Return a number of parameters in short, exactly: 1200000000 is "1200M", 82000000 "82M"."""
    for step, sign in _STEPS:
        if n and n % step == 0:
            return f"{n // step}{sign}"
    return str(n)


def size_shown(n: int) -> str:
    """Return a number of parameters with at most three digits: "1.2B", "82M"."""
    for step, sign in _STEPS:
        if n >= step:
            return f"{n / step:.3g}{sign}" if n < 1000 * step else f"{n / step:,.0f}{sign}"
    return str(n)


def size_range(text: str) -> Range | None:
    """Return sizes as a reader asks for them: ">1B", "<=82M", "100M-1B", "1B-", "-100M", "82M"; None if it is none."""
    return _range(text, size)


def number_range(text: str) -> Range | None:
    """Return numbers as a reader asks for them: ">0.5", "0.2-0.4", "95%"; a lone number is the least."""
    found = _range(text, number)
    if found is not None and found.low is not None and found.low == found.high:
        return Range(low=found.low)
    return found


def number(text: str) -> float | None:
    """Return a number, a percentage as its share; None if it is none."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    plain = text.strip()
    return float(plain.removesuffix("%")) / 100 if plain.endswith("%") else float(plain)


def day(text: str) -> str | None:
    """Return a year, month or day as it stands in an address, or None if it is none."""
    return text if _DAY.fullmatch(text) else None


def _range(text: str, read: Callable[[str], float | None]) -> Range | None:
    plain = text.strip().replace("\u2013", "-").replace("\u2265", ">=").replace("\u2264", "<=")
    for sign in (">=", "<=", ">", "<", "="):
        if not plain.startswith(sign):
            continue
        value = read(plain[len(sign) :].strip())
        if value is None:
            return None
        is_open = len(sign) == 1
        if sign[0] == ">":
            return Range(low=value, is_above=is_open)
        return Range(high=value, is_below=is_open) if sign[0] == "<" else Range(low=value, high=value)
    first, dash, last = plain.partition("-")
    low, high = read(first), read(last) if dash else read(first)
    if (first and low is None) or (dash and last and high is None) or (low is None and high is None):
        return None
    return Range(low=low, high=high)


def _plain(number: str) -> float | None:
    if _GROUPED.fullmatch(number):
        number = number.replace(",", "")
    try:
        return float(number.replace(",", "."))
    except ValueError:
        return None
