"""What was published is read back as it was, by us and by any parquet reader; what is not ours is refused."""

import dataclasses
import json
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from evaluation.errors import ProtocolError, SchemaError
from evaluation.records import ItemId
from evaluation.traits import TRAITS
from submissions import layout, parquet
from submissions.columns import sample_schema, shape_of
from submissions.evidence import read_evidence, read_items, read_readings
from submissions.samples import sample_table
from submissions.store.folder import PublishedFolder
from tests.submissions import published_example as example

PROTOCOL = example.protocol()
N_ITEMS = 40
WIDE = example.protocol(n_items=N_ITEMS)
FIRST, SECOND, THIRD = example.SUBMISSIONS


@pytest.fixture(scope="module")
def submissions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, example.Submission]:
    """Three submissions of 40 items."""
    base = tmp_path_factory.mktemp("made")
    return {name: example.submission(base / name, name, n_items=N_ITEMS) for name in example.SUBMISSIONS}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, submissions: dict[str, example.Submission]) -> PublishedFolder:
    """The three as a published folder that no test changes."""
    files = PublishedFolder(tmp_path_factory.mktemp("published"))
    for one in submissions.values():
        example.send(files, one, WIDE)
    return files


def test_readings_come_back_as_they_were(files: PublishedFolder, submissions: dict[str, example.Submission]) -> None:
    """Items, clips, readings and declined items of the table equal those that were published."""
    table = layout.read_samples(files, WIDE.id, FIRST)
    evidence = read_evidence(table)
    assert read_readings(table) == submissions[FIRST].readings
    assert read_items(table) == example.items(N_ITEMS)
    assert tuple(evidence.clips.values()) == submissions[FIRST].clips
    assert evidence.declined == submissions[FIRST].declined


def test_every_documented_column_is_there(files: PublishedFolder) -> None:
    """The table has the columns of its schema, for all traits and the protocol's dimensions."""
    table = layout.read_samples(files, WIDE.id, FIRST)
    assert table.schema == sample_schema(shape_of(WIDE, ()))
    assert {f"requested_{trait.name}" for trait in TRAITS} < set(table.column_names)
    assert {f"desirability_{dimension}" for dimension in WIDE.dimensions} < set(table.column_names)
    for micro, share in zip(table["composite_micro"].to_pylist(), table["composite"].to_pylist(), strict=True):
        assert share == micro / 1_000_000


def test_a_declined_item_has_no_clip_and_no_reading(files: PublishedFolder) -> None:
    """Only what was asked, a failed gate and a composite of 0 stand in its row."""
    rows = layout.read_samples(files, WIDE.id, FIRST).to_pylist()
    (row,) = [row for row in rows if row["is_declined"]]
    filled = {name for name, value in row.items() if value is not None}
    requested = {f"requested_{trait.name}" for trait in TRAITS}
    asked = {"item_id", "tier", "split", "instruction", "script", *requested}
    assert filled == asked | {"is_declined", "passed_gate", "composite_micro", "composite", "normaliser"}
    assert not row["passed_gate"]
    assert row["composite_micro"] == 0


def test_each_clip_is_read_alone(files: PublishedFolder, submissions: dict[str, example.Submission]) -> None:
    """Every clip comes back byte for byte; a declined or unknown item has none."""
    one = submissions[FIRST]
    for clip in one.clips:
        assert layout.read_clip(files, FIRST, clip.item_id) == (one.clips_dir / f"{clip.item_id}.flac").read_bytes()
    for absent in (*one.declined, ItemId("it-999")):
        with pytest.raises(KeyError, match=absent):
            layout.read_clip(files, FIRST, absent)


def test_a_replaced_file_of_clips_is_read_anew(tmp_path: Path) -> None:
    """The remembered places of clips belong to one state of the file."""
    files = PublishedFolder(tmp_path / "published")
    path = layout.clips_path("some-system")
    row = {"item_id": "a", "sha256": "0", "flac": b"one", "duration_s": 1.0, "rate_hz": 8_000, "bit_depth": 16}
    for ids in (["a", "b"], ["b", "a", "c"]):
        rows = [{**row, "item_id": item, "flac": f"{item}{len(ids)}".encode()} for item in ids]
        parquet.write_groups(tmp_path / "clips", layout.CLIPS_SCHEMA, [pa.Table.from_pylist(rows, layout.CLIPS_SCHEMA)])
        files.write_file(path, tmp_path / "clips")
        assert layout.read_clip(files, "some-system", ItemId("b")) == f"b{len(ids)}".encode()


def test_clips_are_cut_into_small_uncompressed_groups(files: PublishedFolder) -> None:
    """A clip costs the fetch of at most 16."""
    metadata = pq.read_metadata(files.local_path(layout.clips_path(FIRST)))
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    assert [group.num_rows for group in groups] == [16, 16, N_ITEMS - 1 - 32]
    assert {group.column(2).compression for group in groups} == {"UNCOMPRESSED"}


