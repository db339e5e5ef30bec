"""Freezing: two parts, two hashes each, the same bytes for ever, and nothing of the private part in public."""

import dataclasses
import json
import stat
from pathlib import Path

import pytest

from evaluation.corpus import CATEGORIES, CorpusPin, load
from evaluation.corpus_maker import readings
from evaluation.corpus_maker.decks import deal
from evaluation.corpus_maker.freeze import FrozenCorpus, freeze
from evaluation.corpus_maker.records import CorpusMakerError, Draft
from evaluation.corpus_maker.tables import load_tables
from evaluation.corpus_maker.template import load_template, write_from_template
from evaluation.gate import frozen as gate_forms
from evaluation.gate.lattice import script_lattice
from evaluation.gate.spoken import spoken_words
from evaluation.gate.wer import word_errors
from evaluation.protocol import load_shipped
from evaluation.records import Acoustics, ClassScores, ClipReadings, PredictedMos, Transcript
from evaluation.scoring import score_submission
from evaluation.traits import TRAITS

TABLES = load_tables()
N = 40


def drafts_of(seed: int = 3, hold_out: float = 0.2) -> tuple[Draft, ...]:
    """Return the items of a template corpus."""
    assignments = deal(N, seed, traits=TRAITS, tables=TABLES, hold_out=hold_out)
    return write_from_template(assignments, prefix="mine", tables=TABLES, template=load_template())


def _frozen_in(out: Path, drafts: tuple[Draft, ...], **more: object) -> FrozenCorpus:
    made = {"seed": 3, "writer": "template"}
    return freeze(drafts, out, name="mine", provenance=made, traits=TRAITS, tables=TABLES, **more)  # type: ignore[arg-type]


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_both_parts_load_with_their_pins(tmp_path: Path) -> None:
    """The evaluation's own loader accepts each part with the pin that lies beside it; together they are all items."""
    drafts = drafts_of()
    frozen = _frozen_in(tmp_path, drafts)
    assert frozen.private is not None
    ids = []
    for part in (frozen.public, frozen.private):
        stored = json.loads(part.corpus.with_suffix(".pin.json").read_bytes())
        pin = CorpusPin(**{key: stored[key] for key in ("name", "file_sha256", "canonical_sha256", "n_items")})
        assert pin == part.pin
        loaded = load(part.corpus, pin)
        ids += [item.id for item in loaded.items]
        by_id = {draft.id: draft for draft in drafts}
        assert all(item.requested == by_id[item.id].requested for item in loaded.items)
    assert (frozen.public.pin.n_items, frozen.private.pin.n_items) == (N - 8, 8)
    assert sorted(ids) == sorted(draft.id for draft in drafts)


def test_bytes_are_identical_across_runs_and_a_second_freeze_changes_nothing(tmp_path: Path) -> None:
    """The same corpus gives the same files in any folder, and freezing it where it lies already is no error."""
    _frozen_in(tmp_path / "a", drafts_of())
    _frozen_in(tmp_path / "b", drafts_of())
    assert _contents(tmp_path / "a") == _contents(tmp_path / "b")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*")}
    _frozen_in(tmp_path / "a", drafts_of())
    assert times == {path: path.stat().st_mtime_ns for path in (tmp_path / "a").rglob("*")}


def test_another_content_is_never_overwritten(tmp_path: Path) -> None:
    """All files in the way are named and every byte stays."""
    _frozen_in(tmp_path, drafts_of())
    before = _contents(tmp_path)
    with pytest.raises(CorpusMakerError, match=r"never changed.*mine\.jsonl.*mine_held_out\.jsonl"):
        _frozen_in(tmp_path, drafts_of(seed=4))
    assert _contents(tmp_path) == before


def test_public_folder_holds_nothing_of_the_private_items(tmp_path: Path) -> None:
    """No held-out id, script or instruction, nor the seed; private files are their owner's only."""
    drafts = drafts_of()
    _frozen_in(tmp_path, drafts)
    public = b"".join(_contents(tmp_path / "public").values()).decode()
    for draft in drafts:
        assert (draft.script in public) is not draft.is_held_out
        assert (draft.id in public) is not draft.is_held_out
    assert "seed" not in json.loads((tmp_path / "public" / "mine.provenance.json").read_bytes())
    private = json.loads((tmp_path / "private" / "mine_held_out.provenance.json").read_bytes())
    assert private["seed"] == 3
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "private").iterdir()} == {0o600}


