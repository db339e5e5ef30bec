"""Words that speak to a judge instead of reading a script. Pure.

No list of phrases is complete. It stands beside other means: words that are not in the script count against the
gate's limit, a clip that adds three of its own in a row is not sent (`judging_skips`), the judge is told to give
nothing for them, and its reply is never searched for a verdict.
"""

import difflib
import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence

from evaluation.judge.injection_patterns import HINTS, LONG_WORDS, PATTERNS, PLAIN_HINTS

RULES = "2"
"""Version of the rules, those of `judging_skips` among them; a change of any of them is a new version, since rows
depend on them."""

_MOST_CHARACTERS = 20_000  # of a text; what nobody can say in 120 s is not looked at
_LONGEST_PHRASE = 120
_LEAST_ADDED = 3  # words in a row that are not in the script
_LEAST_HINTS = 2
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*|\d+")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def addresses_judge(script: str, heard: Sequence[str]) -> str | None:
    """Return the words by which a clip speaks to the judge, or None.

    Args:
        script: what the clip was to read.
        heard: what transcribers wrote of it, each hearing by itself.

    Returns:
        The first such words that were heard and are not in the script, lower case; at most 120 characters.
    """
    wanted = words_of(script)
    for text in heard:
        found = _beyond_script(wanted, words_of(text))
        if found is not None:
            return found[:_LONGEST_PHRASE]
    return None


def script_addresses_judge(text: str) -> str | None:
    """Return the words by which a script or an instruction itself speaks to a judge, or None.

    A corpus with such an item is not built, and a protocol with a judge does not start on one.
    """
    found = next(_phrases(words_of(text)), None)
    return None if found is None else found[1][:_LONGEST_PHRASE]


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text as they would be heard: lower case, small numbers spelled, marks dropped."""
    plain = unicodedata.normalize("NFKD", text[:_MOST_CHARACTERS]).casefold().replace("’", "'")
    plain = "".join(char for char in plain if not unicodedata.category(char).startswith(("M", "Cf")))
    words = (_spelled(word) for word in _WORD.findall(plain.replace("_", " underscore ")))
    return tuple(_mended(word) for word in words)


def _beyond_script(wanted: tuple[str, ...], heard: tuple[str, ...]) -> str | None:
    in_script = [index for index, _ in _phrases(wanted)]
    for index, phrase in _phrases(heard):
        if index not in in_script:
            return phrase
        in_script.remove(index)
    for run in _added_runs(wanted, heard):
        hints = {word for word in run if word in HINTS and word not in wanted}
        if len(hints) >= _LEAST_HINTS or hints & PLAIN_HINTS:
            return " ".join(run)
    return None


def _phrases(words: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield each pattern's number with every place where it is found."""
    text = " ".join(words)
    for index, pattern in enumerate(PATTERNS):
        for match in pattern.finditer(text):
            yield index, match.group()


def _added_runs(wanted: tuple[str, ...], heard: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the stretches of what was heard that are longer than what they stand for in the script."""
    matcher = difflib.SequenceMatcher(None, wanted, heard, autojunk=False)
    for tag, start, stop, heard_start, heard_stop in matcher.get_opcodes():
        if tag != "equal" and (heard_stop - heard_start) - (stop - start) >= _LEAST_ADDED:
            yield heard[heard_start:heard_stop]


def _spelled(word: str) -> str:
    if word.isascii() and word.isdigit() and len(word) <= len(str(len(_NUMBERS))) and int(word) < len(_NUMBERS):
        return _NUMBERS[int(word)]
    return word


@functools.lru_cache(maxsize=8192)
def _mended(word: str) -> str:
    """Return the long word that `word` differs from by one letter, or `word` itself."""
    return next((known for known in LONG_WORDS if _is_near(word, known)), word)


def _is_near(word: str, known: str) -> bool:
    if word == known or word in LONG_WORDS or abs(len(word) - len(known)) > 1:
        return word == known
    head = next(
        (i for i, pair in enumerate(zip(word, known, strict=False)) if pair[0] != pair[1]), min(len(word), len(known))
    )
    tails = (word[head + 1 :] == known[head + 1 :], word[head:] == known[head + 1 :], word[head + 1 :] == known[head:])
    return any(tails)
