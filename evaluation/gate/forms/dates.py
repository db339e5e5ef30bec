"""Dates, decades, clock times. Pure."""

import re

from evaluation.gate.forms.form import Form, any_of, maybe
from evaluation.gate.forms.numbers import ZERO, cardinal, digit_row, ordinal_word, whole, year

MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_SHORT = {name[:3]: name for name in MONTHS} | {"sept": "september"}
DAYS = {
    "mon": "monday", "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thur": "thursday",
    "thurs": "thursday", "fri": "friday", "sat": "saturday", "sun": "sunday",
}  # fmt: skip
MONTH = rf"({'|'.join(MONTHS)}|{'|'.join(sorted(_SHORT, key=len, reverse=True))})"
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?:,?\s*(\d{4})\b(?!,\d|:))?"

MONTH_FIRST = re.compile(rf"{MONTH}\b\.?\s+(?:the\s+)?{_DAY}\b(?!,\d{{3}}|:\d|\.\d|[/%-]\d|\s?[ap]\.?m\b){_YEAR}", re.I)
"""Month, day, year; groups in that order."""
DAY_FIRST = re.compile(rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{MONTH}\b\.?{_YEAR}", re.I)
"""Day, month, year; groups in that order."""
_DAY_NAMES = "|".join(sorted(DAYS, key=len, reverse=True))
DAY_RANGE = re.compile(rf"({_DAY_NAMES})\b\.?\s?[-–]\s?({_DAY_NAMES})\b(?:\.(?=\s*[^\sA-Z]))?", re.I)
"""Mon-Fri"""
NUMERIC = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d\d)\b(?![\w/.-]*\d)")
"""Two numbers and a year, with one kind of sign between."""
ISO = re.compile(r"(\d{4})([-/])(\d{2})\2(\d{2})\b(?![-/\w])")
"""Year, month, day."""
DECADE = re.compile(r"'?(\d\d(?:\d0|00)|\d0)'?s\b")
"""1990s, '90s, 90s."""
_ZONE = r"(?=\s+(?:hours|hrs|h)\b)"
_HALF = r"\s?([ap])\.?\s?m\b\.?"
CLOCK = re.compile(rf"(\d{{1,2}})[:.](\d\d)(?::(\d\d))?(?:{_HALF})", re.I)
"""A time with its half of the day; groups: hours, minutes, seconds, letter."""
HOUR = re.compile(rf"(\d{{1,2}}){_HALF}(?!')", re.I)
"""An hour alone with its half of the day."""
DAY_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?\b")
"""A time without it."""
BARE_HALF_CLOCK = re.compile(rf"(\d{{1,2}}?)(\d\d)(){_HALF}", re.I)
"""430 pm, as a transcriber may write."""
MILITARY = re.compile(rf"(\d\d)(\d\d)\b{_ZONE}", re.I)
"""0800 hours."""


