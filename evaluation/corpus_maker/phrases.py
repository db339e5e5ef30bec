"""Finds phrases, inflected words and numbers in English text. Pure."""

import re
from functools import lru_cache

from evaluation.gate.forms.form import plain
from evaluation.gate.forms.numbers import cardinal

Span = tuple[int, int]
"""First character and the one behind the last."""

_GAP = r"[\s-]+"
_MOST_NUMBER_WORDS = 200
_APOSTROPHES = str.maketrans({"’": "'", "‑": "-", "‐": "-"})
_ENDINGS = r"(?:s|es|'s|ly|er|ers|est|ness|ed|edly|ing|ingly|ity|ish)?"
_VOWEL_ENDINGS = r"(?:ed|er|est|ing|ingly|ity)"


def find(phrase: str, text: str) -> list[Span]:
    """Return where `text` holds `phrase`; a space also matches hyphens, a final * any ending, case does not count."""
    return [match.span() for match in _phrase(phrase).finditer(text.translate(_APOSTROPHES))]


def find_word(word: str, text: str) -> list[Span]:
    """Return where `text` holds `word` in any usual inflection: "happy" finds "happily", "pace" finds "pacing"."""
    return [match.span() for match in _inflected(word).finditer(text.translate(_APOSTROPHES))]


def find_numbers(text: str) -> list[tuple[Span, float]]:
    """Return the numbers in `text`, in digits or words, with their values."""
    found = []
    for match in _numbers().finditer(text.translate(_APOSTROPHES)):
        said = match[0]
        words = re.sub(_GAP, " ", said.lower())
        found.append((match.span(), _number_words()[words] if words in _number_words() else float(said)))
    return found


def is_followed_by(unit: str, text: str, end: int) -> bool:
    """Return whether a word of `unit`, in the singular or plural, stands at `end` behind a space or hyphen."""
    return bool(re.compile(rf"{_GAP}{re.escape(unit.rstrip('s'))}s?\b", re.I).match(text.translate(_APOSTROPHES), end))


@lru_cache(maxsize=4096)
def _phrase(phrase: str) -> re.Pattern[str]:
    stem = phrase.removesuffix("*")
    body = _GAP.join(re.escape(word) for word in re.split(r"[\s-]+", stem))
    return re.compile(rf"(?<!\w){body}{r'[a-z]*' if stem != phrase else ''}(?!\w)", re.I)


@lru_cache(maxsize=1024)
def _inflected(word: str) -> re.Pattern[str]:
    ways = [re.escape(word) + _ENDINGS]
    if word.endswith("y"):
        ways.append(re.escape(word[:-1]) + r"i(?:ly|er|est|ness|ed|es)")
    if word.endswith("e"):
        ways.append(re.escape(word[:-1]) + _VOWEL_ENDINGS)
    if word.endswith("ed"):
        ways.append(re.escape(word[:-2]) + r"(?:e|es|ing|ingly)")
    if re.search(r"[aeiou][bdgmnprt]$", word):
        ways.append(re.escape(word) + re.escape(word[-1]) + _VOWEL_ENDINGS)
    return re.compile(rf"(?<!\w)(?:{'|'.join(ways)})(?!\w)", re.I)


@lru_cache(maxsize=1)
def _number_words() -> dict[str, float]:
    return {" ".join(plain(cardinal(number))): float(number) for number in range(_MOST_NUMBER_WORDS)}


@lru_cache(maxsize=1)
def _numbers() -> re.Pattern[str]:
    words = sorted(_number_words(), key=len, reverse=True)
    said = "|".join(word.replace(" ", _GAP) for word in words)
    return re.compile(rf"(?<![\w.])(?:\d+(?:\.\d+)?|{said})(?!\w)", re.I)
