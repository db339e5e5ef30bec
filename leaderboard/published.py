"""Published files to the records that pages show, kept until the files change.

A board is known by the times and sizes of its two tables; a system by those of its own files. Nothing
is worked out per visitor: a page reads a kept record.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from evaluation import cards
from evaluation.cards import InstrumentCard
from evaluation.errors import CastboardError, SchemaError
from evaluation.people.report import AgreementReport
from evaluation.protocol import Protocol
from evaluation.records import RankBand
from leaderboard import words
from leaderboard.decision_map import NOTHING_DECIDED, DecisionMap
from leaderboard.kept import Kept
from leaderboard.sample_map import SampleMap
from leaderboard.versions import read_renames, renames_revision, with_names, with_versions
from leaderboard.views import Board, Detail, Row, Sample
from submissions import layout
from submissions.board import MODELS_SEPARATOR, USAGE
from submissions.instrument_cards import read_cards, read_report
from submissions.replies import JudgeUsage
from submissions.result import SystemFile, decode_result
from submissions.store.base import PublishedFiles

__all__ = ("Kept", "Published", "file_revision", "has_all_decisions")
log = logging.getLogger(__name__)

N_DETAILS = 48
"""Systems whose samples are kept; 0.6 MiB each, 1 MiB once most of their records are looked at."""
_N_TRIES = 5


class Published:
    """Boards, systems and samples of a published folder."""

    def __init__(self, files: PublishedFiles, own: Sequence[Protocol]) -> None:
        """Read `files`; `own` are the protocols that this site evaluates, the first one shown by default."""
        self._files = files
        self._own = {protocol.id: protocol for protocol in own}
        self._recipes: Kept[dict[str, Protocol]] = Kept(1)
        self._boards: Kept[Board] = Kept(16)
        self._details: Kept[Detail] = Kept(N_DETAILS)
        self._cards: Kept[dict[str, InstrumentCard]] = Kept(16)

    def boards(self) -> tuple[Board, ...]:
        """Return every board: those of the site's own protocols first, then older ones that have rows."""
        own = [self._board(protocol, protocol_id) for protocol_id, protocol in self._own.items()]
        others = self._published_protocols()
        older = [self._board(others[name], name) for name in others if name not in self._own]
        return (*own, *(board for board in older if board.rows))

    def board(self, protocol_id: str) -> Board:
        """Return the board of a protocol, or the default board for an id that is empty or unknown."""
        boards = self.boards()
        return next((board for board in boards if board.protocol_id == protocol_id), boards[0])

    def revision(self) -> str:
        """Return what changes whenever any board does."""
        return "".join(board.protocol_id + board.revision for board in self.boards())

    def home_of(self, submission: str, protocol_id: str) -> tuple[Board, Row | None]:
        """Return the board on which a submission has a row, the named protocol's first, and that row."""
        named = self.board(protocol_id)
        for board in (named, *self.boards()):
            row = board.row(submission)
            if row is not None:
                return board, row
        return named, None

    def detail(self, board: Board, submission: str) -> Detail | None:
        """Return a system's samples, summary and provenance, or None if it is not on the board."""
        if board.row(submission) is None:
            return None
        path = layout.result_path(board.protocol_id, submission)
        key = (board.protocol_id, submission)
        try:
            return self._details.get(key, self._revision(path), lambda: self._read_detail(board, submission))
        except FileNotFoundError:  # withdrawn since the board was read
            return None

    def samples(self, board: Board, submissions: Sequence[str]) -> dict[str, Mapping[str, Sample]]:
        """Return the samples by item of those submissions that are on the board."""
        found = ((submission, self.detail(board, submission)) for submission in submissions)
        return {submission: detail.samples for submission, detail in found if detail is not None}

    def cards(self, board: Board) -> Mapping[str, InstrumentCard]:
        """Return the cards of the board's own instruments by trait; the shipped ones if any is damaged."""
        key = (board.protocol_id, "cards")
        revision = "".join(path + self._revision(path) for path in self._files.paths("cards/"))
        return self._cards.get(key, revision, lambda: self._read_cards(board))

    def people(self, board: Board) -> AgreementReport | None:
        """Return how far the board's judge agrees with people; None if nobody was asked, or the report is damaged."""
        try:
            return read_report(self._files, board.protocol_id)
        except SchemaError as error:
            log.warning("report.unreadable", extra={"protocol": board.protocol_id, "why": str(error)})
            return None

    def beside_revision(self, board: Board) -> str:
        """Return what changes whenever a card, a report or a duel beside a board does."""
        return "".join(path + self._revision(path) for path in layout.additions(self._files, board.protocol_id))

    def _read_cards(self, board: Board) -> dict[str, InstrumentCard]:
        try:
            return read_cards(self._files, board.protocol)
        except (SchemaError, FileNotFoundError) as error:
            log.warning("card.unreadable", extra={"protocol": board.protocol_id, "why": str(error)})
            return cards.matching(board.protocol, cards.shipped())

    def _published_protocols(self) -> dict[str, Protocol]:
        revision = self._revision("protocols")
        return self._recipes.get("all", revision, lambda: layout.read_protocols(self._files))

    def _board(self, protocol: Protocol, protocol_id: str) -> Board:
        return self._boards.get(
            protocol_id, self._board_revision(protocol_id), lambda: self._read_board(protocol, protocol_id)
        )

    def _board_revision(self, protocol_id: str) -> str:
        tables = (layout.leaderboard_path(protocol_id), layout.decisions_path(protocol_id))
        return "".join(map(self._revision, tables)) + renames_revision(self._files)

    def _read_board(self, protocol: Protocol, protocol_id: str) -> Board:
        # The two tables are replaced one after the other; read again if a writer came in between.
        for _ in range(_N_TRIES):
            before = self._board_revision(protocol_id)
            board = self._try_board(protocol, protocol_id, before)
            if self._board_revision(protocol_id) == before and has_all_decisions(board):
                return board
        log.warning("board.unsettled", extra={"protocol": protocol_id})
        raise CastboardError("the board is being written; load the page again in a moment")

    def _try_board(self, protocol: Protocol, protocol_id: str, revision: str) -> Board:
        try:
            lines = layout.read_leaderboard(self._files, protocol_id).to_pylist()
            decisions = DecisionMap(layout.read_decisions(self._files, protocol_id))
        except FileNotFoundError:
            lines, decisions = [], NOTHING_DECIDED
        rows = with_versions([_row(line, protocol.dimensions) for line in lines])
        return Board(
            protocol=protocol,
            protocol_id=protocol_id,
            rows=with_names(rows, read_renames(self._files)),
            decisions=decisions,
            revision=revision,
        )

    def _read_detail(self, board: Board, submission: str) -> Detail:
        path = layout.result_path(board.protocol_id, submission)
        result = decode_result(self._files.read(path), path)
        table = layout.read_samples(self._files, board.protocol_id, submission)
        system = layout.read_system(self._files, submission)
        return Detail(
            samples=SampleMap(table, board.protocol.dimensions),
            summary=result.summary,
            provenance=_provenance(system, submission),
            notes=str(result.card.get("notes") or ""),
            prompting=str(result.card.get("how_instructions") or ""),
        )

    def _revision(self, path: str) -> str:
        return file_revision(self._files, path)


