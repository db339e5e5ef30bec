"""Anyone's check: every number of a published folder, made anew from that folder alone and no model.

Protocol ids come from recipes, scores from readings, word errors from transcripts and scripts, results
from scores, verdicts from a judge's raw replies, decisions from composites, rank bands from decisions, and every hash
from its file.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.errors import ProtocolError, SchemaError
from evaluation.gate.normalisers import normaliser
from evaluation.protocol import Protocol
from submissions import layout
from submissions.dataset_card import card_note
from submissions.differences import Difference, difference
from submissions.problems import shown
from submissions.recheck_beside import (
    anchor_differences,
    card_difference,
    constant_differences,
    log_differences,
    rename_difference,
)
from submissions.recheck_board import Tally, check_board
from submissions.recheck_contours import contour_differences
from submissions.recheck_duels import duel_differences
from submissions.recheck_votes import vote_differences
from submissions.remeasure import Reader, remeasure
from submissions.store.base import PublishedFiles
from submissions.store.folder import PublishedFolder
from submissions.unfit import unfit


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much was made anew."""

    n_protocols: int
    """Recipes."""
    n_rows: int
    """Committed rows."""
    n_items: int
    """Items of all rows."""
    n_decisions: int
    """Decisions of pairs."""
    n_files: int
    """Files of the layout that belong to a recipe, a committed row or a board."""
    n_remeasured: int
    """Clips that were measured again."""


