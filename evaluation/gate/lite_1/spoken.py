"""The first normaliser, frozen: rows that were scored under it can be recomputed for ever. Pure.

One plain reading for every written form, applied to script and transcript alike.
It turns digits into words (the other direction loses more: see `wer.py`), then lets the English
normaliser of the Whisper paper settle contractions, spelling and diacritics.
"""

import re
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Protocol as TypingProtocol

from evaluation.gate.lite_1.numerals import MULTIPLIERS, NUMBER_WORDS, cardinal, digits, ordinal, year

NORMALISER = "lite-1"
"""Version of the rules in this package; they never change again."""

_SYMBOLS = {".": "dot", "/": "slash", "-": "dash", "_": "underscore", "@": "at", ":": "colon"}
_CURRENCIES = {
    "$": ("dollars", "cents"),
    "£": ("pounds", "pence"),
    "€": ("euros", "cents"),
    "₹": ("rupees", "paise"),
}
_SINGULAR_UNITS = {"dollar": "dollars", "pound": "pounds", "euro": "euros", "rupee": "rupees", "cent": "cents"}
_UNITS = frozenset(_SINGULAR_UNITS.values()) | {"pence", "paise"}
_COMPASS = {"n": "north", "s": "south", "e": "east", "w": "west"}
_MONTHS = "january february march april may june july august september october november december"
_NOT_SPELLED = frozenset({"hmm", "mm", "mhm", "mmm", "shh", "psst", "dr", "mr", "mrs", "ms", "st"})

_ADDRESS = re.compile(
    r"(?:\b[a-z]+://|\bwww\.)[^\s<>—–]+|\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[a-z][\w-]*(?:\.[a-z]{2,})+(?:/[^\s—–]*)?"
)
_SPOKEN_SYMBOL = re.compile(r"-?\b(dot|slash|dash|underscore|colon)\b-?")
"""A transcriber that hears a symbol as a word may join it to its neighbours with hyphens."""
_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\b([ap])\.\s?m\b\.?"), lambda m: f"{m[1]}m"),
    (re.compile(r"\b(\d{1,2})[:.]?(\d\d)\s?([ap]m)\b"), lambda m: f"{_clock(m[1], m[2], is_half_day=True)} {m[3]}"),
    (re.compile(r"\b(\d{1,2}):(\d\d)\b"), lambda m: _clock(m[1], m[2], is_half_day=False)),
    (re.compile(r"\b(\d\d)(\d\d)(?=\s+hours\b)"), lambda m: _clock(m[1], m[2], is_half_day=False)),
    (
        re.compile(r"([$£€₹])\s?(\d[\d,]*)(?:\.(\d{1,2}))?(?!\d)(\s+(?:thousand|million|billion|lakh|crore)\b)?"),
        lambda m: _money(m[1], m[2], m[3], m[4]),
    ),
    (re.compile(r"°\s?([nsew])\b"), lambda m: f" degrees {_COMPASS[m[1]]} "),
    (re.compile(r"\b(\d+)(?:st|nd|rd|th)\b"), lambda m: _say(ordinal(int(m[1][-15:])))),
    (re.compile(rf"\b(\d{{1,2}})(?=\s(?:{_MONTHS.replace(' ', '|')})\b)"), lambda m: _say(ordinal(int(m[1])))),
    (
        re.compile(rf"\b({_MONTHS.replace(' ', '|')})\s(\d{{1,2}})\b(?!:)"),
        lambda m: f"{m[1]} {_say(ordinal(int(m[2])))}",
    ),
    (re.compile(r"\b\d{1,3}(?:,\d{2,3})+\b"), lambda m: _say(_whole(m[0]))),
    (re.compile(r"\b\d+(?:\.\d+){2,}\b"), lambda m: m[0].replace(".", " dot ")),
    (re.compile(r"\.(\d+)\b"), lambda m: f" point {_say(digits(m[1]))}"),
    (re.compile(r"\d+"), lambda m: _number(m[0])),
)
_PLAIN = str.maketrans(
    {"’": "'", "‘": "'", "—": " ", "–": " ", "-": " ", "‑": " ", "/": " ", "(": " ", ")": " ", "[": " ", "]": " "}
    | {"<": " ", ">": " ", "%": " percent ", "&": " and ", "#": " number ", "°": " degrees ", "+": " plus "}
    | {"@": " at ", "_": " underscore "}
)


class _TextNormaliser(TypingProtocol):
    def __call__(self, text: str) -> str: ...


def spoken_words(text: str) -> tuple[str, ...]:
    """Return the words of `text` in one settled spoken form, lower case, without punctuation.

    Args:
        text: a script or a transcript, any length.

    Example:
        >>> spoken_words("It's $5.50 at 4:30 PM!")
        ('it', 'is', 'five', 'dollars', 'fifty', 'cents', 'at', 'four', 'thirty', 'pm')
    """
    settled = _whisper_normaliser()(" ".join(_verbalised(text))).split()
    bare = (re.sub(r"\W", "", word) for word in settled)
    return tuple(_settled_numbers([word for word in bare if word]))


