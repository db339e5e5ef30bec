"""Whether an instruction asks for what the fields of its item say. Pure.

Each requested value needs words of its own: one phrase cannot ask for two traits, so "a moderate voice" does not ask
for pace and loudness at once. A phrase that can only mean another value of the same trait is a contradiction.
"""

from collections.abc import Mapping, Sequence

from evaluation.corpus_maker import phrases
from evaluation.corpus_maker.phrases import Span
from evaluation.corpus_maker.tables import Phrasing, Tables, TraitPhrasings
from evaluation.traits import Kind, Trait

_N_EXAMPLES = 5


def disagreements(
    instruction: str, requested: Mapping[str, str], *, traits: Sequence[Trait], tables: Tables
) -> list[str]:
    """Return everything in which `instruction` differs from `requested`, each as a sentence; empty if they agree.

    Args:
        instruction: the voice prompt.
        requested: an allowed value for every trait of `traits`.
        traits: the registry.
        tables: phrasings.
    """
    evidence = {
        trait.name: _evidence(trait, requested[trait.name], instruction, _of(trait, tables)) for trait in traits
    }
    problems = [
        f"the instruction does not ask for {trait.name} {requested[trait.name]!r}; "
        f"say it in words such as {_examples(trait, requested[trait.name], tables)}"
        for trait in traits
        if not evidence[trait.name]
    ]
    if not problems and not _has_words_of_its_own(sorted(evidence.values(), key=len), ()):
        problems.append(
            "one phrase of the instruction has to serve for two traits; name each in words of its own: "
            + ", ".join(f"{trait.name} {requested[trait.name]}" for trait in traits)
        )
    held = [span for spans in evidence.values() for span in spans]
    for trait in traits:
        excused = (
            evidence[trait.name] if trait.kind is Kind.NUMERIC else held
        )  # "girl" asks for no age, but rules out 70
        problems += _contradictions(trait, requested[trait.name], instruction, tables, excused)
    return problems


def _of(trait: Trait, tables: Tables) -> TraitPhrasings:
    return tables.phrasings.get(trait.name, TraitPhrasings(values={}))


def _evidence(trait: Trait, value: str, text: str, table: TraitPhrasings) -> list[Span]:
    if trait.kind is Kind.NUMERIC:
        spans = [span for span, number in phrases.find_numbers(text) if number == float(value)]
        enough = [span for span in table.spans if span.is_enough and span.least <= float(value) <= span.most]
        return spans + [found for span in enough for found in phrases.find(span.phrase, text)]
    return _matches(value, table, text, is_clear=False)


def _matches(value: str, table: TraitPhrasings, text: str, *, is_clear: bool) -> list[Span]:
    said: Phrasing | None = table.values.get(value)
    if said is None:
        return phrases.find_word(value, text)
    return [span for phrase in (said.clear if is_clear else said.says) for span in phrases.find(phrase, text)]


def _has_words_of_its_own(wanted: Sequence[Sequence[Span]], taken: tuple[Span, ...]) -> bool:
    """Return whether every list can give one span such that no two of them overlap."""
    if not wanted:
        return True
    return any(
        _has_words_of_its_own(wanted[1:], (*taken, span))
        for span in wanted[0]
        if all(span[1] <= start or end <= span[0] for start, end in taken)
    )


def _contradictions(trait: Trait, value: str, text: str, tables: Tables, excused: Sequence[Span]) -> list[str]:
    table = _of(trait, tables)
    if trait.kind is Kind.NUMERIC:
        found = [
            span
            for span, number in phrases.find_numbers(text)
            if number != float(value) and phrases.is_followed_by(trait.unit, text, span[1])
        ]
        outside = [span for span in table.spans if not span.least <= float(value) <= span.most]
        found += [at for span in outside for at in phrases.find(span.phrase, text)]
    else:
        others = [other for other in trait.values if other != value]
        found = [span for other in others for span in _matches(other, table, text, is_clear=True)]
    loose = sorted({span for span in found if not any(s <= span[0] and span[1] <= e for s, e in excused)})
    return [
        f"the instruction says {text[start:end]!r}, which is not {trait.name} {value!r}; take it out"
        for start, end in loose
    ]


def _examples(trait: Trait, value: str, tables: Tables) -> str:
    if trait.kind is Kind.NUMERIC:
        return f"'{value} {trait.unit}' or '{value}-{trait.unit.rstrip('s')}'"
    said = _of(trait, tables).values.get(value)
    shown = said.says[:_N_EXAMPLES] if said else (value,)
    return ", ".join(repr(phrase.removesuffix("*")) for phrase in shown)
