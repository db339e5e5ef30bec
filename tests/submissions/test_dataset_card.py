"""The dataset card: what a stranger's `load_dataset` finds in a published folder, and what the card says of it."""

import dataclasses
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from evaluation.protocol import Protocol
from submissions import layout, parquet
from submissions.board import rebuild_board
from submissions.column_meanings import TABLES
from submissions.dataset_card import card_note, encode_card
from submissions.store.folder import PublishedFolder
from submissions.verify import verify
from tests.submissions import dataset_reader as reader
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example


def _publish(root: Path, work: Path, *names: str, under: Protocol | None = None, **card: Any) -> PublishedFolder:
    files = PublishedFolder(root)
    for name in names:
        one = example.submission(work / name, name)
        example.send(files, dataclasses.replace(one, card={**one.card, **card}), under or example.protocol())
    return files


def _card(files: PublishedFolder) -> str:
    return files.read(layout.DATASET_CARD).decode()


def test_every_configuration_opens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each table is loaded whole, of all systems, with the types that the files have."""
    datasets = reader.quiet(monkeypatch, tmp_path / "cache")
    files = _publish(tmp_path / "published", tmp_path, *example.SUBMISSIONS)
    n_clips = len(example.SUBMISSIONS) * (example.N_ITEMS - 1)
    expected = {"leaderboard": 3, "per_sample": 24, "decisions": 3, "clips": n_clips}
    assert reader.configurations(_card(files)) == list(expected)
    for name, n_rows in expected.items():
        loaded = datasets.load_dataset(str(tmp_path / "published"), name, split="train")
        assert loaded.num_rows == n_rows
        if name != "clips":
            assert not any(feature.dtype == "null" for feature in loaded.features.values())
    assert datasets.load_dataset(str(tmp_path / "published"), split="train").num_rows == 3, "the board is the default"


def test_clips_are_audio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The viewer is told that a clip is audio; its bytes are the FLAC that was measured."""
    datasets = reader.quiet(monkeypatch, tmp_path / "cache")
    files = _publish(tmp_path / "published", tmp_path, "first-system")
    clips = datasets.load_dataset(str(tmp_path / "published"), "clips", split="train")
    assert isinstance(clips.features["flac"], datasets.Audio)
    raw = clips.cast_column("flac", datasets.Audio(decode=False))
    measured = {row["item_id"]: row for row in layout.clip_rows(files.read("clips/first-system.parquet"), "clips")}
    for row in raw:
        assert row["flac"]["bytes"] == measured[row["item_id"]]["flac"]
        n_samples, rate_hz = reader.samples_of(row["flac"])
        assert (rate_hz, round(n_samples / rate_hz, 6)) == (row["rate_hz"], row["duration_s"])


def test_the_code_of_the_card_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the card tells people to type works, and gives each row of the samples its own system."""
    datasets = reader.quiet(monkeypatch, tmp_path / "cache")
    files = _publish(tmp_path / "published", tmp_path, *reversed(example.SUBMISSIONS))
    made: dict[str, Any] = {}
    exec(reader.code_of(_card(files), str(tmp_path / "published")), made)
    clips = {
        name: {row["sha256"] for row in layout.clip_rows(files.read(layout.clips_path(name)), name)}
        for name in example.SUBMISSIONS
    }
    heard = [row for row in made["rows"] if not row["is_declined"]]
    assert {row["submission"] for row in heard} == set(example.SUBMISSIONS)
    assert all(row["clip_sha256"] in clips[row["submission"]] for row in heard)
    assert made["rate_hz"] == 8_000 and len(made["samples"]) > 1_000
    assert made["one"].num_rows == example.N_ITEMS - 1 and datasets is not None


def test_a_judged_board_gives_its_replies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge's replies are a table of their own, of all systems together."""
    datasets = reader.quiet(monkeypatch, tmp_path / "cache")
    under = judged.protocol()
    files = PublishedFolder(tmp_path / "published")
    n_replies = 0
    for name in example.SUBMISSIONS[:2]:
        one = judged.submission(tmp_path / name, name, under)
        n_replies += len(one.replies)
        example.send(files, one, under)
    assert "replies" in reader.configurations(_card(files))
    for name, n_rows in (("replies", n_replies), ("per_sample", 2 * example.N_ITEMS), ("leaderboard", 2)):
        assert datasets.load_dataset(str(tmp_path / "published"), name, split="train").num_rows == n_rows
    assert "probability that the emotion is happy" in _card(files)


