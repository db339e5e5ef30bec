"""Amounts of money: signs, codes, scales, hundredths. Pure."""

import re
from typing import NamedTuple

from evaluation.gate.forms.form import Form, any_of, maybe
from evaluation.gate.forms.numbers import ZERO, after_point, amount, cardinal


class Currency(NamedTuple):
    """What a currency is called."""

    major: Form
    """Names of the whole unit."""
    minor: Form | None
    """Names of its hundredth; None if it has none."""


_CENTS = any_of("cents", "cent")
_DOLLARS = any_of("dollars", "dollar")
_POUNDS = any_of("pounds", "pound", "pounds sterling")
_RUPEES = any_of("rupees", "rupee")
_PAISE = any_of("paise", "paisa")


def _dollars_of(*nations: str) -> Form:
    return any_of(_DOLLARS, *((nation, _DOLLARS) for nation in nations))


_BY_SIGN = {
    "$": Currency(_DOLLARS, _CENTS),
    "£": Currency(_POUNDS, any_of("pence", "penny", "p")),
    "€": Currency(any_of("euros", "euro"), _CENTS),
    "₹": Currency(_RUPEES, _PAISE),
    "¥": Currency("yen", None),
    "₩": Currency("won", None),
    "₽": Currency(any_of("rubles", "ruble", "roubles", "rouble"), None),
    "₺": Currency("lira", None),
    "₿": Currency(any_of("bitcoins", "bitcoin"), None),
    "¢": Currency(_CENTS, None),
}
_BY_CODE = {
    "USD": Currency(_dollars_of("u s", "american", "united states"), _CENTS),
    "US$": Currency(_dollars_of("u s", "american", "united states"), _CENTS),
    "CAD": Currency(_dollars_of("canadian"), _CENTS),
    "C$": Currency(_dollars_of("canadian"), _CENTS),
    "AUD": Currency(_dollars_of("australian"), _CENTS),
    "AU$": Currency(_dollars_of("australian"), _CENTS),
    "CA$": Currency(_dollars_of("canadian"), _CENTS),
    "A$": Currency(_dollars_of("australian"), _CENTS),
    "NZD": Currency(_dollars_of("new zealand"), _CENTS),
    "NZ$": Currency(_dollars_of("new zealand"), _CENTS),
    "HKD": Currency(_dollars_of("hong kong"), _CENTS),
    "HK$": Currency(_dollars_of("hong kong"), _CENTS),
    "SGD": Currency(_dollars_of("singapore"), _CENTS),
    "GBP": Currency(any_of(_POUNDS, ("british", _POUNDS)), any_of("pence", "p")),
    "EUR": _BY_SIGN["€"],
    "INR": Currency(any_of(("indian", _RUPEES), _RUPEES), _PAISE),
    "RS.": Currency(_RUPEES, _PAISE),
    "RS": Currency(_RUPEES, _PAISE),
    "JPY": Currency(any_of("yen", "japanese yen"), None),
    "CHF": Currency(any_of("swiss francs", "swiss franc", "francs", "franc"), any_of("centimes", "rappen")),
    "CNY": Currency(any_of("yuan", "chinese yuan"), None),
    "MXN": Currency(any_of("pesos", "mexican pesos"), any_of("centavos", "cents")),
}
_ADJECTIVES: dict[str, Form] = {
    "CAD": "canadian",
    "AUD": "australian",
    "USD": any_of("american", "u s"),
    "US": any_of("american", "u s"),
}
_SCALES = {
    "k": "thousand", "thousand": "thousand", "m": "million", "mn": "million", "mm": "million", "mil": "million",
    "million": "million", "b": "billion", "bn": "billion", "billion": "billion", "t": "trillion", "tn": "trillion",
    "trillion": "trillion", "lakh": "lakh", "lakhs": "lakhs", "crore": "crore", "crores": "crores", "cr": "crore",
    "hundred": "hundred",
}  # fmt: skip

_SCALE = r"(?:\s?-?(thousand|hundred|million|billion|trillion|lakhs?|crores?)\b|(k|mn|mm|m|bn|b|tn|t|cr)\b)?"
_AMOUNT = r"(\d[\d,]*\d|\d)?(?:\.(\d+))?"
_CODES = "|".join(sorted((re.escape(code) for code in _BY_CODE), key=len, reverse=True))
_NATIONS = r"(?:\s(USD|CAD|AUD|NZD|HKD|SGD|GBP|EUR|INR|US)\b)?"
_TAIL_AND = r"(?=(\s+and\s+[$£€₹]\d)?)"

