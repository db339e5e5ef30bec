"""The invariants of a corpus, each violation with its item and reason, all at once. Pure.

1. Every trait is requested, with an allowed value, and no two values contradict each other.
2. Instruction and fields agree.
3. The script names no trait.

Besides: length and difficulty of the tier, English letters, nothing that speaks to a judge, nothing twice.
"""

from collections.abc import Iterable, Sequence

from evaluation.corpus import ID_ALLOWED, is_item_id
from evaluation.corpus_maker import scripts
from evaluation.corpus_maker.instructions import disagreements
from evaluation.corpus_maker.records import Draft, Violation
from evaluation.corpus_maker.tables import Tables
from evaluation.judge.injection import script_addresses_judge
from evaluation.traits import Trait

MAX_LIKENESS = 0.85
"""Two scripts that share more of their words than this are one script."""
_INSTRUCTION_WORDS = (8, 70)
_MAX_LETTERS = 600


def check_draft(draft: Draft, *, traits: Sequence[Trait], tables: Tables) -> list[Violation]:
    """Return everything that is wrong with one item by itself."""
    found = [] if is_item_id(draft.id) else [("id", f"an id must be {ID_ALLOWED}, got {draft.id!r:.80}")]
    found += [("traits", reason) for reason in _trait_problems(draft, traits)]
    found += [("contradiction", reason) for reason in _contradictions(draft, tables)]
    if not found or all(check != "traits" for check, _ in found):
        reasons = disagreements(draft.instruction, draft.requested, traits=traits, tables=tables)
        found += [("instruction", reason) for reason in reasons]
    found += _text_problems(draft)
    leaked = scripts.leaks(draft.script, traits=traits, tables=tables)
    if leaked:
        named = ", ".join(repr(word) for word in leaked)
        found.append(("leak", f"the script must name no trait and no value of one, got {named}"))
    found += _difficulty_problems(draft, tables)
    return [Violation(item_id=draft.id, check=check, reason=reason) for check, reason in found]


def check_corpus(drafts: Iterable[Draft], *, traits: Sequence[Trait], tables: Tables) -> tuple[Violation, ...]:
    """Return everything that is wrong with a corpus: each item by itself, ids and repetitions."""
    found: list[Violation] = []
    seen = Seen()
    for draft in drafts:
        found += check_draft(draft, traits=traits, tables=tables)
        repeated = seen.repetition(draft)
        if repeated is not None:
            found.append(repeated)
        seen.add(draft)
    return tuple(found)


class Seen:
    """Items that others must differ from."""

    def __init__(self) -> None:
        """Start with none."""
        self._ids: set[str] = set()
        self._scripts: list[tuple[str, frozenset[str]]] = []

    def add(self, draft: Draft) -> None:
        """Remember an item."""
        self._ids.add(draft.id)
        self._scripts.append((draft.id, scripts.words_of(draft.script)))

    def repetition(self, draft: Draft) -> Violation | None:
        """Return how an item repeats one that was added, or None."""
        if draft.id in self._ids:
            return Violation(item_id=draft.id, check="repetition", reason="the id occurs twice")
        words = scripts.words_of(draft.script)
        for item_id, others in self._scripts:
            alike = scripts.likeness(words, others)
            if alike > MAX_LIKENESS:
                share = f"{alike:.0%} of their words are the same, at most {MAX_LIKENESS:.0%} are allowed"
                reason = f"the script repeats that of {item_id} ({share}); write about something else"
                return Violation(item_id=draft.id, check="repetition", reason=reason)
        return None


def _trait_problems(draft: Draft, traits: Sequence[Trait]) -> list[str]:
    names = [trait.name for trait in traits]
    problems = [f"{name} is requested but is no trait" for name in draft.requested if name not in names]
    for trait in traits:
        value = draft.requested.get(trait.name)
        if value is None:
            problems.append(f"{trait.name} is not requested; it must be one of {', '.join(trait.values)}")
        elif value not in trait.values:
            problems.append(f"{trait.name} must be one of {', '.join(trait.values)}, got {value!r:.60}")
    return problems


def _contradictions(draft: Draft, tables: Tables) -> list[str]:
    return [
        f"{' and '.join(f'{name} {value}' for name, value in pair.requested.items())} contradict each other: {pair.why}"
        for pair in tables.contradictions
        if pair.requested.items() <= draft.requested.items()
    ]


def _text_problems(draft: Draft) -> list[tuple[str, str]]:
    problems = []
    for name, text in (("instruction", draft.instruction), ("script", draft.script)):
        odd = scripts.language_problem(text)
        if odd:
            problems.append(("language", f"{name}: {odd}"))
        if len(text) > _MAX_LETTERS:
            problems.append(("length", f"{name}: at most {_MAX_LETTERS} characters are allowed, got {len(text)}"))
        spoken_to = script_addresses_judge(text)
        if spoken_to:
            problems.append(("judge", f"{name}: {spoken_to!r} speaks to a judge; it must not"))
    n_words = len(draft.instruction.split())
    fewest, most = _INSTRUCTION_WORDS
    if not fewest <= n_words <= most:
        problems.append(("length", f"the instruction must have {fewest} to {most} words, got {n_words}"))
    return problems


def _difficulty_problems(draft: Draft, tables: Tables) -> list[tuple[str, str]]:
    if not 0 <= draft.tier < len(tables.tiers):
        return [("tier", f"the tier must be 0 to {len(tables.tiers) - 1}, got {draft.tier}")]
    tier = tables.tiers[draft.tier]
    cell = tables.cell(draft.tier, draft.category)
    problems = []
    too = scripts.length_problem(draft.script, tier)
    if too:
        problems.append(("length", too))
    if cell is None:
        known = ", ".join(cell.category for cell in tables.cells if cell.tier == draft.tier)
        problems.append(("category", f"tier {tier.name} has the categories {known}, got {draft.category!r:.60}"))
        return problems
    return problems + [("stress", reason) for reason in scripts.stress_problems(draft.script, tier, cell)]
