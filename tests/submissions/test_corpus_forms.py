"""A corpus of one's own with spoken forms of its own: from its files to a published row that anybody can check."""

import dataclasses
import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from evaluation.corpus import Corpus, load, pin_of
from evaluation.corpus_forms import path_beside, sha256_beside
from evaluation.corpus_maker.freeze import Part, freeze
from evaluation.errors import CorpusMismatch, ProtocolError, SchemaError
from evaluation.gate import frozen
from evaluation.gate.wer import word_errors
from evaluation.preflight import preflight
from evaluation.protocol import Protocol, decode, encode, load_shipped
from evaluation.records import ClipReadings, ExtraForm, Item, Transcript
from evaluation.run import Engine
from evaluation.scoring import passes_gate
from evaluation.traits import TRAITS
from leaderboard.cli import main
from leaderboard.corpora import corpus_of
from leaderboard.protocols import keep
from leaderboard.settings import from_env
from submissions import layout, parquet
from submissions.evidence import read_evidence
from submissions.forms_cells import forms_cell, read_forms
from submissions.reception import Upload, receive
from submissions.station import Station
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from submissions.worker import Worker
from tests.evaluation.corpus_maker.test_freeze import TABLES, drafts_of
from tests.submissions.small_evaluation import SteadyEngine, acoustic_protocol, scripts_of, tones, write_zip

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
FORM = {"system": "Parrot", "version": "2", "organisation": "Aviary", "contact": "p@a.example", "licence": "MIT"}
TIME, SAID = "9:45 AM", "a quarter of an hour before ten on that very same morning"