def test_the_leaderboard_is_sorted_and_says_what_the_results_say(files: PublishedFolder) -> None:
    """Best score first, each figure as in the result that the row names, bands within the number of systems."""
    rows = layout.read_leaderboard(files, WIDE.id).to_pylist()
    results = {result.submission: result for result in layout.read_results(files, WIDE.id)}
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    assert {row["submission"] for row in rows} == set(results) == set(example.SUBMISSIONS)
    for row in rows:
        result = results[row["submission"]]
        assert row["score"] == result.summary.overall.score.mean
        assert row["mean_pace"] == result.summary.overall.dimensions["pace"].mean
        assert row["system"] == result.card["system"]
        assert row["score_low"] <= row["score"] <= row["score_high"]
        assert 1 <= row["rank_best"] <= row["rank_worst"] <= len(rows)


def test_there_is_one_decision_a_pair(files: PublishedFolder) -> None:
    """Each pair stands once, with the better mean as challenger."""
    rows = layout.read_decisions(files, WIDE.id).to_pylist()
    assert len({frozenset((row["challenger"], row["incumbent"])) for row in rows}) == len(rows) == 3
    for row in rows:
        assert row["challenger_score"] >= row["incumbent_score"]
        assert row["is_win"] == (row["lcb"] > row["margin"])


def test_card_and_provenance_come_back(files: PublishedFolder, submissions: dict[str, example.Submission]) -> None:
    """A system file holds what was published of it, flags as flags."""
    system = layout.read_system(files, FIRST)
    assert (system.card, system.provenance) == (submissions[FIRST].card, submissions[FIRST].provenance)
    assert system.card["open_weights"] is True


def test_protocols_are_read_by_id(files: PublishedFolder) -> None:
    """The published recipe is the one that was used."""
    assert layout.read_protocols(files) == {WIDE.id: WIDE}


def test_only_rows_with_a_result_are_committed(tmp_path: Path) -> None:
    """A protocol without results has no rows."""
    assert layout.read_results(PublishedFolder(tmp_path), PROTOCOL.id) == ()


def test_any_parquet_reader_opens_every_table(files: PublishedFolder) -> None:
    """Pandas and Arrow's datasets read each table with its own columns and no help."""
    for path in (path for path in files.paths() if path.endswith(".parquet")):
        local = files.local_path(path)
        assert list(pd.read_parquet(local).columns) == ds.dataset(local).to_table().column_names
    tables = [files.local_path(layout.samples_path(WIDE.id, name)) for name in example.SUBMISSIONS]
    assert ds.dataset(tables).to_table().num_rows == 3 * N_ITEMS


@pytest.mark.parametrize(
    "path", ["systems/x-1.json", "results/p/x-1.json", "clips/x-1.parquet", "per_sample/p/x-1.parquet"]
)
@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"PAR1", b"\xff\xfe", b'{"schema_version":99}', b"[" * 50_000])
def test_a_damaged_or_unknown_file_is_refused_by_name(tmp_path: Path, path: str, data: bytes) -> None:
    """Whatever stands in a file that is not ours, the error says which file it is."""
    files = PublishedFolder(tmp_path)
    files.write(path, data)
    readers = {
        "systems": lambda: layout.read_system(files, "x-1"),
        "results": lambda: layout.read_results(files, "p"),
        "clips": lambda: layout.read_clip(files, "x-1", ItemId("a")),
        "per_sample": lambda: layout.read_samples(files, "p", "x-1"),
    }
    with pytest.raises(SchemaError, match=path):
        readers[path.split("/", maxsplit=1)[0]]()


def test_a_later_version_of_a_table_is_refused(tmp_path: Path) -> None:
    """A parquet file without our version, or of another, names itself, what came and what is known."""
    files = PublishedFolder(tmp_path)
    table = pa.table({"item_id": ["a"]})
    for metadata, came in (({"schema_version": "2"}, "'2'"), ({}, "None")):
        pq.write_table(table.replace_schema_metadata(metadata), tmp_path / "one.parquet")
        files.write_file(layout.leaderboard_path("p"), tmp_path / "one.parquet")
        with pytest.raises(SchemaError, match=f"board/p/leaderboard.parquet: schema_version is {came}.*knows 1"):
            layout.read_leaderboard(files, "p")


def test_a_recipe_under_another_name_is_refused(tmp_path: Path, files: PublishedFolder) -> None:
    """A protocol's file name is the hash of its content."""
    other = PublishedFolder(tmp_path)
    other.write("protocols/0123456789ab.json", files.read(layout.protocol_path(WIDE.id)))
    with pytest.raises(ProtocolError, match=WIDE.id):
        layout.read_protocols(other)


@pytest.mark.parametrize("name", ["", "..", "a/b", "a.b", "-a", "a" * 65, "a\n", "é"])
def test_a_name_cannot_lead_out_of_its_folder(name: str) -> None:
    """Only plain short names become paths."""
    assert not layout.is_name(name)
    with pytest.raises(ValueError, match="published name"):
        layout.system_path(name)


