"""Extra accepted forms: found, stored, loaded, merged."""

import dataclasses
from pathlib import Path

import pytest

from evaluation.corpus import load_benchmark_v1
from evaluation.errors import SchemaError
from evaluation.gate import frozen
from evaluation.gate.wer import read_gate, word_errors
from evaluation.records import ExtraForm, Item, ItemId

SCRIPT = "Meet me at 14:00 in room 7 with £20."
PROPOSED = "meet me at fourteen o'clock sharp in room seven with twenty quid"


def _item(script: str) -> Item:
    return Item(id=ItemId("t-1"), instruction="", script=script, requested={}, tier=2, split="public")


def test_missing_forms_are_the_spans_that_differ() -> None:
    """Only what the rules do not accept is proposed, with its place in the script."""
    forms = frozen.missing_forms(SCRIPT, PROPOSED)
    assert [(SCRIPT[form.start : form.end], form.words) for form in forms] == [
        ("14:00", "fourteen o'clock sharp"),
        ("£20", "twenty quid"),
    ]
    assert frozen.missing_forms(SCRIPT, "meet me at fourteen hundred in room seven with twenty pounds") == ()


def test_extra_forms_are_accepted_and_nothing_else() -> None:
    """With them the proposed sentence has no error; the usual readings stay; other errors stay errors."""
    forms = frozen.missing_forms(SCRIPT, PROPOSED)
    assert word_errors(SCRIPT, PROPOSED).wer > 0.0
    assert word_errors(SCRIPT, PROPOSED, extra=forms).wer == 0.0
    assert word_errors(SCRIPT, SCRIPT, extra=forms).wer == 0.0
    assert word_errors(SCRIPT, PROPOSED.replace("quid", "euros"), extra=forms).wer > 0.0
    assert [unit.kind for unit in read_gate(SCRIPT, PROPOSED, extra=forms).units] == ["time", "number", "currency"]


def test_overlapping_forms_meet_in_one_lattice() -> None:
    """Forms that share a part of the script are all accepted, alone and with what lies beside them."""
    forms = (
        ExtraForm(start=0, end=8, words="one two"),
        ExtraForm(start=4, end=13, words="three"),
    )
    script = "red blue green grey"
    for said in ("one two green grey", "red three grey", "red blue green grey"):
        assert word_errors(script, said, extra=forms).wer == 0.0
    assert word_errors(script, "one two three grey", extra=forms).wer > 0.0


def test_a_file_gives_back_what_was_frozen(tmp_path: Path) -> None:
    """Frozen, written, loaded: the same; no sentence of the script is in the file; a changed file is refused."""
    found = frozen.freeze([_item(SCRIPT)], {"t-1": [PROPOSED]})
    raw = frozen.as_bytes(found)
    path = tmp_path / "forms.json"
    path.write_bytes(raw)
    assert frozen.load(path, frozen.sha256_of(raw)) == found
    assert b"Meet me" not in raw
    path.write_bytes(raw.replace(b"quid", b"euro"))
    with pytest.raises(SchemaError, match="must have sha256"):
        frozen.load(path, frozen.sha256_of(raw))
    path.write_bytes(raw.replace(b'"schema_version": 1', b'"schema_version": 2'))
    with pytest.raises(SchemaError, match="schema_version must be 1, got 2"):
        frozen.load(path, frozen.sha256_of(path.read_bytes()))


def test_nothing_is_frozen_where_the_rules_suffice() -> None:
    """An item whose proposals are accepted already has no entry, and the order of proposals does not matter."""
    other = "meet me at quarter past two in room seven with twenty pounds"
    assert frozen.freeze([_item("Go home.")], {"t-1": ["go home"]}) == {}
    both = [frozen.freeze([_item(SCRIPT)], {"t-1": order}) for order in ([PROPOSED, other], [other, PROPOSED])]
    assert frozen.as_bytes(both[0]) == frozen.as_bytes(both[1])


def test_shipped_forms_fit_the_corpus() -> None:
    """Each shipped entry names an item, its present script, and a span inside it that is accepted as said."""
    items = load_benchmark_v1().by_id()
    shipped = frozen.load(frozen.FORMS_FILE, frozen.FORMS_SHA256)
    assert shipped
    for item_id, (name, forms) in shipped.items():
        script = items[item_id].script
        assert name == frozen.script_hash(script)
        for form in forms:
            said = f"{script[: form.start]} {form.words} {script[form.end :]}"
            assert word_errors(script, said).wer == 0.0
            assert word_errors(script, said, extra=()).wer > 0.0


def test_another_script_has_no_shipped_forms() -> None:
    """Forms belong to a script, not to its id."""
    item = next(iter(load_benchmark_v1().items))
    assert frozen.shipped_forms(dataclasses.replace(item, script=f"{item.script} now").script) == ()
