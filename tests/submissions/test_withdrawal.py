"""Taking a submission back leaves nothing of it published, under any protocol, and touches no other."""

from pathlib import Path

from submissions import layout
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from submissions.withdrawal import withdraw
from tests.submissions import judged_example as judged
from tests.submissions import published_example as example
from tests.submissions.work_examples import later, put

ONE, OTHER, THIRD = "s00001", "s00002", "s000011"


def test_replies_and_duels_go_with_the_row(tmp_path: Path) -> None:
    """Its replies of every season and every duel that it was part of are gone; those of the others stay."""
    store, files = FolderStore(tmp_path / "home"), PublishedFolder(tmp_path / "published")
    seasons = (judged.protocol(), judged.protocol(judged=("tone",)))
    for name in (ONE, OTHER, THIRD):
        for under in seasons:
            example.send(files, judged.submission(tmp_path / name, name, under), under)
    for under in seasons:
        for a, b in ((ONE, OTHER), (THIRD, ONE), (OTHER, THIRD)):
            files.write(layout.duel_path(under.id, a, b), b"{}")
            files.write(layout.duel_replies_path(under.id, a, b), b"{}")
    submission = put(store, ONE)
    withdraw(store, files, submission, now=later(1), reason="mistake")
    left = files.paths()
    assert not [path for path in left if ONE in path.replace(THIRD, "")]
    for under in seasons:
        assert {layout.replies_path(under.id, name) for name in (OTHER, THIRD)} < set(left)
        assert layout.duel_path(under.id, THIRD, OTHER) in left
    report = verify(tmp_path / "published")
    assert {one.path.split("/")[0] for one in report.differences} <= {"duels"}  # empty objects stand for those
    assert report.counts.n_rows == 4
    withdraw(store, files, submission, now=later(2), reason="again")
    assert files.paths() == left
