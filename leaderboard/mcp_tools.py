"""What a program that talks MCP can ask of the board: a few questions, each answered in bounded size. No protocol here.

All of it comes from the same functions as the read API and the pages.
"""

import html
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from evaluation.records import Decision
from leaderboard import decision_words, dimensions, standings, words
from leaderboard.api import board_view, system_view
from leaderboard.api.models import DecisionRow, LeaderboardRow, ProtocolsAnswer, Record
from leaderboard.api.models_samples import SampleRow, SystemAnswer
from leaderboard.api.params import LeaderboardParams, SamplesParams
from leaderboard.api.problems import refused
from leaderboard.api.system_view import Tables
from leaderboard.api.table_view import asked
from leaderboard.context import Context
from leaderboard.table.columns import columns
from leaderboard.views import Board, Row

MOST_ROWS = 50
"""Rows of one answer at most."""
MOST_CLIPS = 20
"""Clips of one answer at most."""
N_GAPS = 10
"""Items on which two systems differ most, in a comparison."""
N_TEXT = 2_000
"""Characters of any text of a maker or a machine at most."""
HOW_TO_READ = (
    "A win needs the lower bound (lcb) of the mean paired difference to exceed the margin; everything else is a tie, "
    "which says that these items do not separate the two, not that they are equal. Ranks are bands: best to worst rank "
    "that all decisions leave open. Never call the system with the higher S better if the two tie."
)
Order = Literal["worst", "best", "corpus"]
_TAG = re.compile(r"<[^>]*>")


class BoardAnswer(Record):
    """Rows of a board."""

    protocol: str = Field(description="Id of the protocol.")
    n_systems: int = Field(description="Systems of the whole board, of which the ranks are.")
    n_matching: int = Field(description="Systems that fit; `rows` holds the first of them.")
    how_to_read: str = Field(description="What the numbers say and what not.")
    rows: tuple[LeaderboardRow, ...] = Field(description="In the order asked for.")


class Gap(Record):
    """One item on which two systems differ."""

    item_id: str = Field(description="Id of the item.")
    composite_a: float = Field(description="Composite of the first, 0..1.")
    composite_b: float = Field(description="Composite of the second, 0..1.")


class Comparison(Record):
    """Two systems compared by the board's own decision."""

    protocol: str = Field(description="Id of the protocol.")
    a: LeaderboardRow = Field(description="The first.")
    b: LeaderboardRow = Field(description="The second.")
    outcome_for_a: Literal["win", "tie", "loss"] = Field(description="The decision as seen from the first.")
    decision: DecisionRow = Field(description="With its whole arithmetic.")
    in_words: str = Field(description="The arithmetic in one paragraph.")
    how_to_read: str = Field(description="What a win and a tie say and what not.")
    widest_gaps: tuple[Gap, ...] = Field(description="Items on which they differ most.")
    page: str = Field(description="Address of the pair's page.")


class ClipsAnswer(Record):
    """Some items of one system."""

    protocol: str = Field(description="Id of the protocol.")
    system: str = Field(description="Id of the submission.")
    n_matching: int = Field(description="Items that fit; `rows` holds the first of them.")
    rows: tuple[SampleRow, ...] = Field(description="In the order asked for; a clip's address can be played.")


class Metric(Record):
    """What one number of the board is."""

    name: str = Field(description="Its key.")
    label: str = Field(description="What it is called on the pages.")
    what: str = Field(description="What it says.")
    measured_by: str = Field(description="What measures it; empty for what is worked out from the rest.")
    unit: str = Field(description="Its unit and range.")
    limits: tuple[str, ...] = Field(description="What the numbers cannot say.")


