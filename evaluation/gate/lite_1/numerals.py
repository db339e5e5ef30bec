"""English number words, both ways: digits to the words that speak them, words back to their digits. Pure."""

from collections.abc import Sequence

# fmt: off
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
# fmt: on
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ODD_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_SCALES = {
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_INDIAN_SCALES = {"lakh": 10**5, "crore": 10**7}
_ALL_SCALES = _SCALES | _INDIAN_SCALES
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {
    word: 20 + 10 * place for place, word in enumerate(_TENS)
}
_MOST = 10**15

NUMBER_WORDS = frozenset(_VALUES) | frozenset(_ALL_SCALES) | {"hundred"}
"""Words that a cardinal number is made of."""
MULTIPLIERS = frozenset(_ALL_SCALES) | {"hundred"}
"""Those that multiply what stands before them."""


def cardinal(number: int) -> list[str]:
    """Return the words of a whole number, without "and"; from 10**15 on, its single digits.

    Args:
        number: >= 0.
    """
    if number >= _MOST:
        return digits(str(number))
    if number < 20:
        return [_SMALL[number]]
    if number < 100:
        return [_TENS[number // 10 - 2], *([_SMALL[number % 10]] if number % 10 else [])]
    if number < 1000:
        return [_SMALL[number // 100], "hundred", *(cardinal(number % 100) if number % 100 else [])]
    name, scale = next((name, scale) for name, scale in reversed(_SCALES.items()) if number >= scale)
    rest = number % scale
    return [*cardinal(number // scale), name, *(cardinal(rest) if rest else [])]


def ordinal(number: int) -> list[str]:
    """Return the words of an ordinal number, for example 21: twenty first."""
    *head, last = cardinal(number)
    if last in _ODD_ORDINALS:
        return [*head, _ODD_ORDINALS[last]]
    return [*head, (last[:-1] + "ieth") if last.endswith("y") else last + "th"]


def year(number: int) -> list[str]:
    """Return the words of a year 1100..2099, said in pairs except for 2000 to 2009."""
    pair, rest = divmod(number, 100)
    if 2000 <= number < 2010:
        return cardinal(number)
    if rest == 0:
        return [*cardinal(pair), "hundred"]
    return [*cardinal(pair), *(["zero"] if rest < 10 else []), *cardinal(rest)]


def digits(text: str) -> list[str]:
    """Return one word for each digit of `text`."""
    return [_SMALL[int(digit)] for digit in text]


def digits_of(words: Sequence[str]) -> str:
    """Return the digits that a run of number words and "point" stands for.

    Numbers that follow each other are written one after the other, so every usual way to say a
    number gives the same digits: "twenty twenty four", "two thousand twenty four" and "two zero two
    four" are all 2024.

    Args:
        words: members of NUMBER_WORDS, or "point".
    """
    written, done, group, last, limit = "", 0, 0, "", _MOST
    for word in words:
        scale = _ALL_SCALES.get(word, 0)
        if word == "hundred":
            group = (group or 1) * 100
        elif 0 < scale < limit:
            done, group, limit = done + (group or 1) * scale, 0, scale
        elif not scale and word != "point" and _continues(last, word):
            group += _VALUES[word]
        else:
            # Not a part of the number so far: that one is written and another begins.
            written += _written(done, group, last) + ("." if word == "point" else "")
            done, group, limit = scale, _VALUES.get(word, 0), scale or _MOST
        last = word
    return written + _written(done, group, last)


def _continues(last: str, word: str) -> bool:
    if last in MULTIPLIERS:
        return word != "zero"
    return last in _TENS and 1 <= _VALUES[word] <= 9


def _written(done: int, group: int, last: str) -> str:
    return str(done + group) if last not in ("", "point") else ""