@pytest.mark.parametrize(
    ("column", "value", "complaint"),
    [
        ("tier", 3, "tier"),
        ("split", "secret", "split"),
        ("requested_pace", "brisk", "requested_pace"),
        ("requested_age", "old", "requested_age"),
        ("level_dbfs", float("nan"), "finite"),
        ("level_dbfs", None, "acoustics without"),
        ("f0_hz", 0.0, "f0_hz"),
        ("speech_end_s", 0.0, "end after it starts"),
        ("clip_sha256", None, "not declined"),
        ("transcript_setting", None, "transcript"),
        ("transcript_doubt", "bored", "in doubt"),
        ("transcript_again_setting", "beam", "must both stand"),
        ("mos_unread", "crashed", "reading is not empty"),
        ("mos_unread_detail", "hm", "is empty"),
        ("item_id", "it-001", "twice"),
    ],
)
def test_a_value_that_no_publisher_writes_is_refused(
    files: PublishedFolder, column: str, value: object, complaint: str
) -> None:
    """A forged cell is refused with what is wrong, so that scoring never meets it."""
    rows = layout.read_samples(files, WIDE.id, FIRST).to_pylist()
    rows[0][column] = value
    with pytest.raises(SchemaError, match=f"some file.*{complaint}"):
        read_evidence(pa.Table.from_pylist(rows, sample_schema(shape_of(WIDE, ()))), "some file")


def test_a_table_without_a_column_is_refused(files: PublishedFolder) -> None:
    """The missing column is named."""
    table = layout.read_samples(files, WIDE.id, FIRST)
    with pytest.raises(SchemaError, match="column f0_hz"):
        read_evidence(table.drop_columns(["f0_hz"]), "some file")


def test_hostile_text_cannot_break_the_seal() -> None:
    """A cell that holds the very place-holder of the seal leaves the seal whole and the text as it was."""
    text = parquet._UNSEALED.decode()
    data = parquet.encode_table(pa.table({"a": [text]}))
    assert parquet.is_sealed(data)
    assert parquet.decode_table(data, "x")["a"].to_pylist() == [text]
    assert not parquet.is_sealed(data.replace(b"PAR1", b"PAR2", 1))
    assert not parquet.is_sealed(b"")


def test_a_result_is_canonical_json(files: PublishedFolder) -> None:
    """Its bytes are those of its sorted keys, and its hashes those of its sources."""
    data = files.read(layout.result_path(WIDE.id, FIRST))
    fields = json.loads(data)
    assert data == json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    assert set(fields["files"]) == set(layout.source_paths(WIDE.id, FIRST))


def test_scores_of_other_dimensions_need_no_new_code(submissions: dict[str, example.Submission]) -> None:
    """A protocol of fewer dimensions has a table of fewer columns, and nothing else changes."""
    left_out = {name: "Not here." for name in PROTOCOL.dimensions if name != "pace"}
    slim = dataclasses.replace(PROTOCOL, dimensions=("pace",), not_measured={**PROTOCOL.not_measured, **left_out})
    columns = [set(sample_schema(shape_of(one, ())).names) for one in (PROTOCOL, slim)]
    fewer = columns[0] - columns[1]
    assert fewer == {
        f"{kind}_{dimension}"
        for kind in ("measured", "quantity", "desirability", "reason")
        for dimension in set(PROTOCOL.dimensions) - {"pace"}
    }
    empty = sample_schema(shape_of(slim, ())).empty_table()
    assert sample_table(slim, read_evidence(empty), ()).num_rows == 0


@pytest.mark.parametrize(
    ("path", "protocol"),
    [
        ("cards/p/age.json", "p"),
        ("people/p.json", "p"),
        ("duels/p/a--b.json", "p"),
        ("duels/p/a-1--b_2.parquet", "p"),
        ("replies/p/a.parquet", None),
        ("systems/a.json", None),
    ],
)
def test_what_may_stand_beside_a_board_is_known_by_its_path(path: str, protocol: str | None) -> None:
    """Cards, reports and duels belong to a protocol and to no row."""
    assert layout.is_published(path)
    assert layout.addition_to(path) == protocol


@pytest.mark.parametrize(
    "path",
    [
        "cards/../x.json",
        "cards/age.json",
        "people/p/x.json",
        "duels/p/a.json",
        "duels/p/a--b--c.json",
        "duels/p/a--.json",
    ],
)
def test_other_paths_are_not_published(path: str) -> None:
    """Neither a way out of the folder nor a duel of one or three."""
    assert not layout.is_published(path)


def test_a_duel_has_one_place_whichever_way_round() -> None:
    """Both names lead to one file; a system against itself has none, nor a name that could be two."""
    assert layout.duel_path("p", "b", "a") == layout.duel_path("p", "a", "b") == "duels/p/a--b.json"
    assert layout.duel_replies_path("p", "b", "a") == "duels/p/a--b.parquet"
    for a, b in (("a", "a"), ("a--b", "c"), ("..", "a"), ("", "a")):
        with pytest.raises(ValueError, match="a duel is of two"):
            layout.duel_path("p", a, b)