BEFORE = re.compile(rf"(-|−)?(?:({_CODES})\s?|([$£€₹¥₩₽₺₿]))(?=[\d.])\s?{_AMOUNT}{_SCALE}{_NATIONS}{_TAIL_AND}", re.I)
"""Sign or code, amount, scale; groups: minus, code, sign, whole, decimals, scale word, scale letter, nation, tail."""
AFTER = re.compile(rf"{_AMOUNT}{_SCALE}\s?(?:([$£€₹¥¢])|(USD|CAD|AUD|NZD|GBP|EUR|INR|JPY|CHF)\b|(p|c)\b(?!\.\w))", re.I)
"""Amount, scale, sign or code; groups: whole, decimals, scale word, scale letter, sign, code, letter of pence."""


def before(match: re.Match[str], is_heard: bool) -> Form | None:
    """Return "$5.50" and its kin."""
    minus, code, sign, whole, decimals, word, letter, nation, tail = match.groups()
    if not whole and not decimals:
        return None
    currency = _BY_CODE[code.upper()] if code else _BY_SIGN[sign]
    if nation and not code:
        currency = _national(currency, nation)
    scale = _SCALES[(word or letter).lower()] if word or letter else ""
    said = _said(whole or "", decimals or "", scale, currency, is_cut=is_heard and bool(tail))
    if nation and not code:
        letters = any_of(" ".join(nation.lower()), _ADJECTIVES.get(nation.upper(), " ".join(nation.lower())))
        said = any_of(said, (_said(whole or "", decimals or "", scale, _BY_SIGN[sign], is_cut=False), letters))
    if code and code.isalpha() and len(code) == 3:
        number = _number(whole or "0", decimals or "", scale)
        said = any_of(said, (any_of(" ".join(code), currency.major), number), (number, " ".join(code)))
    return (any_of("minus", "negative"), said) if minus else said


def after(match: re.Match[str], _is_heard: bool) -> Form | None:
    """Return "5 EUR", "75p" and their kin."""
    whole, decimals, word, letter, sign, code, pence = match.groups()
    if not whole and not decimals:
        return None
    scale = _SCALES[(word or letter).lower()] if word or letter else ""
    if pence:
        if scale or decimals or (pence not in "pc"):
            return None
        name = any_of("pence", "p", "penny") if pence == "p" else any_of(_CENTS, "c")
        return (amount(whole), name)
    currency = _BY_SIGN[sign] if sign else _BY_CODE[code.upper()]
    said = _said(whole or "", decimals or "", scale, currency, is_cut=False)
    return any_of(said, (_number(whole or "0", decimals or "", scale), " ".join(code))) if code else said


def _national(currency: Currency, nation: str) -> Currency:
    """Return a currency whose code follows the amount: "$5 CAD"."""
    code = nation.upper() if len(nation) == 3 else "USD"
    named, letters = _BY_CODE[code].major, " ".join(nation.lower())
    adjective = _ADJECTIVES.get(code, letters)
    major = any_of((currency.major, any_of(letters, adjective)), named, (letters, currency.major))
    return Currency(major, currency.minor)


def _number(whole: str, decimals: str, scale: str) -> Form:
    head = amount(whole) if whole else any_of("zero", "")
    tail: Form = ("point", after_point(decimals)) if decimals else ""
    said: Form = (head, tail, scale)
    if scale and not decimals and whole == "1":
        said = any_of(said, ("a", scale))
    if scale and decimals == "5" and whole:
        said = any_of(said, (head, "and a half", scale))
    if len(decimals) == 2 and decimals.endswith("0") and decimals != "00":
        said = any_of(said, (head, "point", after_point(decimals[0]), scale))
    return said


def _said(whole: str, decimals: str, scale: str, currency: Currency, *, is_cut: bool) -> Form:
    major: Form = maybe(currency.major) if is_cut else currency.major
    if scale or len(decimals) > 2 or (decimals and currency.minor is None):
        return (_number(whole or "0", decimals, scale), currency.major)
    number = amount(whole) if whole else "zero"
    if not decimals:
        return (number, major)
    hundredths = int(decimals.ljust(2, "0"))
    pointed = (_number(whole, decimals, ""), currency.major)
    minor = currency.minor or ""
    if hundredths == 0:
        return any_of((number, major), (number, major, maybe("and"), any_of("zero", "no"), minor), pointed)
    cents = cardinal(hundredths)
    short: Form = (ZERO, cents) if hundredths < 10 else cents
    forms: list[Form] = [(number, major, maybe("and"), cents, minor), (number, major, maybe("and"), short), pointed]
    if not whole.strip("0,"):
        forms = [(cents, minor), *forms, ("point", after_point(decimals), currency.major)]
    return any_of(*forms)
