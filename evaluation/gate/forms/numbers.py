"""Numbers: cardinals, ordinals, years, digits in every usual grouping, decimals, fractions. Pure."""

import re
from functools import lru_cache

from evaluation.gate.forms.form import Form, Graph, any_of, maybe

# fmt: off
SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
# fmt: on
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = (("quadrillion", 10**15), ("trillion", 10**12), ("billion", 10**9), ("million", 10**6), ("thousand", 10**3))
INDIAN_SCALES = (("crore", 10**7), ("lakh", 10**5), ("thousand", 10**3))
MULTIPLIERS = frozenset({"hundred", "lakh", "lakhs", "crore", "crores"} | {name for name, _ in SCALES})
"""Words that multiply what stands before them."""
NUMBER_WORDS = frozenset(SMALL) | frozenset(TENS) | MULTIPLIERS
"""Words that a cardinal is made of."""

ZERO: Form = any_of("zero", "oh", "o")
_ODD_ORDINALS = {"one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth"} | {
    "nine": "ninth",
    "twelve": "twelfth",
}
_MOST = 10**18
_N_GROUPED_MOST = 24
"""A longer row of digits is read one by one."""
_TIMES = {2: "double", 3: "triple"}


def ordinal_word(word: str) -> str:
    """Return the ordinal of the last word of a cardinal: "twenty" gives "twentieth"."""
    return _ODD_ORDINALS.get(word) or (word[:-1] + "ieth" if word.endswith("y") else word + "th")


@lru_cache(maxsize=2048)
def cardinal(number: int, *, is_ordinal: bool = False, is_indian: bool = False) -> Form:
    """Return a whole number, 0 <= number < 10**18, with and without "and"."""
    said = _cardinal(number, INDIAN_SCALES if is_indian and number >= 10**5 else SCALES)
    if not is_ordinal:
        return tuple(said)
    return (*said[:-1], ordinal_word(str(said[-1])))