def test_protocols_never_share_a_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest protocol has the plain names, an older one its id behind; either opens with its own columns."""
    datasets = reader.quiet(monkeypatch, tmp_path / "cache")
    old, new = example.protocol(), judged.protocol()
    _publish(tmp_path / "published", tmp_path, *example.SUBMISSIONS, under=old)
    files = PublishedFolder(tmp_path / "published")
    example.send(files, judged.submission(tmp_path / "again", "first-system", new), new)
    names = reader.configurations(_card(files))
    assert names[:3] == ["leaderboard", "per_sample", "replies"]
    assert names[3:] == [f"leaderboard-{old.id}", f"per_sample-{old.id}", f"decisions-{old.id}", "clips"]
    loaded = {name: datasets.load_dataset(str(tmp_path / "published"), name, split="train") for name in names}
    assert (loaded["leaderboard"].num_rows, loaded[f"leaderboard-{old.id}"].num_rows) == (1, 3)
    assert set(loaded["per_sample"].column_names) > set(loaded[f"per_sample-{old.id}"].column_names)


def test_an_emptied_board_names_no_empty_table(tmp_path: Path) -> None:
    """With its last row gone a board has no configuration: the library opens no table without rows."""
    files = _publish(tmp_path / "published", tmp_path, "first-system")
    files.remove(layout.result_path(example.protocol().id, "first-system"))
    rebuild_board(files, example.protocol().id)
    card = _card(files)
    assert "configs" not in reader.front_matter(card)
    assert "first-system" not in card and "No system has a row yet" in card
    assert f"`{example.protocol().id}`" in card, "the protocol is still told"


def test_a_board_of_one_has_no_pairs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first row opens at once; decisions come with the second, and the code of the card speaks of what is there."""
    datasets = reader.quiet(monkeypatch, tmp_path / "cache")
    card = _card(_publish(tmp_path / "published", tmp_path, "first-system"))
    assert reader.configurations(card) == ["leaderboard", "per_sample", "clips"]
    exec(reader.code_of(card, str(tmp_path / "published")), {})
    assert datasets.load_dataset(str(tmp_path / "published"), "leaderboard", split="train").num_rows == 1


def test_no_board_at_all(tmp_path: Path) -> None:
    """A repository without any board has a card that is whole."""
    card = encode_card(PublishedFolder(tmp_path)).decode()
    assert "configs" not in reader.front_matter(card)
    assert "$" not in card


def test_five_hundred_systems_stay_readable(tmp_path: Path) -> None:
    """A large board folds its systems away, each on one line; what a machine reads does not grow with them."""
    files = _publish(tmp_path / "p", tmp_path, "first-system", system="Lark", notes="n" * 2_000)
    path = layout.leaderboard_path(example.protocol().id)
    small, table = _card(files), layout.read_leaderboard(files, example.protocol().id)
    names = [f"first-system{number:03d}" for number in range(499)]
    rows = table.to_pylist()
    many = [*rows, *({**rows[0], "submission": name} for name in names)]
    files.write(path, parquet.encode_table(pa.Table.from_pylist(many, schema=table.schema)))
    card = encode_card(files).decode()
    front = reader.front_matter(card)
    del front["configs"][2]  # decisions
    front["size_categories"] = ["n<1K"]
    assert front == reader.front_matter(small)
    assert "<summary>All 500 systems</summary>" in card and "`first-system498`" in card
    assert len(card) - len(small) < 500 * 120


