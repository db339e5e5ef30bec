"""Files of hidden submissions: copied to a private place before they go, and back byte by byte.

Where what a submission has is published, or waits, follows from its events and from what lies where; nothing here
decides. Every step may be repeated, and one that was cut off is finished by repeating it.
"""

import shutil
import tempfile
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from submissions import layout, moderation
from submissions.belongings import belongings, boards_of, give_back, take_away
from submissions.moderation import Entry
from submissions.records import SubmissionId, submission_id
from submissions.state import State, SubmissionState
from submissions.store.base import PublishedFiles, WorkStore


def where_rows_go(store: WorkStore, published: PublishedFiles, state: SubmissionState) -> PublishedFiles:
    """Return where the row of a submission is to be published: a hidden one's joins what waits in private."""
    return published if state.hidden is None else store.hidden(state.submission)


def where_clips_are(store: WorkStore, published: PublishedFiles, submission: SubmissionId) -> PublishedFiles:
    """Return where the clips of a judge's anchor lie.

    A judge may hear what visitors may not; otherwise hiding one system would end every evaluation that it is the
    anchor of.
    """
    path = layout.clips_path(submission)
    wait = store.hidden(submission)
    return wait if path not in published.paths(path) and path in wait.paths(path) else published


def put_away(store: WorkStore, published: PublishedFiles, submission: SubmissionId, told: Sequence[Entry]) -> None:
    """Move all that is published of a submission to where it waits, in one change; `told` joins the public log.

    Repeated, it finishes what was cut off, and takes along what a worker published meanwhile.
    """
    wait = store.hidden(submission)
    while True:
        paths = belongings(published, submission)
        recipes = [layout.protocol_path(protocol_id) for protocol_id in boards_of(paths)]
        if paths:
            _copy(published, wait, [*recipes, *reversed(paths)], f"What was published of {submission}")
        if published.change(f"{submission} is hidden", _removal(submission, paths, told)):
            return


def bring_back(
    store: WorkStore,
    published: PublishedFiles,
    submission: SubmissionId,
    told: Sequence[Entry],
    is_hidden: Callable[[str], bool],
) -> None:
    """Publish all that waits of a submission, in one change, and forget the private copy; `told` joins the public log.

    A duel with a system that is hidden itself waits with that one from now on; one with a system that was taken back
    is gone.
    """
    wait = store.hidden(submission)
    paths = list(belongings(wait, submission))
    rivals = {Path(path).stem for path in published.paths("results/")}
    for other, duels in _duels_by_rival(paths, submission).items():
        if other in rivals:
            continue
        paths = [path for path in paths if path not in duels]
        if is_hidden(other):
            _copy(wait, store.hidden(submission_id(other)), duels, f"Duels of {submission}")
    paths += wait.paths("protocols/")
    with tempfile.TemporaryDirectory(prefix="castboard-hidden-") as folder:
        sources = {path: _local(wait, path, Path(folder) / str(at)) for at, path in enumerate(paths)}

        def make(draft: PublishedFiles) -> None:
            give_back(draft, sources)
            moderation.append(draft, told)

        published.change(f"{submission} is no longer hidden", make)
    forget(store, submission)


def forget(store: WorkStore, submission: SubmissionId) -> None:
    """Remove the private copy of a submission's published files; nothing happens if there is none."""
    wait = store.hidden(submission)
    if wait.paths():
        wait.change(f"{submission} does not wait any more", _remove_all)


def forget_duels(store: WorkStore, submission: SubmissionId, rivals: Collection[str]) -> None:
    """Remove its duels with `rivals` from where the published files of a hidden submission wait."""
    wait = store.hidden(submission)
    duels = [path for path in wait.paths("duels/") if set(Path(path).stem.split("--")) & set(rivals)]
    if duels:
        wait.change(f"Duels of {submission}", partial(_remove, paths=duels))


def leftovers(published: PublishedFiles, state: SubmissionState) -> tuple[str, ...]:
    """Return what a worker published of a submission that an operator stopped before its last event."""
    if state.state is not State.FAILED or state.reason is None or state.reason.code != "stopped":
        return ()
    if not state.protocols:
        return belongings(published, state.submission)
    wanted = {state.wanted} - {None, *state.protocols}
    return belongings(published, state.submission, {name for name in wanted if name})


def _removal(
    submission: SubmissionId, copied: Collection[str], told: Sequence[Entry]
) -> Callable[[PublishedFiles], bool]:
    def make(draft: PublishedFiles) -> bool:
        there = belongings(draft, submission)
        if not set(there) <= set(copied):
            return False  # a worker elsewhere published more; that must be copied first
        take_away(draft, there)
        moderation.append(draft, told)
        return True

    return make


def _copy(source: PublishedFiles, target: PublishedFiles, paths: Sequence[str], why: str) -> None:
    with tempfile.TemporaryDirectory(prefix="castboard-hidden-") as folder:
        local = {path: _local(source, path, Path(folder) / str(at)) for at, path in enumerate(paths)}

        def make(draft: PublishedFiles) -> None:
            for path, file in local.items():
                draft.write_file(path, file)

        target.change(why, make)


def _local(files: PublishedFiles, path: str, copy: Path) -> Path:
    with files.open(path) as source, copy.open("wb") as target:
        shutil.copyfileobj(source, target)
    return copy


def _duels_by_rival(paths: Sequence[str], submission: SubmissionId) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        if path.startswith("duels/"):
            (other,) = set(Path(path).stem.split("--")) - {submission}
            found.setdefault(other, []).append(path)
    return found


def _remove(draft: PublishedFiles, paths: Sequence[str]) -> None:
    for path in paths:
        draft.remove(path)


def _remove_all(draft: PublishedFiles) -> None:
    _remove(draft, draft.paths())