@dataclasses.dataclass(frozen=True)
class Made:
    """A template corpus with one item whose script is read as no rule knows."""

    part: Part
    """The corpus."""
    item_id: str
    """That item."""
    said: str
    """How it is read."""

    def corpus(self) -> Corpus:
        """Load it."""
        return load(self.part.corpus, self.part.pin)

    def item(self) -> Item:
        """Return that item."""
        return next(item for item in self.corpus().items if item.id == self.item_id)

    def protocol(self) -> Protocol:
        """Return a protocol of it."""
        return acoustic_protocol(self.part.pin)


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Give the corpus as the maker freezes it."""
    drafts = drafts_of(hold_out=0.0)
    draft = next(draft for draft in drafts if TIME in draft.script)
    said = draft.script.replace(TIME, SAID)
    frozen_corpus = freeze(
        drafts,
        tmp_path / "corpus",
        name="mine",
        provenance={"writer": "template"},
        traits=TRAITS,
        tables=TABLES,
        proposals={draft.id: [said]},
    )
    return Made(part=frozen_corpus.public, item_id=draft.id, said=said)


def _station(home: Path, corpus: Corpus, protocol: Protocol, engine: Engine) -> Station:
    @contextmanager
    def opened(_: Protocol) -> Iterator[Engine]:
        yield engine

    return Station(
        name="w1",
        store=FolderStore(home),
        published=PublishedFolder(home / "published"),
        corpus=corpus,
        protocol=protocol,
        open_engine=opened,
        preflight=lambda wanted: preflight(wanted, items=corpus.items),
        clock=lambda: NOW,
        find_protocol=lambda _: protocol,
        decoder_processes=1,
    )


def _published(tmp_path: Path, made: Made) -> tuple[PublishedFolder, str]:
    """Evaluate one submission and return what was published, and its name."""
    home, corpus, protocol = tmp_path / "home", made.corpus(), made.protocol()
    passing = tmp_path / "passing"
    passing.mkdir()
    zip_path = write_zip(passing / "a.zip", tones(corpus))
    store = FolderStore(home)
    receipt = receive(
        Upload(zip_path=zip_path, card_fields=FORM, submitter=None),
        corpus=corpus,
        store=store,
        work_dir=passing,
        now=NOW,
        code_version="0.1.0",
        decoder_processes=1,
    )
    engine = SteadyEngine(scripts_of(corpus) | {made.item_id: made.said})
    Worker(_station(home, corpus, protocol, engine)).run_once()
    return PublishedFolder(home / "published"), receipt.submission


def test_a_form_of_the_corpus_passes_the_gate_from_files_to_board(tmp_path: Path, made: Made) -> None:
    """The one clip that only a frozen form accepts is scored, published and recomputed by anyone."""
    assert word_errors(made.item().script, made.said).wer > made.protocol().constants.wer_limit
    files, submission = _published(tmp_path, made)
    path = layout.samples_path(made.protocol().id, submission)
    table = parquet.decode_table(files.read(path), path)
    row = next(row for row in table.to_pylist() if row["item_id"] == made.item_id)
    assert (row["wer"], row["passed_gate"]) == (0.0, True)
    assert row["composite_micro"] > 0
    assert read_evidence(table).items == made.corpus().items
    report = verify(tmp_path / "home" / "published")
    assert report.is_identical, report.differences
    assert report.counts.n_rows == 1


def test_forms_that_were_changed_afterwards_are_found(tmp_path: Path, made: Made) -> None:
    """A published form that the protocol does not pin is a difference, however well it fits the scores."""
    files, submission = _published(tmp_path, made)
    path = layout.samples_path(made.protocol().id, submission)
    table = parquet.decode_table(files.read(path), path)
    at = table.column_names.index("spoken_forms")
    cells = table.column("spoken_forms").to_pylist()
    other = cells.index("[]")
    cells[other] = forms_cell((ExtraForm(start=0, end=1, words="anything"),))
    forged = table.set_column(at, table.schema.field(at), pa.array(cells, pa.string()))
    (tmp_path / "home" / "published" / path).write_bytes(parquet.encode_table(forged))
    report = verify(tmp_path / "home" / "published")
    assert any(one.path == path for one in report.differences)
    assert any("the items carry spoken forms" in one.sentence() for one in report.differences), report.differences


@pytest.mark.parametrize("damage", ["missing", "empty", "other"])
def test_missing_or_other_forms_are_refused(tmp_path: Path, made: Made, damage: str) -> None:
    """Nobody is ever scored without the forms that the protocol pins."""
    beside = path_beside(made.part.corpus)
    whole = beside.read_bytes()
    beside.unlink()
    if damage != "missing":
        beside.write_bytes(frozen.as_bytes({}) if damage == "empty" else whole.replace(b"quarter", b"QUARTER"))
    with pytest.raises(CorpusMismatch, match=r"mine\.forms\.json: the spoken forms .* must have sha256"):
        made.corpus()
    settings = from_env({"CASTBOARD_HOME": str(tmp_path / "home"), "CASTBOARD_CORPUS": str(made.part.corpus)})
    with pytest.raises(CorpusMismatch):
        corpus_of(settings, made.protocol())


def test_forms_that_no_protocol_pins_are_refused(made: Made) -> None:
    """Forms beside a corpus are never left out in silence either."""
    with pytest.raises(CorpusMismatch, match="freeze a protocol that names"):
        load(made.part.corpus, dataclasses.replace(made.part.pin, forms_sha256=None))


@pytest.mark.parametrize("damage", ["script", "place", "item", "shape"])
def test_forms_of_other_scripts_are_refused(made: Made, damage: str) -> None:
    """Even a pinned file must be of this corpus."""
    beside = path_beside(made.part.corpus)
    record = json.loads(beside.read_bytes())
    (item_id,) = record["items"]
    entry = record["items"].pop(item_id)
    if damage == "script":
        entry["script"] = "0" * 16
    if damage == "place":
        entry["forms"][0]["end"] = 100_000
    if damage == "shape":
        entry = {"script": entry["script"], "forms": [{"start": 0}]}
    record["items"]["nobody" if damage == "item" else item_id] = entry
    beside.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    with pytest.raises(CorpusMismatch, match=r"mine\.forms\.json"):
        load(made.part.corpus, pin_of(made.part.corpus, "mine"))


def test_items_without_their_forms_are_neither_run_nor_scored(made: Made) -> None:
    """The preflight and the scores hold the items against the pin; the first normaliser knows no forms."""
    bare = [dataclasses.replace(item, spoken_forms=()) for item in made.corpus().items]
    with pytest.raises(ProtocolError, match="carry spoken forms of sha256 None"):
        preflight(made.protocol(), items=bare)
    old = dataclasses.replace(made.protocol(), normaliser="lite-1")
    with pytest.raises(ProtocolError, match="which the normaliser lite-1 does not know"):
        preflight(old, items=made.corpus().items)


def test_the_protocol_names_the_forms(made: Made) -> None:
    """They are part of its id; the shipped protocol, which has none, is what it was."""
    protocol = made.protocol()
    without = dataclasses.replace(protocol, corpus=dataclasses.replace(protocol.corpus, forms_sha256=None))
    assert protocol.corpus.forms_sha256 == sha256_beside(made.part.corpus)
    assert decode(encode(protocol), "it") == protocol
    assert protocol.id != without.id
    assert load_shipped("lite").id == "00343e71819c"
    assert b"forms_sha256" not in encode(load_shipped("lite"))


def test_the_gate_verb_knows_the_forms(
    tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the corpus in the settings a pair is held against its forms too."""
    monkeypatch.setenv("CASTBOARD_HOME", str(tmp_path / "home"))
    keep(from_env(), made.protocol())
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "a", "script": made.item().script, "transcript": made.said}) + "\n")
    assert main(["gate", str(pairs)]) == 0
    assert json.loads(capsys.readouterr().out)["wer"] > 0
    monkeypatch.setenv("CASTBOARD_CORPUS", str(made.part.corpus))
    monkeypatch.setenv("CASTBOARD_PROTOCOL", made.protocol().id)
    assert main(["gate", str(pairs)]) == 0
    assert json.loads(capsys.readouterr().out)["wer"] == 0
    path_beside(made.part.corpus).unlink()
    assert main(["gate", str(pairs)]) == 1
    assert "mine.forms.json" in capsys.readouterr().err


