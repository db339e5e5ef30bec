"""The template corpus: passes every invariant, and is the same wherever it is made."""

import hashlib
import json
import math

import pytest

from evaluation.corpus_maker.decks import deal
from evaluation.corpus_maker.invariants import check_corpus
from evaluation.corpus_maker.records import CorpusMakerError, Draft
from evaluation.corpus_maker.scripts import leaks, length_problem, stress_problems
from evaluation.corpus_maker.tables import load_tables
from evaluation.corpus_maker.template import _script, load_template, write_from_template
from evaluation.traits import TRAITS, Kind, Trait

TABLES = load_tables()
TEMPLATE = load_template()


def _made(n: int, seed: int, traits: tuple[Trait, ...] = TRAITS) -> tuple[Draft, ...]:
    assignments = deal(n, seed, traits=traits, tables=TABLES, hold_out=0.2)
    return write_from_template(assignments, prefix="t", tables=TABLES, template=TEMPLATE)


def test_shipped_size_passes_every_invariant() -> None:
    """496 items, all different, none with a violation."""
    drafts = _made(496, 7)
    assert check_corpus(drafts, traits=TRAITS, tables=TABLES) == ()
    assert len({draft.script for draft in drafts}) == 496


def test_any_script_of_the_template_is_fit_for_its_cell() -> None:
    """Every combination of parts has the length and the difficulty of its tier, and names no trait."""
    tiers = [tier.name for tier in TABLES.tiers]
    assert {(tiers.index(tier), category) for tier, category in TEMPLATE.scripts} == {
        (cell.tier, cell.category) for cell in TABLES.cells
    }
    for (name, category), parts in TEMPLATE.scripts.items():
        number = tiers.index(name)
        cell = TABLES.cell(number, category)
        scripts = {_script(TEMPLATE, (name, category), at) for at in range(math.prod(map(len, parts)))}
        assert len(scripts) == math.prod(map(len, parts))
        for script in scripts:
            assert length_problem(script, TABLES.tiers[number]) is None, script
        for script in sorted(scripts)[::25]:  # the parts recur, so a sample holds them all
            assert cell is not None
            assert stress_problems(script, TABLES.tiers[number], cell) == [], script
            assert leaks(script, traits=TRAITS, tables=TABLES) == [], script


def test_ninth_trait_gets_a_sentence_of_its_own() -> None:
    """A registered trait without a place in the template is asked for and passes the invariants."""
    ninth = Trait(name="breathiness", kind=Kind.ORDINAL, values=("clear", "airy", "hoarse"))
    drafts = _made(60, 2, (*TRAITS, ninth))
    assert all(f"The breathiness is {draft.requested['breathiness']}." in draft.instruction for draft in drafts)
    assert check_corpus(drafts, traits=(*TRAITS, ninth), tables=TABLES) == ()


def test_bytes_are_the_same_on_any_machine() -> None:
    """The deal and the texts depend on nothing but their arguments: their hash is known."""
    texts = [[draft.id, draft.instruction, draft.script, dict(draft.requested)] for draft in _made(60, 7)]
    digest = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    assert digest == "dbba30756450a0b4edced17aeaf7491723fa3403c2eb0aff502da819d895b190"


def test_exhausted_template_says_so() -> None:
    """Scripts are never used twice; a corpus that needs more is refused with the numbers."""
    with pytest.raises(CorpusMakerError, match="the template has 0 scripts for easy opera"):
        _script(TEMPLATE, ("easy", "opera"), 0)
    with pytest.raises(CorpusMakerError, match="512 scripts for easy general"):
        _script(TEMPLATE, ("easy", "general"), 512)