NOTHING = Counts(n_protocols=0, n_rows=0, n_items=0, n_decisions=0, n_files=0, n_remeasured=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """What a check found."""

    differences: tuple[Difference, ...]
    """Every difference; the first one is the first to mend."""
    notes: tuple[str, ...]
    """What is no difference but should be known, one sentence each."""
    counts: Counts
    """How much was made anew."""

    @property
    def is_identical(self) -> bool:
        """Whether everything came out as published."""
        return not self.differences


def verify(
    root: Path, *, deep: int = 0, seed: int = 0, open_reader: Callable[[], Reader] | None = None
) -> VerifyReport:
    """Check a published folder and return every difference; damaged files are differences, never errors.

    Args:
        root: folder that holds the published layout.
        deep: how many clips to measure again, >= 0.
        seed: draws them.
        open_reader: loads the instruments; called only if `deep` is above 0 and there is a clip to measure.

    Raises:
        ValueError: if `deep` is above 0 without `open_reader`.
    """
    if deep and open_reader is None:
        raise ValueError("measuring clips again needs open_reader")
    spoiled = tuple(unfit(root))
    if spoiled:
        notes = ("Nothing was read, because of what stands in the place of files.",)
        return VerifyReport(differences=spoiled, notes=notes, counts=NOTHING)
    files = PublishedFolder(root)
    paths = files.paths()
    tally = Tally()
    protocols = _protocols(files, paths, tally)
    for protocol_id in _boards(paths):
        check_board(files, protocol_id, protocols.get(protocol_id), tally)
    _check_beside(files, protocols, paths, tally)
    if not any(layout.is_published(path) for path in paths):
        tally.differences.append(difference(".", "folder", "no published file", "protocols/, results/ and the rest"))
    _check_card(files, paths, tally)
    tally.notes.extend(_strays(paths, tally.seen))
    n_remeasured = 0
    if deep and open_reader and tally.candidates:
        known = {name: found for name, found in protocols.items() if found}
        rng = np.random.default_rng(seed)
        again = remeasure(files, known, tally.candidates, n_clips=deep, rng=rng, reader=open_reader())
        tally.differences.extend(again.differences)
        tally.notes.extend(again.deviations)
        n_remeasured = again.n_clips
    counts = Counts(
        n_protocols=len(protocols),
        n_rows=tally.n_rows,
        n_items=tally.n_items,
        n_decisions=tally.n_decisions,
        n_files=len(tally.seen & set(paths)),
        n_remeasured=n_remeasured,
    )
    return VerifyReport(differences=tuple(dict.fromkeys(tally.differences)), notes=tuple(tally.notes), counts=counts)


def render(report: VerifyReport, *, n_shown: int | None = 1) -> str:
    """Return a report as text.

    Args:
        report: what `verify` gave.
        n_shown: how many differences to list; None: all.
    """
    counts = report.counts
    deep = f", {counts.n_remeasured} clips measured again" if counts.n_remeasured else ""
    amount = (
        f"{counts.n_rows} rows of {counts.n_protocols} protocols, {counts.n_items} items, "
        f"{counts.n_decisions} decisions, {counts.n_files} files{deep}"
    )
    lines = [f"note: {note}" for note in report.notes]
    if report.is_identical:
        return "\n".join([*lines, f"identical: {amount}"])
    shown = report.differences[:n_shown]
    n_files = len({one.path for one in report.differences})
    lines += [one.sentence() for one in shown]
    if len(shown) < len(report.differences):
        lines.append(f"... and {len(report.differences) - len(shown)} more differences")
    return "\n".join(
        [*lines, f"NOT identical: {len(report.differences)} differences in {n_files} files; checked {amount}"]
    )


def _protocols(files: PublishedFiles, paths: Sequence[str], tally: Tally) -> dict[str, Protocol | None]:
    found: dict[str, Protocol | None] = {}
    for path in paths:
        if not (path.startswith("protocols/") and layout.is_published(path)):
            continue
        tally.seen.add(path)
        protocol_id = Path(path).stem
        try:
            protocol = layout.decode_protocol(files.read(path), path)
        except (ProtocolError, SchemaError) as error:
            found[protocol_id] = None
            tally.differences.append(difference(path, "file", str(error).removeprefix(f"{path}: "), "the named recipe"))
            continue
        try:
            normaliser(protocol.normaliser)
        except ProtocolError as error:
            found[protocol_id] = None
            tally.differences.append(difference(path, "normaliser", protocol.normaliser, str(error)))
            continue
        tally.differences.extend(constant_differences(protocol_id, protocol))
        found[protocol_id] = protocol
    return found


def _check_beside(
    files: PublishedFiles, protocols: Mapping[str, Protocol | None], paths: Sequence[str], tally: Tally
) -> None:
    for protocol_id, protocol in protocols.items():
        if protocol is not None:
            damaged = {one.path for one in tally.differences}
            tally.differences.extend(anchor_differences(files, protocol_id, protocol, damaged))
    if layout.MODERATION in paths:
        tally.seen.add(layout.MODERATION)
        tally.differences.extend(log_differences(files))
    _check_contours(files, paths, tally)
    for path in layout.renames(files):
        if layout.system_path(Path(path).stem) not in paths:
            continue  # granted before there is a row
        tally.seen.add(path)
        if (moved := rename_difference(files, path)) is not None:
            tally.differences.append(moved)
    for path in paths:
        beside = layout.addition_to(path)
        protocol = protocols.get(beside) if beside else None
        if protocol is None:
            continue
        tally.seen.add(path)
        if path.startswith("duels/"):
            _check_duel(files, path, protocol, paths, tally)
        elif path.startswith("votes/"):
            tally.differences.extend(vote_differences(files, path))
        elif not path.startswith("cards/"):
            tally.notes.append(f"{path}: stands beside the board of {beside}; not made anew")
        elif (wrong := card_difference(files, path, protocol)) is not None:
            tally.differences.append(wrong)


def _check_contours(files: PublishedFiles, paths: Sequence[str], tally: Tally) -> None:
    for path in paths:
        is_of_row = path.startswith("contours/") and layout.is_published(path)
        if is_of_row and layout.committed_protocols(files, Path(path).stem):
            tally.seen.add(path)
            tally.differences.extend(contour_differences(files, path, {one.path for one in tally.differences}))


def _check_duel(files: PublishedFiles, path: str, protocol: Protocol, paths: Sequence[str], tally: Tally) -> None:
    """Check a duel by its JSON file, which names its replies; replies alone are of a duel that was not finished."""
    if path.endswith(".json"):
        damaged = {one.path for one in tally.differences}
        tally.differences.extend(duel_differences(files, path, protocol, damaged))
    elif path.removesuffix(".parquet") + ".json" not in paths:
        tally.notes.append(f"{path}: belongs to no committed duel; not checked")


def _check_card(files: PublishedFiles, paths: Sequence[str], tally: Tally) -> None:
    """Make the dataset card anew, if all that it is made of is as it should be."""
    if layout.DATASET_CARD in paths:
        tally.seen.add(layout.DATASET_CARD)
        if not tally.differences and (note := card_note(files)) is not None:
            tally.notes.append(note)


def _boards(paths: Sequence[str]) -> list[str]:
    """Return the protocols that have a result or a board, sorted."""
    found = (re.fullmatch(r"(?:results|board)/([^/]+)/[^/]+", path) for path in paths if layout.is_published(path))
    return sorted({match[1] for match in found if match})


def _strays(paths: Sequence[str], seen: set[str]) -> Iterator[str]:
    for path in paths:
        if layout.is_published(path) and path not in seen:
            yield f"{path}: belongs to no committed row; not checked"
        elif not layout.is_published(path) and not path.startswith("."):
            yield f"{shown(path)}: no part of the published layout; not checked"
