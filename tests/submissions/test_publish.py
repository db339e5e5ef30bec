"""A row is published whole or not at all, the same way each time, and never changes afterwards."""

import dataclasses
from collections.abc import Callable, Sequence
from io import BufferedReader
from pathlib import Path
from typing import TypeVar

import pytest

from evaluation.errors import ProtocolError
from evaluation.records import Unread
from evaluation.scoring import IncompleteReadings
from submissions import layout
from submissions.publish import PublishError
from submissions.store.base import PublishedFiles, StoreHealth
from submissions.store.folder import PublishedFolder
from submissions.verify import verify
from tests.submissions import published_example as example

T = TypeVar("T")

FIRST, SECOND, THIRD = example.SUBMISSIONS
PROTOCOL = example.protocol()
N_WRITES = 7
"""Files that publishing one row writes: recipe, card, samples, clips, result and two derived tables."""


class Killed(Exception):
    """The publisher's end."""


class KilledAfter:
    """Published files whose writer dies after some writes."""

    def __init__(self, files: PublishedFiles, n_writes: int) -> None:
        self._files = files
        self._left = n_writes

    def paths(self, prefix: str = "") -> Sequence[str]:
        return self._files.paths(prefix)

    def read(self, path: str) -> bytes:
        return self._files.read(path)

    def open(self, path: str) -> BufferedReader:
        return self._files.open(path)

    def size(self, path: str) -> int:
        return self._files.size(path)

    def version(self, path: str) -> str:
        return self._files.version(path)

    def change(self, why: str, make: Callable[[PublishedFiles], T]) -> T:
        return make(self)

    def commit(self) -> str | None:
        """Return no commit."""
        return None

    def repo(self) -> str | None:
        return self._files.repo()

    def refresh(self) -> None:
        self._files.refresh()

    def health(self) -> StoreHealth:
        return self._files.health()

    def write(self, path: str, data: bytes) -> None:
        self._count()
        self._files.write(path, data)

    def write_file(self, path: str, source: Path) -> None:
        self._count()
        self._files.write_file(path, source)

    def remove(self, path: str) -> None:
        self._count()
        self._files.remove(path)

    def _count(self) -> None:
        if self._left == 0:
            raise Killed
        self._left -= 1


@pytest.fixture
def first(tmp_path: Path) -> example.Submission:
    """A submission that is ready to be published."""
    return example.submission(tmp_path / FIRST, FIRST)


@pytest.fixture
def files(tmp_path: Path) -> PublishedFolder:
    """An empty published folder."""
    return PublishedFolder(tmp_path / "published")


def content(files: PublishedFiles) -> dict[str, bytes]:
    """Return every file's bytes by path."""
    return {path: files.read(path) for path in files.paths()}


def test_exactly_the_documented_files_are_written(files: PublishedFolder, first: example.Submission) -> None:
    """One row is seven files and the card, each where the layout says."""
    example.send(files, first, PROTOCOL)
    board = (layout.leaderboard_path(PROTOCOL.id), layout.decisions_path(PROTOCOL.id))
    expected = {*layout.source_paths(PROTOCOL.id, FIRST), layout.result_path(PROTOCOL.id, FIRST), *board}
    expected.add(layout.DATASET_CARD)
    assert set(files.paths()) == expected
    assert all(layout.is_published(path) for path in expected)


def test_publishing_again_changes_no_byte(files: PublishedFolder, first: example.Submission) -> None:
    """The same evaluation gives the same folder, byte for byte."""
    example.send(files, first, PROTOCOL)
    before = content(files)
    example.send(files, first, PROTOCOL)
    assert content(files) == before


def test_the_order_of_publishing_changes_no_byte(tmp_path: Path, first: example.Submission) -> None:
    """Rows published in another order give the same folder."""
    second = example.submission(tmp_path / SECOND, SECOND)
    one, other = PublishedFolder(tmp_path / "one"), PublishedFolder(tmp_path / "other")
    for submission in (first, second):
        example.send(one, submission, PROTOCOL)
    for submission in (second, first):
        example.send(other, submission, PROTOCOL)
    assert content(one) == content(other)


@pytest.mark.parametrize("n_writes", range(N_WRITES))
def test_a_publisher_killed_anywhere_leaves_no_row_or_the_whole_row(
    tmp_path: Path, files: PublishedFolder, first: example.Submission, n_writes: int
) -> None:
    """After any number of writes the row is absent or complete, and a second try gives the uninterrupted folder."""
    second = example.submission(tmp_path / SECOND, SECOND)
    whole = PublishedFolder(tmp_path / "whole")
    for one in (first, second):
        example.send(whole, one, PROTOCOL)
    example.send(files, first, PROTOCOL)
    with pytest.raises(Killed):
        example.send(KilledAfter(files, n_writes), second, PROTOCOL)
    rows = layout.read_results(files, PROTOCOL.id)
    assert [row.submission for row in rows] in ([FIRST], [FIRST, SECOND])
    if len(rows) == 1:
        assert verify(tmp_path / "published").is_identical
    else:
        assert {path: files.read(path) for path in rows[1].files} == {path: whole.read(path) for path in rows[1].files}
    example.send(files, second, PROTOCOL)
    assert content(files) == content(whole)