class Questions:
    """Answers of one site."""

    def __init__(self, context: Context) -> None:
        """Answer from what `context` has published."""
        self._context = context
        self._tables = Tables(context)

    def protocols(self) -> ProtocolsAnswer:
        """Return every protocol in short."""
        return board_view.protocols(self._context)

    def leaderboard(self, protocol: str, text: str, sort: str, n_rows: int) -> BoardAnswer:
        """Return rows of a board; raises Refused for a protocol or a column that there is not."""
        board = board_view.board_of(self._context, protocol)
        wanted = LeaderboardParams(q=text[:200], sort=sort[:200])  # type: ignore[call-arg]
        rows = [line.row for line in asked(self._context, board, wanted).lines]
        return BoardAnswer(
            protocol=board.protocol_id,
            n_systems=len(board.rows),
            n_matching=len(rows),
            how_to_read=HOW_TO_READ,
            rows=tuple(board_view.leaderboard_row(row) for row in rows[:n_rows]),
        )

    def system(self, name: str) -> SystemAnswer:
        """Return one system by id or name; raises Refused if that means none or several."""
        boards = self._context.published.boards()
        rows = {row.submission: row for board in boards for row in board.rows}
        found = system_view.system(self._context, self._meant(tuple(rows.values()), name).submission)
        card = found.card.model_dump()
        short = {key: value[:N_TEXT] if isinstance(value, str) else value for key, value in card.items()}
        return found.model_copy(update={"card": type(found.card).model_validate(short)})

    def compare(self, a: str, b: str, protocol: str) -> Comparison:
        """Return the decision of a pair; raises Refused for systems or a protocol that there are not."""
        board = board_view.board_of(self._context, protocol)
        one, other = self._meant(board.rows, a), self._meant(board.rows, b)
        found = board_view.chosen_decisions(self._context, board, one.submission, other.submission)
        if not found:
            raise refused(404, "b", "This pair has not been decided.", got=b)
        outcome = standings.outcome(found[0], one.submission)
        samples = self._context.published.samples(board, (one.submission, other.submission))
        both = (samples.get(one.submission, {}), samples.get(other.submission, {}))
        gaps = standings.widest_gaps(*both, n_most=N_GAPS)
        return Comparison(
            protocol=board.protocol_id,
            a=board_view.leaderboard_row(one),
            b=board_view.leaderboard_row(other),
            outcome_for_a="tie" if outcome == "self" else outcome,
            decision=board_view.decision_row(found[0]),
            in_words=in_words(board, found[0]),
            how_to_read=HOW_TO_READ,
            widest_gaps=tuple(Gap(item_id=item, composite_a=mine, composite_b=its) for item, mine, its in gaps),
            page=f"/matrix?protocol={board.protocol_id}&a={one.submission}&b={other.submission}",
        )

    def clips(self, system: str, protocol: str, order: Order, n_clips: int, **chosen: str) -> ClipsAnswer:
        """Return some items of a system; raises Refused for what there is not.

        Args:
            system: id or name.
            protocol: id; empty for the default one.
            order: worst or best composite first, or as in the corpus.
            n_clips: items at most.
            chosen: further fields of `SamplesParams`: trait, value, tier, gate.
        """
        board = board_view.board_of(self._context, protocol)
        row = self._meant(board.rows, system)
        sort = {"worst": "composite", "best": "-composite", "corpus": ""}[order]
        params = SamplesParams.model_validate({"system": row.submission, "sort": sort, **chosen})
        table = system_view.chosen_samples(board, self._tables.samples(board, row.submission), params)
        lines = [_short(line) for line in table.slice(0, n_clips).to_pylist()]
        return ClipsAnswer(
            protocol=board.protocol_id,
            system=row.submission,
            n_matching=table.num_rows,
            rows=tuple(system_view.sample_row(line, row.submission, board.protocol.dimensions) for line in lines),
        )

    def explain(self, metric: str, protocol: str) -> Metric:
        """Return what a number of a board is; raises Refused for one that the board has not."""
        board = board_view.board_of(self._context, protocol)
        known = (*columns(board.protocol), "composite", "decision")
        if metric not in known:
            raise refused(404, "metric", "The board has no such number.", allowed=", ".join(known), got=metric)
        return _metric(board, metric)

    def _meant(self, rows: Sequence[Row], name: str) -> Row:
        """Return the row that an id, a system's name with or without its version, or its name of before means."""
        plain = name.strip().casefold()
        found = [row for row in rows if row.submission == name.strip()] or [
            row for row in rows if plain and plain in (row.name.casefold(), row.system.casefold())
        ]
        found = found or [row for row in rows if row.rename and plain == row.rename.was.system.casefold()]
        if len(found) == 1:
            return found[0]
        hidden = None if found else self._context.moderated.sentence(name.strip())
        if hidden is not None:
            raise refused(404, "system", hidden, got=name)
        listed = ", ".join(f"{row.name} ({row.submission})" for row in (found or rows)[:12])
        what = "This name means several systems." if found else "There is no such system."
        raise refused(404, "system", what, allowed=f"an id, or one of: {listed}"[:N_TEXT], got=name)


def in_words(board: Board, decision: Decision) -> str:
    """Return a decision's arithmetic as the pair's page tells it, without markup."""
    names = {row.submission: row.name or row.submission for row in board.rows}
    markup = decision_words.sentence(decision, names, board.protocol.constants)
    return html.unescape(_TAG.sub("", markup))


def _short(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item whose texts are cut; a recogniser that loops writes pages."""
    return {name: value[:N_TEXT] if isinstance(value, str) else value for name, value in line.items()}


def _metric(board: Board, name: str) -> Metric:
    recipe = board.protocol
    constants = recipe.constants
    own = {
        "composite": "Of one clip: the geometric mean of all dimensions, none counted below "
        f"{constants.desirability_floor:g}; 0 if the word-error rate exceeds {constants.wer_limit:g}, or if declined.",
        "decision": f"Of a pair: {constants.n_resamples} resamples of the paired differences; their "
        f"{constants.alpha * 100:g}th percentile is the lcb; a win if it exceeds the margin, the larger of "
        f"{constants.margin_floor:g} and {constants.margin_slope:g} x (1 - lower score).",
    }
    is_dimension = name in recipe.dimensions
    return Metric(
        name=name,
        label=name.capitalize() if name in own else words.header(name).label,
        what=own.get(name) or (dimensions.tip(recipe, name) if is_dimension else words.header(name).tip),
        measured_by=dimensions.measurer(recipe, name) if is_dimension else "",
        unit="0..1, more is better" if is_dimension or name in ("score", "composite", "gate", "coverage") else "",
        limits=tuple(words.LIMITS_OF_NUMBERS),
    )