def file_revision(files: PublishedFiles, path: str) -> str:
    """Return what changes whenever a published file, or the folder at its place, does."""
    return files.version(path) + ";"


def has_all_decisions(board: Board) -> bool:
    """Say whether every pair of rows is decided."""
    return board.decisions.decides_all([row.submission for row in board.rows])


def _row(line: Mapping[str, Any], dimensions: Sequence[str]) -> Row:
    texts: dict[str, Any] = {
        name: str(line[name] or "") for name in ("system", "version", "organisation", "licence", "parameters", "link")
    }
    return Row(
        submission=line["submission"],
        **texts,
        is_open=line["open_weights"],
        received_at=line["received_at"],
        band=RankBand(best=line["rank_best"], worst=line["rank_worst"]),
        score=line["score"],
        score_low=line["score_low"],
        score_high=line["score_high"],
        n_items=line["n_items"],
        n_declined=line["n_declined"],
        coverage=line["coverage"],
        gate_pass_rate=line["gate_pass_rate"],
        means={name: line[f"mean_{name}"] for name in dimensions},
        judge_usage=_usage(line),
        spreads=_spreads(line, dimensions),
        results_sha256=line["results_sha256"],
        supersedes=line.get("supersedes"),
    )


def _spreads(line: Mapping[str, Any], dimensions: Sequence[str]) -> dict[str, tuple[float, float]]:
    columns = {"gate_pass_rate": "gate_pass_rate", **{name: f"mean_{name}" for name in dimensions}}
    ends = {name: (line[f"{column}_low"], line[f"{column}_high"]) for name, column in columns.items()}
    return {name: (low, high) for name, (low, high) in ends.items() if low is not None and high is not None}


def _usage(line: Mapping[str, Any]) -> JudgeUsage | None:
    if line.get("judge_n_calls") is None:
        return None
    models = tuple(name for name in (line["judge_models"] or "").split(MODELS_SEPARATOR) if name)
    return JudgeUsage(models=models, **{name: line[f"judge_{name}"] for name in USAGE})


def _provenance(system: SystemFile, submission: str) -> tuple[tuple[str, str], ...]:
    origin = system.provenance
    warnings = (("Remark of the check", sentence) for sentence in origin.warnings)
    return (
        ("Submission", submission),
        ("sha256 of the zip", origin.zip_sha256),
        *(((words.FETCHED_FROM, origin.source),) if origin.source else ()),
        ("Taken in by version", origin.code_version),
        *warnings,
    )