def test_publishing_mends_damaged_files_of_the_same_row(files: PublishedFolder, first: example.Submission) -> None:
    """A source that was damaged after the commit is written again as it was."""
    example.send(files, first, PROTOCOL)
    before = content(files)
    files.write(layout.clips_path(FIRST), b"rubbish")
    example.send(files, first, PROTOCOL)
    assert content(files) == before


def test_a_committed_row_never_changes(files: PublishedFolder, first: example.Submission) -> None:
    """Another card under a published id is refused, and nothing is written."""
    example.send(files, first, PROTOCOL)
    before = content(files)
    other = dataclasses.replace(first, card={**first.card, "licence": "GPL-3.0"})
    with pytest.raises(PublishError, match=r"systems/first-system\.json"):
        example.send(files, other, PROTOCOL)
    assert content(files) == before


def test_a_second_protocol_must_keep_the_files_that_it_shares(
    files: PublishedFolder, first: example.Submission
) -> None:
    """Under another protocol the same card and clips join; another card would break the first row and is refused."""
    example.send(files, first, PROTOCOL)
    other = example.protocol(name="other")
    changed = dataclasses.replace(first, card={**first.card, "version": "1.3"})
    with pytest.raises(PublishError, match="never changes"):
        example.send(files, changed, other)
    example.send(files, first, other)
    assert layout.committed_protocols(files, FIRST) == tuple(sorted((PROTOCOL.id, other.id)))


def test_other_constants_are_never_published(files: PublishedFolder, first: example.Submission) -> None:
    """A board with another threshold or margin is refused with what is frozen, and nothing is written."""
    constants = dataclasses.replace(PROTOCOL.constants, wer_limit=0.5, margin_floor=0.0)
    with pytest.raises(ProtocolError, match=r"wer_limit is 0\.5, frozen is 0\.15; margin_floor .* analysis"):
        example.send(files, first, dataclasses.replace(PROTOCOL, constants=constants))
    assert files.paths() == ()


def test_a_protocol_must_speak_of_every_trait_of_its_corpus(files: PublishedFolder, first: example.Submission) -> None:
    """A trait that is neither scored nor left out with a reason is refused by name."""
    silent = {name: reason for name, reason in PROTOCOL.not_measured.items() if name != "tone"}
    with pytest.raises(PublishError, match="not_measured"):
        example.send(files, first, dataclasses.replace(PROTOCOL, not_measured=silent))
    assert files.paths() == ()


def test_a_hole_on_our_side_is_not_published(files: PublishedFolder, first: example.Submission) -> None:
    """A reading that an instrument failed to give stops everything before the first write."""
    item = first.clips[0].item_id
    hole = Unread(reason="crashed", fault="instrument", detail="The model gave nothing.")
    broken = {**first.readings, item: dataclasses.replace(first.readings[item], naturalness=hole)}
    with pytest.raises(IncompleteReadings, match="naturalness"):
        example.send(files, dataclasses.replace(first, readings=broken), PROTOCOL)
    assert files.paths() == ()


def test_the_contact_is_never_published(files: PublishedFolder, first: example.Submission) -> None:
    """A card that still holds the contact is refused."""
    leaky = dataclasses.replace(first, card={**first.card, "contact": "me@example.org"})
    with pytest.raises(PublishError, match="contact"):
        example.send(files, leaky, PROTOCOL)


def test_a_clip_that_was_not_measured_is_refused(files: PublishedFolder, first: example.Submission) -> None:
    """Audio whose hash is not that of the readings never gets published."""
    (first.clips_dir / f"{first.clips[0].item_id}.flac").write_bytes(b"other audio")
    with pytest.raises(PublishError, match="not the clip that was measured"):
        example.send(files, first, PROTOCOL)
    assert files.paths() == ()


@pytest.mark.parametrize("lost", ["clip", "reading", "hash"])
def test_clips_items_and_readings_must_belong_together(
    files: PublishedFolder, first: example.Submission, lost: str
) -> None:
    """A missing clip or reading, or a reading of another clip, is refused with the item's name."""
    item = first.clips[0].item_id
    readings = dict(first.readings)
    if lost == "clip":
        first = dataclasses.replace(first, clips=first.clips[1:])
    elif lost == "reading":
        del readings[item]
    else:
        readings[item] = dataclasses.replace(readings[item], clip_sha256="0" * 64)
    with pytest.raises(PublishError, match=f"do not belong together at {item}"):
        example.send(files, dataclasses.replace(first, readings=readings), PROTOCOL)


def test_a_corpus_of_another_size_is_refused(files: PublishedFolder, first: example.Submission) -> None:
    """The items must be as many as the protocol's corpus has."""
    with pytest.raises(PublishError, match="expected 8 items"):
        example.send(files, first, PROTOCOL, example.items()[1:])


def test_other_items_than_the_board_has_are_refused(
    tmp_path: Path, files: PublishedFolder, first: example.Submission
) -> None:
    """A row that no other could be compared with stops before the first write."""
    example.send(files, first, PROTOCOL)
    before = content(files)
    easier = [dataclasses.replace(item, script="Yes") for item in example.items()]
    with pytest.raises(PublishError, match="one protocol has one corpus"):
        example.send(files, example.submission(tmp_path / SECOND, SECOND), PROTOCOL, easier)
    assert content(files) == before