def _cardinal(number: int, scales: tuple[tuple[str, int], ...]) -> list[Form]:
    if number < 20:
        return [SMALL[number]]
    if number < 100:
        return [TENS[number // 10 - 2], *([SMALL[number % 10]] if number % 10 else [])]
    if number < 1000:
        rest: list[Form] = [maybe("and"), *_cardinal(number % 100, scales)] if number % 100 else []
        return [_one(number // 100), "hundred", *rest]
    name, scale = next((name, scale) for name, scale in scales if number >= scale)
    count, rest_number = divmod(number, scale)
    words = any_of(name, name + "s") if name in ("lakh", "crore") else name
    head = [_one(1)] if count == 1 else _cardinal(count, scales)
    if not rest_number:
        return [*head, words]
    link: list[Form] = [maybe("and")] if rest_number < 100 else []
    return [*head, words, *link, *_cardinal(rest_number, scales)]


def _one(count: int) -> Form:
    return any_of("one", "a") if count == 1 else SMALL[count]


@lru_cache(maxsize=2048)
def digit_row(digits: str) -> Form:
    """Return a row of digits read one by one or in pairs, with "double" and "triple", zero also as "oh".

    A round pair is never followed by a single digit: "sixty four" is 64 and not 60 4.
    """
    n = len(digits)
    if n > _N_GROUPED_MOST:
        return tuple(ZERO if digit == "0" else SMALL[int(digit)] for digit in digits)
    # Node i: i digits are read; node n + i: so are they, and the last two were a round pair.
    edges: list[tuple[int, int, Form]] = []
    for at in range(n):
        for start in (at, n + at) if at else (at,):
            edges += _steps(digits, at, start, n)
    edges += [(n, 2 * n + 1, ""), (2 * n, 2 * n + 1, "")]
    going = {2 * n + 1}
    for at, to, _ in sorted(edges, key=lambda edge: -edge[0] if edge[0] <= n else n - edge[0]):
        going |= {at} if to in going else set()
    return Graph(2 * n + 2, tuple(edge for edge in edges if edge[0] in going and edge[1] in going))


def _steps(digits: str, at: int, start: int, n: int) -> list[tuple[int, int, Form]]:
    digit, is_after_round = digits[at], start != at
    single = ZERO if digit == "0" else SMALL[int(digit)]
    steps: list[tuple[int, int, Form]] = []
    if digit == "0" or not is_after_round:
        steps.append((start, at + 1, single))
    for count, word in _TIMES.items():
        if digits[at : at + count] == digit * count:
            steps.append((start, at + count, (word, single)))
    if digit != "0" and at + 1 < n:
        pair = int(digits[at : at + 2])
        is_round = pair % 10 == 0 and pair > 10
        steps.append((start, n + at + 2 if is_round else at + 2, tuple(_cardinal(pair, SCALES))))
    return steps


def hundreds(number: int) -> Form | None:
    """Return 1100..9999 counted in hundreds ("forty two hundred and five"); None where nobody does that."""
    pair, rest = divmod(number, 100)
    if not 11 <= pair <= 99 or pair % 10 == 0:
        return None
    tail: tuple[Form, ...] = (maybe("and"), *_cardinal(rest, SCALES)) if rest else ()
    return (*_cardinal(pair, SCALES), "hundred", *tail)


def year(text: str) -> Form:
    """Return four digits as a year, in pairs first."""
    pair, rest = int(text[:2]), int(text[2:])
    tail: tuple[Form, ...] = (
        ("hundred",) if not rest else ((ZERO,) if rest < 10 else ()) + tuple(_cardinal(rest, SCALES))
    )
    in_pairs: Form = (*_cardinal(pair, SCALES), *tail)
    forms: list[Form] = [cardinal(int(text)), in_pairs] if text.startswith("200") else [in_pairs, cardinal(int(text))]
    return any_of(*(form for form in (*forms, hundreds(int(text)), digit_row(text)) if form is not None))


def is_year(text: str) -> bool:
    """Say whether a token is usually read as a year."""
    return len(text) == 4 and text.isdecimal() and 1100 <= int(text) <= 2099


@lru_cache(maxsize=4096)
def whole(text: str, *, is_heard: bool = False, is_code: bool = False) -> Form:
    """Return a whole number as it stands in a text.

    Args:
        text: digits, perhaps with commas.
        is_heard: written by a transcriber, who may put commas into what was read digit by digit.
        is_code: part of a code, address or telephone number: short ones too are read digit by digit.
    """
    digits = text.replace(",", "")
    if len(digits) > 18 or (digits.startswith("0") and len(digits) > 1):
        return digit_row(digits)
    if is_year(text):
        return year(text)
    number = int(digits)
    forms: list[Form] = [cardinal(number)]
    if number == 0:
        forms.append(any_of("oh", "o", "nought"))
    if "," in text and re.fullmatch(r"\d{1,2}(?:,\d\d)+,\d{3}", text):
        forms.insert(0, cardinal(number, is_indian=True))
    in_hundreds = hundreds(number)
    if in_hundreds:
        forms.append(in_hundreds)
    if len(digits) > (1 if is_code or is_heard else 2) and ("," not in text or is_heard):
        forms.append(digit_row(digits))
    return any_of(*forms)


def after_point(digits: str) -> Form:
    """Return decimals: each digit on its own."""
    return tuple(ZERO if digit == "0" else SMALL[int(digit)] for digit in digits)


def decimal(text: str, *, point: Form = "point", is_heard: bool = False) -> Form:
    """Return a number with decimals; the zero before the point may be left out."""
    before, _, after = text.partition(".")
    head: Form = "" if not before else any_of(cardinal(0), "nought", "oh", "") if before == "0" else amount(before)
    if is_heard and len(before) > 1:
        head = any_of(head, digit_row(before.replace(",", "")))
    if not before:
        head = any_of("", "zero")
    said: Form = (head, point, after_point(after))
    if after != "5" or point != "point":
        return said
    return any_of(said, "half a", "half", "a half") if before in ("", "0") else any_of(said, (head, "and a half"))


def amount(text: str) -> Form:
    """Return a whole number as a quantity, never digit by digit unless it has leading zeros or no name."""
    digits = text.replace(",", "")
    if len(digits) > 18 or (digits.startswith("0") and len(digits) > 1):
        return digit_row(digits)
    number = int(digits)
    is_indian = bool(re.fullmatch(r"\d{1,2}(?:,\d\d)+,\d{3}", text))
    forms: list[Form | None] = [cardinal(number), hundreds(number)]
    forms.insert(0 if is_indian else 2, cardinal(number, is_indian=True))
    return any_of(*(form for form in forms if form is not None))


_PARTS = {2: ("half", "halves"), 4: ("quarter", "quarters")}


def fraction(numerator: int, denominator: int) -> Form:
    """Return n/m as a part of a whole, or as two numbers over each other; both >= 1."""
    top, bottom = cardinal(numerator), cardinal(denominator)
    forms: list[Form] = []
    if denominator in _PARTS:
        one, many = _PARTS[denominator]
        forms += [(any_of("one", "a"), one), (one, any_of("a", "an"))] if numerator == 1 else [(top, many)]
        forms += [one] if numerator == 1 else []
    if denominator > 2:
        *head, last = _cardinal(denominator, SCALES)
        part = ordinal_word(str(last))
        forms.append((any_of("one", "a"), *head, part) if numerator == 1 else (top, *head, f"{part}s"))
    return any_of(*forms, (top, any_of("over", "slash", "out of", ""), bottom))
