"""Keeps the rows of every part of every board, made once for a revision and for as much as is worked out of it."""

import logging
from collections.abc import Mapping
from dataclasses import replace

from evaluation.errors import SchemaError
from leaderboard.derive import adherence
from leaderboard.derive.keeper import SliceKeeper
from leaderboard.derive.records import Slice
from leaderboard.derive.view import SliceView
from leaderboard.published import Kept, file_revision
from leaderboard.table import lines as making
from leaderboard.table.lines import Lines
from leaderboard.table.styles import Style, style
from leaderboard.views import Board
from submissions import layout
from submissions.store.base import PublishedFiles

log = logging.getLogger(__name__)

N_LINES = 32
"""Parts whose rows are kept; one of 500 systems takes some 5 MiB with its cells."""
N_CARDS = 2048
"""Cards that are kept; only what they say of instructions, sorted."""

Views = Mapping[str | None, SliceView]


class Tables:
    """Rows of boards as the table shows them; safe to ask from several threads."""

    def __init__(self, files: PublishedFiles, slices: SliceKeeper) -> None:
        """Read cards from `files`; `slices` knows what is worked out of a board."""
        self._files = files
        self._slices = slices
        self._lines: Kept[Lines] = Kept(N_LINES)
        self._styles: Kept[Mapping[str, Style]] = Kept(16)
        self._cards: Kept[Style] = Kept(N_CARDS)

    def lines(self, board: Board, part: Slice, *, trait: str | None = None, has_styles: bool = False) -> Lines:
        """Return the rows of a board on one part of its items, with what is worked out by now.

        Args:
            board: the board.
            part: tier and split.
            trait: dimension whose ranks are wanted; None for those of the composite.
            has_styles: whether the systems' cards are needed.
        """
        views = self._views(board, part, trait)
        key = (board.protocol_id, part, trait, has_styles)
        return self._lines.get(
            key,
            self._revision(board, views),
            lambda: self._make(board, part, views, trait, has_styles=has_styles),
        )

    def revision(self, board: Board, part: Slice, trait: str | None = None) -> str:
        """Return what changes whenever the rows of a board on a part may: with the board, and with what is ready."""
        return self._revision(board, self._views(board, part, trait))

    def _revision(self, board: Board, views: Views) -> str:
        known = ",".join("all" if name is None else name for name in views)
        return f"{board.revision} {known} {self._slices.table(board) is not None}"

    def styles(self, board: Board) -> Mapping[str, Style]:
        """Return how instructions reach each system of a board, sorted from what its card says."""
        return self._styles.get(
            board.protocol_id,
            board.revision,
            lambda: {row.submission: self._style(row.submission) for row in board.rows},
        )

    def _make(self, board: Board, part: Slice, views: Views, trait: str | None, *, has_styles: bool) -> Lines:
        if part == Slice():
            found = making.whole_board(board, views)
        elif None in views:
            found = making.part_of_board(board, views)
        else:
            return making.unknown(board, part)
        table = self._slices.table(board)
        if table is not None:
            standings = adherence.standings(table, part=part)
            found = making.with_adherence(found, {one.submission: one.adherence for one in standings})
        if trait is not None:
            inner = views.get(trait)
            found = making.unranked(found) if inner is None else making.ranked_in(found, inner)
        found = replace(found, is_whole=len(views) == len(_wanted(board, part, trait)))
        return making.with_styles(found, self.styles(board)) if has_styles else found

    def _views(self, board: Board, part: Slice, trait: str | None) -> Views:
        """Return the part decided, by composite and by each dimension, as far as that is worked out."""
        wanted = _wanted(board, part, trait)
        found = {name: self._slices.view(board, one) for name, one in wanted.items()}
        return {name: view for name, view in found.items() if view is not None}

    def _style(self, submission: str) -> Style:
        path = layout.system_path(submission)

        def read() -> Style:
            card = layout.read_system(self._files, submission).card
            return style(str(card.get("how_instructions") or ""))

        try:
            return self._cards.get(submission, file_revision(self._files, path), read)
        except (FileNotFoundError, SchemaError) as error:  # withdrawn meanwhile, or damaged: nothing is known of it
            log.warning("card.unreadable", extra={"path": path, "why": str(error)})
            return "unknown"


def _wanted(board: Board, part: Slice, trait: str | None) -> Mapping[str | None, Slice]:
    """Return what a part is to be decided by; a tier of one split alone only by the dimension that is asked for."""
    one = () if trait is None else (trait,)
    names = board.protocol.dimensions if part.tier is None or part.split is None else one
    return {None: part} | {name: Slice(tier=part.tier, split=part.split, trait=name) for name in names}
