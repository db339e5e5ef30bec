"""A text cut into fragments, each with the forms in which it may be said. Pure.

Script and transcript go through the same rules, for a transcriber may write digits and signs as well as words.
"""

import re
from dataclasses import dataclass

from evaluation.gate import rules
from evaluation.gate.forms import abbreviations, addresses, codes, dates, quantities, words
from evaluation.gate.forms.form import Form, any_of, without_one
from evaluation.gate.forms.numbers import MULTIPLIERS, NUMBER_WORDS, cardinal, is_year, whole

PLAIN = "word"
"""Kind of a fragment that is ordinary text; every other kind is a unit of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment:
    """One piece of a text."""

    start: int
    """First character, index into the text."""
    end: int
    """Behind the last character."""
    kind: str
    """PLAIN, or the class of a unit: "currency", "date", "url", ..."""
    form: Form
    """What may be said."""


def fragments(text: str, *, is_heard: bool) -> list[Fragment]:
    """Return the fragments of a text in order; punctuation that nobody says belongs to none.

    Args:
        text: a script or a transcript, any length.
        is_heard: the text was written by a transcriber.
    """
    return _Reader(text.translate(rules.SAME_LENGTH), is_heard).read()


_MULTIPLIED = re.compile(rf"\s(?:{'|'.join(sorted(MULTIPLIERS))})\b", re.I)


class _Reader:
    """Goes through one text from left to right; at each place the first rule that fits takes what it explains."""

    def __init__(self, text: str, is_heard: bool) -> None:
        self.text = text
        self.is_heard = is_heard
        self.before = ""
        self.out: list[Fragment] = []

    def read(self) -> list[Fragment]:
        text, at, end = self.text, 0, len(self.text)
        while at < end:
            letter = text[at]
            if letter.isspace():
                at += 1
            elif letter.isalpha():
                at = self._word(at)
            elif letter.isdecimal() or (letter == "." and text[at + 1 : at + 2].isdecimal()):
                at = self._digits(at)
            else:
                at = self._sign(at, letter)
        return self.out

    def _add(self, start: int, end: int, kind: str, form: Form) -> int:
        if self.text[start:end] == "1" and _MULTIPLIED.match(self.text, end):
            form = any_of(form, "a")
        if kind in ("number", "currency", "fraction") and self.before.lower() in rules.DETERMINERS:
            form = without_one(form)
        self.out.append(Fragment(start=start, end=end, kind=kind, form=form))
        self.before = self.text[start:end]
        return end

    def _try(self, rules: tuple[rules.Rule, ...], at: int) -> int:
        for pattern, kind, build in rules:
            match = pattern.match(self.text, at)
            if match and match.end() > at and not (build is codes.code and _is_number_and_word(match[0])):
                form = build(match, self.is_heard)
                if form is not None:
                    is_named = kind == "number" and is_year(match[0])
                    return self._add(at, match.end(), "year" if is_named else kind, form)
        return 0

    def _address(self, at: int) -> int:
        match = addresses.EMAIL.match(self.text, at)
        kind = "email"
        if not match:
            match, kind = addresses.URL.match(self.text, at), "url"
        if not match:
            return 0
        found = addresses.trimmed(match[0])
        return self._add(at, at + len(found), kind, addresses.address(found)) if found else 0

    def _digits(self, at: int) -> int:
        if not self.text[at].isascii():
            digit = self.text[at]
            number = str(int(digit)) if digit.isdecimal() else ""
            return self._add(at, at + 1, "number", whole(number)) if number else at + 1
        dash = codes.RANGE.match(self.text, at)
        return (
            self._address(at)
            or (self._add(at, dash.end(), "range", (whole_or_decimal(dash[1]), rules.BETWEEN)) if dash else 0)
            or self._try(rules.DIGIT_RULES, at)
            or at + 1
        )

    def _sign(self, at: int, sign: str) -> int:
        text = self.text
        end = self._try(rules.SIGN_RULES.get(sign, ()), at)
        if end:
            return end
        clipped = rules.CLIPPED.match(text, at) if sign == "'" else None
        if clipped:
            lower = clipped[0].lower()
            form = any_of(lower.strip("'"), words.word_form(lower, is_heard=self.is_heard))
            return self._add(at, clipped.end(), PLAIN, form)
        following, previous = text[at + 1 : at + 2], text[at - 1 : at]
        if sign == "#" and codes.NUMBER_SIGN.match(text, at):
            return self._add(at, at + 1, "symbol", codes.number_sign(self.before.lower()))
        if sign in "-−–—" and following and following in "$£€₹¥0123456789.":
            if previous.isalnum() or previous in ("%", "°"):
                return self._add(at, at + 1, "symbol", rules.BETWEEN)
            if sign in "-−" and (at == 0 or previous in " (") and (following.isdecimal() or following in "$£€₹¥"):
                return self._add(at, at + 1, "symbol", any_of("minus", "negative"))
        elif sign == "–" and previous.isalpha() and following.isalpha():
            return self._add(at, at + 1, PLAIN, any_of("", "to", "through"))
        elif sign == "/" and following.isalpha() and self.out and self.out[-1].kind in ("currency", "number", "unit"):
            return self._add(at, at + 1, PLAIN, any_of("per", "a", "an", "slash"))
        elif sign == "/" and previous.isalnum() and following.isalnum():
            return self._add(at, at + 1, PLAIN, any_of("slash", "or", "", "forward slash"))
        elif sign == "/" and following.isalpha() and not previous.strip():
            return self._add(at, at + 1, PLAIN, any_of("slash", "forward slash"))
        elif sign == "." and previous.isalnum() and following.isalnum():
            return self._add(at, at + 1, PLAIN, any_of("", "dot", "point"))
        elif sign in rules.SYMBOLS and (sign != "_" or previous.isalnum() or following.isalnum()):
            return self._add(at, at + 1, "symbol", rules.SYMBOLS[sign])
        return at + 1

    def _word(self, at: int) -> int:
        match = rules.WORD.match(self.text, at)
        if match is None:
            return at + 1
        end = match.end()
        following = self.text[end : end + 1]
        if (following and following not in rules.AFTER_WORD) or following == ":":
            special = self._joined_word(at, end, following)
            if special:
                return special
        lower = match[0].lower()
        special = self._triggered(at, end, lower)
        if special:
            return special
        if self.is_heard or not (match[0].isupper() and 2 <= len(match[0]) <= 5 and match[0].isascii()):
            return self._add(at, end, PLAIN, words.word_form(lower.rstrip("'") or lower, is_heard=self.is_heard))
        return self._capitals(at, end, match[0])

    def _capitals(self, at: int, end: int, word: str) -> int:
        form = words.word_form(word.lower(), is_heard=False)
        if isinstance(form, str) and not re.search(r"[AEIOUY]", word):
            return self._add(at, end, "initialism", any_of(" ".join(word.lower()), codes.letters(word)))
        return self._add(at, end, PLAIN, form if not isinstance(form, str) else codes.letters(word))

    def _joined_word(self, at: int, end: int, following: str) -> int:
        """Try what can only be where a word touches a sign or a digit."""
        text = self.text
        if following in ".@/:_-+" or following.isdecimal():
            found = self._address(at)
            if found:
                return found
        slash = rules.SHORT_SLASH.match(text, at)
        if slash:
            return self._add(at, slash.end(), "abbreviation", rules.SHORT_SLASHES[slash[0].lower()])
        stutter = rules.STUTTER.match(text, at) if following == "-" else None
        if stutter and _is_stutter(stutter):
            return self._stutter(at, stutter)
        if following in {".", "&"}:
            return self._with_stop(at, end)
        if following in "-/$" or following.isdecimal():
            return self._try(rules.LETTER_RULES, at)
        return 0

    def _stutter(self, at: int, match: re.Match[str]) -> int:
        echoes = tuple(any_of("", part) for part in match[1].lower().split("-")[:-1])
        word = words.word_form(match[2].lower(), is_heard=self.is_heard)
        return self._add(at, match.end(), PLAIN, (*echoes, word))

    def _with_stop(self, at: int, end: int) -> int:
        """Read an abbreviation or initials; 0 if the stop only ends the sentence."""
        text = self.text
        if text[at:end].lower() in rules.MONTHS | dates.DAYS.keys() | {"v", "ver", "no", "nr", "nos", "rs", "ext"}:
            found = self._triggered(at, end, text[at:end].lower())
            if found:
                return found
        match = rules.ABBREVIATION.match(text, at)
        if match:
            after = text[match.end() :][:8]
            form = abbreviations.abbreviation(match[1].lower(), before=self.before, after=after, is_heard=self.is_heard)
            if form is not None:
                return self._add(at, match.end(), "abbreviation", form)
        initials = rules.INITIALS.match(text, at)
        if initials:
            joined = " ".join(re.findall(r"[A-Za-z]|&", initials[0])).lower().replace("&", "and")
            return self._add(at, initials.end(), "initialism", joined)
        return 0

    def _triggered(self, at: int, end: int, lower: str) -> int:
        """Try what only some words begin."""
        text = self.text
        rest = text[end : end + 2]
        if lower in rules.MONTHS:
            return self._try(((dates.MONTH_FIRST, "date", dates.month_first),), at)
        if lower in dates.DAYS:
            return self._try(((dates.DAY_RANGE, "range", dates.day_range),), at)
        if lower == "the" and rest[1:].isdecimal():
            return self._try(((dates.DAY_FIRST, "date", dates.day_first),), at)
        if lower in rules.CURRENCY_HEADS or lower in ("v", "ver", "version", "ext", "extension", "x"):
            return self._try(rules.LETTER_RULES[:3], at)
        if lower in ("no", "nr", "nos"):
            match = codes.NUMERO.match(text, at)
            return (
                self._add(at, match.end(), "abbreviation", any_of("number", "numbers"))
                if match and "." in match[0]
                else 0
            )
        if not self.is_heard and (lower in ("and", "a", "one") or lower in MULTIPLIERS):
            return self._in_number(at, end, lower)
        if lower[0] in "ivx" and text[at].isupper() and (len(lower) > 1 or self.before.lower() in rules.ROMAN_HEADS):
            return self._roman(at)
        return 0

    def _in_number(self, at: int, end: int, lower: str) -> int:
        """Read "and" and "a" inside a number in words, which come and go there."""
        match = rules.WORD.match(self.text, end + 1)
        following = match[0].lower() if match else ""
        if lower in MULTIPLIERS:
            is_followed = following in NUMBER_WORDS and following not in MULTIPLIERS
            return self._add(at, end, PLAIN, (lower, any_of("", "and"))) if is_followed else 0
        if lower == "and":
            is_inside = self.before.lower() in MULTIPLIERS and (
                following in NUMBER_WORDS or self.text[end + 1 : end + 2].isdecimal()
            )
            return self._add(at, end, PLAIN, any_of("and", "")) if is_inside else 0
        return self._add(at, end, PLAIN, any_of(lower, "one", "a")) if following in MULTIPLIERS else 0

    def _roman(self, at: int) -> int:
        match = rules.ROMAN.match(self.text, at)
        value = codes.roman(match[0]) if match else 0
        if match is None or not value:
            return 0
        nth = cardinal(value, is_ordinal=True)
        form = any_of(cardinal(value), ("the", nth), nth, codes.letters(match[0]))
        return self._add(at, match.end(), "number", form)


def whole_or_decimal(text: str) -> Form:
    """Return the number before a dash."""
    return quantities.number(text)


def _is_number_and_word(text: str) -> bool:
    """Say whether "48-page" and the like is no code but a number and ordinary words."""
    parts = rules.PARTS.split(text)
    if len(parts) == 1:
        return bool(re.fullmatch(r"\d+(?:st|nd|rd|th)", text))
    return all(part.isdecimal() or (part.isalpha() and part.islower() and len(part) > 2) for part in parts[1:]) and (
        parts[0].isdecimal() and not all(part.isdecimal() for part in parts)
    )


def _is_stutter(match: re.Match[str]) -> bool:
    """Say whether every cut-off piece begins the word behind it; "so-so" and "bye-bye" are words."""
    word = match[2].lower()
    pieces = match[1].lower().split("-")[:-1]
    if not all(word.startswith(piece) for piece in pieces):
        return False
    return any(len(piece) < len(word) for piece in pieces) or word in rules.ECHOED or len(pieces) > 1