def test_forms_are_frozen_beside_a_corpus_once(tmp_path: Path, made: Made, capsys: pytest.CaptureFixture[str]) -> None:
    """Proposals give the same file as the maker; another one never takes the place of what a protocol may pin."""
    beside, proposals = path_beside(made.part.corpus), tmp_path / "proposals.json"
    whole = beside.read_bytes()
    beside.unlink()
    proposals.write_text(json.dumps({made.item_id: {"one": [made.said]}}))
    asked = ["freeze-forms", str(proposals), "--corpus", str(made.part.corpus)]
    assert main(asked) == 0
    assert f'forms_sha256 = "{made.part.pin.forms_sha256}"' in capsys.readouterr().out
    assert beside.read_bytes() == whole
    proposals.write_text(json.dumps({made.item_id: {"one": ["something else"]}}))
    assert main(asked) == 1
    assert beside.read_bytes() == whole


@pytest.mark.parametrize(
    "cell", ["", "{}", "[1]", '[[0,1,"a",2]]', '[[0,99,"a"]]', '[[true,1,"a"]]', '[[0,1,"\\ud800"]]', "[[0,1,2]]"]
)
def test_forged_cells_are_refused(cell: str) -> None:
    """Whatever a table holds, only forms of the script come back."""
    with pytest.raises(SchemaError, match="row 3: spoken_forms"):
        read_forms(cell, "abc", "row 3")


def test_the_gate_of_one_clip_knows_the_forms(made: Made) -> None:
    """What decides whether the judge hears a clip is the same rule."""
    heard = ClipReadings(
        item_id=made.item().id,
        clip_sha256="0" * 64,
        acoustics=None,
        transcript=Transcript(text=made.said, setting="as written"),
        naturalness=None,
    )
    assert passes_gate(made.protocol(), made.item(), heard)
    bare = dataclasses.replace(made.item(), spoken_forms=())
    assert not passes_gate(made.protocol(), bare, heard)
