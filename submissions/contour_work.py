"""Makes the contours of published clips: a little at a time, whenever nothing else is to be done.

A table appears whole or not at all and follows from the clips alone, so whoever is killed has lost some seconds of work
and nothing else. Two that make the same one write the same bytes.
"""

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from evaluation import audio
from evaluation.codec import sha256_of
from evaluation.errors import CastboardError, MissingDependency, SchemaError, WeightsMismatch
from evaluation.probes.contour import Draw
from submissions import layout, parquet
from submissions.contours import DrawnClip, encode_contours
from submissions.dataset_card import write_card
from submissions.layout import CLIPS_PER_GROUP
from submissions.station import Station
from submissions.store.base import PublishedFiles, StoreUnavailable, WorkStore

log = logging.getLogger(__name__)

_COLUMNS = ["item_id", "sha256", "flac"]
MOST_GROUP_BYTES = 1 << 30
"""Largest row group of clips that is read."""


@dataclass(slots=True, kw_only=True)
class ContourWork:
    """Makes what lacks, submission by submission; call it from one thread."""

    store: WorkStore
    """Keeps other writers of this machine waiting while a table is published."""
    files: PublishedFiles
    """Holds the clips and takes the tables."""
    open_reader: Callable[[], Draw]
    """Loads the instrument; called once, when there is something to do."""
    seconds: Callable[[], float] = time.monotonic
    """A clock that only goes forward, s."""
    _reader: Draw | None = None
    _under_way: Iterator[None] | None = None
    _looked_at: dict[str, str] = field(default_factory=dict)

    def work_for(self, budget_s: float) -> bool:
        """Work for about so long; return whether there was anything to do.

        Raises:
            StoreUnavailable: if the store is away; what was drawn of a submission is lost.
            MissingDependency: if the instrument is not installed.
            WeightsMismatch: if it is another one.
        """
        until = self.seconds() + budget_s
        has_worked = False
        self._under_way = self._under_way or self._all()
        for _ in self._under_way:
            has_worked = True
            if self.seconds() >= until:
                return True
        self._under_way = None
        return has_worked

    def _all(self) -> Iterator[None]:
        """Make what lacks, one submission after the other; yields after every clip."""
        while (found := self._next()) is not None:
            submission, version = found
            self._looked_at[submission] = version  # whatever comes of it, it is not tried for ever
            try:
                self._reader = self._reader or self.open_reader()
                yield from make(self.store, self.files, submission, self._reader)
            except (StoreUnavailable, MissingDependency, WeightsMismatch):
                self._looked_at.pop(submission)
                raise
            except FileNotFoundError:  # withdrawn or hidden meanwhile
                log.info("contours.gone", extra={"submission": submission})
            except CastboardError as error:
                log.warning("contours.refused", extra={"submission": submission, "why": str(error)})
            else:
                log.info("contours.made", extra={"submission": submission})

    def _next(self) -> tuple[str, str] | None:
        """Return the next submission that lacks its contours and the version of its clips, or None."""
        for submission in lacking(self.files):
            version = self.files.version(layout.clips_path(submission))
            if self._looked_at.get(submission) != version:
                return submission, version
        return None


def contour_work(station: Station) -> ContourWork | None:
    """Return the work on contours of a worker's station; None if none are made there."""
    if station.open_contours is None:
        return None
    return ContourWork(store=station.store, files=station.published, open_reader=station.open_contours)


def with_clips(files: PublishedFiles) -> tuple[str, ...]:
    """Return the submissions with a row and clips, sorted."""
    rows = {_stem(path) for path in files.paths("results/") if layout.is_published(path)}
    clips = {_stem(path) for path in files.paths("clips/") if layout.is_published(path)}
    return tuple(sorted(rows & clips))


def lacking(files: PublishedFiles) -> tuple[str, ...]:
    """Return those of them that have no contours, sorted."""
    there = set(files.paths("contours/"))
    return tuple(name for name in with_clips(files) if layout.contours_path(name) not in there)


def make(store: WorkStore, files: PublishedFiles, submission: str, reader: Draw) -> Iterator[None]:
    """Make a submission's contours anew and publish them; yields after every clip, so that a caller may pause.

    Raises:
        FileNotFoundError: if it has no clips.
        CastboardError: if a clip cannot be read, or is not the one that its row names.
        StoreUnavailable: if the store is away; nothing is published then.
    """
    rows = []
    for row in drawn(files, submission, reader):
        rows.append(row)
        yield
    data = encode_contours(rows)
    path = layout.contours_path(submission)

    def write(draft: PublishedFiles) -> None:
        if not layout.committed_protocols(draft, submission):  # taken away while it was drawn
            return
        is_first = not draft.paths("contours/")
        draft.write(path, data)
        if is_first:
            write_card(draft)

    with store.publishing():
        files.change(f"Contours of {submission}", write)


def drawn(files: PublishedFiles, submission: str, reader: Draw) -> Iterator[DrawnClip]:
    """Yield the contour of every clip of a submission, with one row group of clips in memory; raises as `make` does."""
    where = layout.clips_path(submission)
    with layout.opened(files, where) as file:
        for index in range(file.num_row_groups):
            facts = file.metadata.row_group(index)
            if facts.num_rows > CLIPS_PER_GROUP or facts.total_byte_size > MOST_GROUP_BYTES:
                raise SchemaError(f"{where}: row group {index} must be at most {CLIPS_PER_GROUP} clips")
            for line in parquet.read_group(file, index, _COLUMNS, where).to_pylist():
                name = f"{line['item_id']}, in {where}"
                if sha256_of(line["flac"]) != line["sha256"]:
                    raise SchemaError(f"{name}: the clip has another sha256 than its row names")
                contour = reader(*audio.read_published(line["flac"], name))
                yield DrawnClip(item_id=line["item_id"], clip_sha256=line["sha256"], contour=contour)


def _stem(path: str) -> str:
    return PurePosixPath(path).stem
