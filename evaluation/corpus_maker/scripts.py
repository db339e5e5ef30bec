"""Whether a script is fit to be read: it names no trait, and has the length and the difficulty of its tier. Pure."""

import re
import unicodedata
from collections.abc import Sequence

from evaluation.corpus_maker import phrases
from evaluation.corpus_maker.tables import Cell, Tables, Tier, TraitPhrasings
from evaluation.gate.reading import PLAIN, fragments
from evaluation.traits import Kind, Trait


def leaks(script: str, *, traits: Sequence[Trait], tables: Tables) -> list[str]:
    """Return the words of `script` that name a trait or one of its values, whichever the item requests."""
    found: dict[str, None] = {}
    for trait in traits:
        words = tables.phrasings.get(trait.name, TraitPhrasings(values={})).words
        spans = phrases.find_word(trait.name, script)
        spans += [span for word in words for span in phrases.find(word, script)]
        if trait.kind is Kind.NUMERIC:
            values = {float(value) for value in trait.values}
            spans += [
                span
                for span, number in phrases.find_numbers(script)
                if number in values and phrases.is_followed_by(trait.unit, script, span[1])
            ]
        else:
            spans += [span for value in trait.values for span in phrases.find_word(value, script)]
        found.update(dict.fromkeys(script[start:end] for start, end in spans))
    return list(found)


def length_problem(script: str, tier: Tier) -> str | None:
    """Return what is wrong with the number of words, or None."""
    n_words = len(script.split())
    if tier.min_words <= n_words <= tier.max_words:
        return None
    return f"the script must have {tier.min_words} to {tier.max_words} words for tier {tier.name}, got {n_words}"


def stress_problems(script: str, tier: Tier, cell: Cell) -> list[str]:
    """Return what the script lacks of its tier and category, or has too much."""
    problems = []
    if not tier.may_hold_digits and re.search(r"\d", script):
        problems.append(f"a script of tier {tier.name} must hold no digit")
    units = {fragment.start for fragment in fragments(script, is_heard=False) if fragment.kind != PLAIN}
    if len(units) < cell.min_units:
        problems.append(
            f"a script of {tier.name} {cell.category} must hold at least {cell.min_units} amounts, times, dates, "
            f"addresses or codes in digits and signs, got {len(units)}"
        )
    marks = {match[0].lower() for match in re.finditer(cell.mark, script, re.I)} if cell.mark else set()
    if len(marks) < cell.min_marks:
        problems.append(
            f"a script of {tier.name} {cell.category} must hold at least {cell.min_marks} different of what its "
            f"category asks for ({cell.ask}), got {sorted(marks)}"
        )
    return problems


def language_problem(text: str) -> str | None:
    """Return what in `text` is not one line of English letters and usual signs, or None."""
    odd = sorted({letter for letter in text if not _is_usual(letter)})
    if odd:
        shown = ", ".join(f"U+{ord(letter):04X}" for letter in odd[:5])
        return f"only one line of Latin letters, digits and usual signs is allowed, got {shown}"
    return None if any(letter.isalpha() for letter in text) else "there is no letter in it"


def words_of(text: str) -> frozenset[str]:
    """Return the different words of `text`, lower case."""
    return frozenset(re.findall(r"\w+", text.lower()))


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of words that two texts have in common: 0 none, 1 all (Jaccard index)."""
    return len(one & other) / (len(one | other) or 1)


def _is_usual(letter: str) -> bool:
    if letter.isascii():
        return letter.isprintable()
    if letter.isalpha():
        return unicodedata.name(letter, "").startswith("LATIN")
    return unicodedata.category(letter) in {"Pd", "Pi", "Pf", "Po", "Sc", "So", "Sm"} and letter.isprintable()