def month_first(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return a date written month, day, year."""
    return _named(match[1], match[2], match[3])


def day_first(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return a date written day, month, year."""
    return _named(match[2], match[1], match[3])


def day_range(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return Mon-Fri."""
    return (DAYS[match[1].lower()], any_of("to", "through"), DAYS[match[2].lower()])


def _named(month: str, day: str, year_text: str | None) -> Form | None:
    if not 1 <= int(day) <= 31:
        return None
    name = month.lower() if month.lower() in MONTHS else _SHORT[month.lower()]
    return _date(name, int(day), year(year_text) if year_text else "")


def _date(month: str, day: int, year_form: Form) -> Form:
    number = cardinal(day)
    last = str(number[-1]) if isinstance(number, tuple) else str(number)
    head: tuple[Form, ...] = number[:-1] if isinstance(number, tuple) else ()
    nth: Form = (*head, ordinal_word(last))
    after = (month, any_of((maybe("the"), nth), number))
    before = any_of((maybe("the"), nth, any_of("of", "")), (number, any_of("", "of")))
    return (any_of(after, (before, month)), year_form)


def numeric(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 18/11/2023 in every order that makes a date, and as it stands."""
    first, sign, second, year_text = match.groups()
    if sign == "." and len(year_text) == 2:
        return None
    full = year_text if len(year_text) == 4 else None
    years = year(full) if full else any_of(whole(year_text), digit_row(year_text), year(_century(year_text)))
    forms = [
        _date(MONTHS[int(month) - 1], int(day), years)
        for month, day in ((first, second), (second, first))
        if 1 <= int(month) <= 12 and 1 <= int(day) <= 31
    ]
    if not forms:
        return None
    link = _LINKS[sign]
    return any_of(*forms, (_part(first), link, _part(second), link, years))


def iso(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 2024-01-05 as a date, year last or first, and as it stands."""
    year_text, sign, month, day = match.groups()
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return None
    date, years, link = _date(MONTHS[int(month) - 1], int(day), ""), year(year_text), _LINKS[sign]
    return any_of((date, years), (years, date), (years, link, _part(month), link, _part(day)))


_LINKS: dict[str, Form] = {
    "/": any_of("slash", "forward slash", ""),
    "-": any_of("dash", "hyphen", ""),
    ".": any_of("dot", "point", ""),
}


def _century(text: str) -> str:
    return ("20" if int(text) < 70 else "19") + text


def _part(text: str) -> Form:
    number = cardinal(int(text))
    return any_of(number, (ZERO, number), digit_row(text)) if text.startswith("0") else number


def decade(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 1990s as nineteen nineties, '90s as nineties."""
    digits = match[1]
    if len(digits) == 2:
        return _tens(digits)
    century = cardinal(int(digits[:2]))
    if digits.endswith("00"):
        return (cardinal(int(digits[0])), "thousands") if digits[1] == "0" else (century, "hundreds")
    return any_of((century, _tens(digits[2:])), (cardinal(int(digits[:2] + "00")), maybe("and"), _tens(digits[2:])))


def _tens(digits: str) -> Form:
    if digits == "10":
        return "tens"
    word = cardinal(int(digits))
    last = str(word[-1]) if isinstance(word, tuple) else str(word)
    return last[:-1] + "ies"


def clock(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 4:30 PM."""
    hours, minutes, seconds, letter = match.groups()
    return _time(hours, minutes, seconds, f"{letter.lower()} m")


def hour(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 10 AM."""
    return _time(match[1], "00", None, f"{match[2].lower()} m")


def day_clock(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 14:30."""
    return _time(match[1], match[2], match[3], "")


def military(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return 0800, before "hours"."""
    said = _time(match[1], match[2], None, "", is_military=True)
    zero = (ZERO, said) if match[1].startswith("0") and said is not None else said
    return None if said is None or zero is None else any_of(zero, said, whole(match[0], is_code=True))


def _time(hours: str, minutes: str, seconds: str | None, half: str, *, is_military: bool = False) -> Form | None:
    h, m = int(hours), int(minutes)
    if h > 24 or m > 59:
        return None
    tail: Form = ""
    if seconds:
        tail = (maybe("and"), _below_ten(int(seconds)), maybe(any_of("seconds", "second")))
    exact: Form = any_of("hundred", digit_row("00")) if is_military and m == 0 else _minutes(m, h, half)
    forms: list[Form] = [(_hour(hours, h), exact, tail, half)]
    if not half and not seconds:
        forms.append((cardinal(h), "to", cardinal(m)))
    if is_military:
        return any_of(*forms)
    if not half and 13 <= h <= 23:
        forms.append((cardinal(h - 12), _minutes(m, h - 12, "p m"), tail, "p m"))
    if half and 13 <= h <= 23:
        forms.append((cardinal(h - 12), _minutes(m, h - 12, half), tail, half))
    if not seconds and m:
        forms += [(words, half) for words in _relative(h % 12 or 12, m)] if half or h <= 12 else []
    return any_of(*forms)


def _hour(text: str, h: int) -> Form:
    return any_of(cardinal(h), (ZERO, cardinal(h)), digit_row(text)) if text.startswith("0") else cardinal(h)


def _minutes(m: int, h: int, half: str) -> Form:
    if m == 0 and half:
        return any_of("", "oclock", digit_row("00"))
    if m == 0:
        return any_of(("hundred", maybe("hours")), *(("oclock", "") if h <= 12 else ()), digit_row("00"))
    return _below_ten(m)


def _below_ten(number: int) -> Form:
    return (ZERO, cardinal(number)) if number < 10 else cardinal(number)


def _relative(h: int, m: int) -> list[Form]:
    """Return half past, quarter to and the like."""
    now, then = cardinal(h), cardinal(h % 12 + 1)
    since, until = any_of("past", "after"), any_of("to", "till", "of", "before")
    if m == 30:
        return [("half past", now)]
    left = 60 - m
    count, part = (m, since) if m < 30 else (left, until)
    name: Form = (
        any_of("quarter", "a quarter") if count == 15 else (cardinal(count), maybe(any_of("minutes", "minute")))
    )
    return [(name, part, now if m < 30 else then)]