@lru_cache(maxsize=4096)
def n_spoken_words(script: str) -> int:
    """Return how many words a speaker says for `script`: the count that pace is measured in.

    A contraction is one word; an abbreviation without a vowel is as many as it has letters.
    """
    return sum(_n_said(word) for word in _verbalised(script) if any(letter.isalnum() for letter in word))


def _verbalised(text: str) -> list[str]:
    text = _ADDRESS.sub(lambda match: _address(match[0]), text.lower().translate({0x2019: "'"}))
    text = re.sub(r"(?<=\d)(?=[^\W\d_])(?!(?:st|nd|rd|th|[ap]m)\b)|(?<=[^\W\d_])(?=\d)", " ", text)
    for pattern, spoken in _RULES:
        text = pattern.sub(spoken, text)
    return text.translate(_PLAIN).split()


def _address(text: str) -> str:
    """Say a web or mail address: its symbols are words there and nowhere else."""
    address = _SPOKEN_SYMBOL.sub(r" \1 ", text.rstrip(".,;:!?'\")"))
    said = "".join(f" {_SYMBOLS[letter]} " if letter in _SYMBOLS else letter for letter in address)
    return f" {said} "


def _clock(hours: str, minutes: str, *, is_half_day: bool) -> str:
    said = digits(hours) if hours.startswith("0") and not is_half_day and minutes == "00" else cardinal(int(hours))
    if minutes == "00":
        return _say([*said, *([] if is_half_day else ["hundred"])])
    return _say([*said, *(["zero"] if minutes.startswith("0") else []), *cardinal(int(minutes))])


def _money(symbol: str, whole: str, fraction: str | None, scale: str | None) -> str:
    units, parts = _CURRENCIES[symbol]
    amount = _whole(whole)
    if scale:
        decimals = ["point", *digits(fraction)] if fraction else []
        return _say([*amount, *decimals, scale.strip(), units])
    hundredths = int((fraction or "").ljust(2, "0"))
    minor = [*cardinal(hundredths), parts] if hundredths else []
    major = [] if minor and amount == ["zero"] else [*amount, units]
    return _say([*major, *minor])


def _number(text: str) -> str:
    is_year = len(text) == 4 and 1100 <= int(text) <= 2099
    return _say(year(int(text)) if is_year else _whole(text))


def _whole(text: str) -> list[str]:
    """Say a whole number; one with leading zeros, or too long to be an amount, digit by digit."""
    plain = text.replace(",", "")
    is_amount = len(plain) <= 15 and not (plain.startswith("0") and len(plain) > 1)
    return cardinal(int(plain)) if is_amount else digits(plain)


def _say(words: list[str]) -> str:
    return f" {' '.join(words)} "


def _settled_numbers(words: list[str]) -> list[str]:
    """Drop what speakers may put into a number or leave out: "and", "oh" for zero, "a" for one."""
    out: list[str] = []
    for i, raw in enumerate(words):
        before, after = (out[-1] if out else ""), (words[i + 1] if i + 1 < len(words) else "")
        word = _SINGULAR_UNITS.get(raw, raw) if before in NUMBER_WORDS else raw
        if word == "and" and after in NUMBER_WORDS and (before in MULTIPLIERS or before in _UNITS):
            continue
        if word in ("oh", "o") and after in NUMBER_WORDS:
            out.append("zero")
        elif word == "a" and after in MULTIPLIERS:
            out.append("one")
        else:
            out.append(word)
    return _whole_amounts(out)


def _whole_amounts(words: list[str]) -> list[str]:
    """Join an amount that a transcriber cut in two: "$43,900 and $91" was one number of dollars."""
    out: list[str] = []
    for i, word in enumerate(words):
        rest = words[i + 1 :] if word in _UNITS else []
        n_numbers = next((n for n, after in enumerate(rest) if after not in NUMBER_WORDS), 0)
        if not (n_numbers and rest[n_numbers] == word):
            out.append(word)
    return out


def _n_said(word: str) -> int:
    letters = re.sub(r"[^a-z]", "", word)
    is_spelled = len(letters) > 1 and not re.search(r"[aeiouy']", word) and letters not in _NOT_SPELLED
    return len(letters) if is_spelled else 1


@cache
def _whisper_normaliser() -> _TextNormaliser:
    from whisper_normalizer.english import EnglishTextNormalizer

    normaliser = EnglishTextNormalizer()
    normaliser.standardize_numbers = str  # numbers are words by now and stay so
    settled: _TextNormaliser = normaliser
    return settled