def test_without_a_hold_out_there_is_no_private_part(tmp_path: Path) -> None:
    """Then nothing is secret and the public provenance tells the seed."""
    assert _frozen_in(tmp_path, drafts_of(hold_out=0.0)).private is None
    assert not (tmp_path / "private").exists()
    assert json.loads((tmp_path / "public" / "mine.provenance.json").read_bytes())["seed"] == 3


def test_corpus_with_a_violation_is_not_frozen(tmp_path: Path) -> None:
    """The checks run once more at the end, whoever made the items."""
    drafts = drafts_of()
    with pytest.raises(CorpusMakerError, match="2 violations"):
        _frozen_in(tmp_path, (*drafts, drafts[0], drafts[1]))
    assert list(tmp_path.iterdir()) == []


def test_proposed_spoken_forms_are_kept_for_the_gate(tmp_path: Path) -> None:
    """A reading that the rules do not know is stored, read back and then accepted."""
    drafts = drafts_of(hold_out=0.0)
    draft = next(draft for draft in drafts if "9:45 AM" in draft.script)
    said = draft.script.replace("9:45 AM", "nine and three quarters in the morning")
    assert word_errors(draft.script, said).wer > 0
    frozen = _frozen_in(tmp_path, drafts, proposals={draft.id: [said]})
    path = frozen.public.corpus.with_suffix(".forms.json")
    forms = gate_forms.load(path, gate_forms.sha256_of(path.read_bytes()))
    assert set(forms) == {draft.id}
    assert "nine and three quarters in the morning" in {form.words for form in forms[draft.id][1]}
    shown = json.loads(frozen.public.corpus.with_suffix(".readings.json").read_bytes())["items"][draft.id]
    assert len(shown["extra"]) == len(forms[draft.id][1])


def test_accepted_readings_of_each_unit_are_listed(tmp_path: Path) -> None:
    """Every unit has its plain reading first, others behind it, each of which the gate accepts, and a bound."""
    frozen = _frozen_in(tmp_path, drafts_of(hold_out=0.0))
    record = json.loads(frozen.public.corpus.with_suffix(".readings.json").read_bytes())
    units = [unit for item in record["items"].values() for unit in item["units"]]
    assert {"currency", "time", "date", "email"} <= {unit["class"] for unit in units}
    assert all(1 <= len(unit["accepted"]) <= record["max_shown"] for unit in units)
    (quarter, *_) = [unit for unit in units if unit["text"] == "9:45 AM"]
    assert quarter["accepted"][0] == "nine forty five a m"
    assert "quarter to ten a m" in quarter["accepted"]
    assert any(unit["has_more"] for unit in units)
    assert list(readings.ways(script_lattice("no"))) == ["no"]


def test_template_corpus_can_be_evaluated(tmp_path: Path) -> None:
    """Clips that say the plain reading of every script pass the gate, and each gets a score above none."""
    public = _frozen_in(tmp_path, drafts_of()).public
    items = load(public.corpus, public.pin).items
    protocol = dataclasses.replace(load_shipped("lite"), corpus=public.pin)
    heard = {
        item.id: ClipReadings(
            item_id=item.id,
            clip_sha256="0" * 64,
            acoustics=Acoustics(
                duration_s=6.0,
                speech_start_s=0.2,
                speech_end_s=5.8,
                pause_s=0.0,
                level_dbfs=-23.0,
                peak_dbfs=-3.0,
                f0_hz=160.0,
                voiced_share=0.6,
            ),
            transcript=Transcript(text=" ".join(spoken_words(item.script)), setting="test"),
            probes={"gender": ClassScores(labels=("female", "male"), probabilities=(0.6, 0.4))},
            naturalness=PredictedMos(mos=4.0),
        )
        for item in items
    }
    scored = score_submission(protocol, items, heard, ())
    assert all(sample.passed_gate for sample in scored.samples)
    assert all(sample.composite_micro > 0 for sample in scored.samples)
    assert {item.category for item in items} <= set(CATEGORIES)


def test_every_category_is_one_that_corpora_may_have() -> None:
    """What the maker deals is what the evaluation knows."""
    assert {cell.category for cell in TABLES.cells} == set(CATEGORIES)