HOSTILE = "<script>x</script> | [a](javascript:x) ![i](http://e.example) `c` **b** www.e.example $x$ @you\n---\n# h"


def test_hostile_words_do_nothing(tmp_path: Path) -> None:
    """What a maker wrote is shown in one cell of one row; it makes no markup, no link, no front matter."""
    fields = {"system": HOSTILE, "version": "1.0\n---", "licence": HOSTILE, "organisation": "$counts ${systems} |"}
    files = _publish(tmp_path / "p", tmp_path, "first-system", **fields, link="javascript:alert(1)")
    plain = _publish(tmp_path / "q", tmp_path, "first-system")
    card = _card(files)
    assert reader.front_matter(card) == reader.front_matter(_card(plain))
    assert card.count("\n") == _card(plain).count("\n")
    lines = [line for line in card.splitlines() if line.endswith("| `first-system` |")]
    assert len(lines) == 1 and lines[0].count("|") == 7
    for forbidden in ("<script", "](javascript", "](http", "**b", "`c`", "www.e", "$x", "@you", "](<"):
        assert forbidden not in lines[0]
    assert "javascript:alert" not in card


def test_links_are_plain_addresses(tmp_path: Path) -> None:
    """A maker's address is a link if it is one of the web, with nothing in it that could end the link."""
    files = _publish(tmp_path / "p", tmp_path, "first-system", system="Lark", link="https://example.org/a)(b*[c]?d=1")
    assert "[Lark](<https://example.org/a%29%28b%2A%5Bc%5D?d=1>)" in _card(files)


def test_the_card_is_a_function_of_the_files(tmp_path: Path) -> None:
    """The order in which rows came leaves no trace, and writing the card again changes nothing."""
    one = _publish(tmp_path / "p", tmp_path / "a", *example.SUBMISSIONS)
    two = _publish(tmp_path / "q", tmp_path / "b", *reversed(example.SUBMISSIONS))
    assert one.read(layout.DATASET_CARD) == two.read(layout.DATASET_CARD) == encode_card(one)


def test_licences_and_columns_stand_in_it(tmp_path: Path) -> None:
    """Each system is named with its licence, and each column of each table with its type."""
    files = _publish(tmp_path / "p", tmp_path, "first-system", licence="CC-BY-4.0", system="Lark")
    card = _card(files)
    assert "| [Lark](<https://example.org/4>) | 1.2 | Órgão 7 | CC-BY-4.0 | open | `first-system` |" in card
    for told in TABLES:
        assert f"<summary>{told}: " in card or told in ("replies", "contours")
    assert "| `composite_micro` | int64 |" in card and "@misc{castboard" in card


def test_a_damaged_board_hinders_no_other(tmp_path: Path) -> None:
    """A row is published although a table of another protocol is broken; the card leaves that board out."""
    other = example.protocol(name="other")
    files = _publish(tmp_path / "p", tmp_path / "a", "first-system", under=other)
    files.write(layout.leaderboard_path(other.id), b"rubbish")
    _publish(tmp_path / "p", tmp_path / "b", "second-system")
    assert other.id not in _card(files) and example.protocol().id in _card(files)


def test_verify_accepts_the_card_and_notes_another(tmp_path: Path) -> None:
    """A published card is no stray; an edited one is a note and no difference; without one nothing is said."""
    files = _publish(tmp_path / "p", tmp_path, "first-system")
    assert verify(tmp_path / "p").notes == () and card_note(files) is None
    files.write(layout.DATASET_CARD, files.read(layout.DATASET_CARD) + b"more")
    report = verify(tmp_path / "p")
    assert report.is_identical and len(report.notes) == 1 and "README.md" in report.notes[0]
    files.remove(layout.DATASET_CARD)
    assert verify(tmp_path / "p").notes == ()
