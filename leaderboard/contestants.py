"""What a verb may compare: a system of a board, a finished evaluation, a zip or a folder of clips."""

from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import CastboardError, ProtocolError
from evaluation.protocol import Protocol
from evaluation.records import ItemId
from leaderboard.local_board import Systems
from leaderboard.local_evaluation import evaluate_source, finished, require_readable
from leaderboard.settings import Settings
from submissions.evidence import Evidence
from submissions.local_result import Evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """One of two systems that are compared."""

    key: str
    """Its key in the decision."""
    name: str
    """What it is called; hostile text."""
    evidence: Evidence
    """What its scores are made of."""


def require_known(wanted: str, board: Systems) -> None:
    """Return if `contestant` would find what `wanted` means; nothing is evaluated, so nothing is paid for in vain.

    Raises:
        Unreadable: if it is a file or folder that cannot be opened.
        ProtocolError, CastboardError: as `contestant`.
    """
    path = Path(wanted)
    if not path.exists():
        _on_board(wanted, board)
        return
    known = finished(path)
    if known is None:
        require_readable(path)
    else:
        of_evaluation(known, board.protocol, wanted)


def contestant(wanted: str, *, key: str, settings: Settings, board: Systems) -> Contestant:
    """Return what `wanted` means: a file or folder if there is one of that name, else a system of the board.

    A zip or a folder of clips is evaluated first.

    Args:
        wanted: path, id or name.
        key: key of what is on no board.
        settings: what clips are evaluated with.
        board: the board, and the protocol of both.

    Raises:
        ProtocolError: if it was evaluated under another protocol.
        CastboardError: if it is nothing of these, or cannot be evaluated.
    """
    path = Path(wanted)
    if path.exists():
        found = finished(path) or evaluate_source(settings, board.protocol, path, board=board.files)
        return of_evaluation(found, board.protocol, key)
    submission = _on_board(wanted, board)
    return Contestant(key=submission, name=board.name(submission), evidence=board.evidence(submission))


def of_evaluation(evaluation: Evaluation, protocol: Protocol, key: str) -> Contestant:
    """Return a finished evaluation as one of two.

    Raises:
        ProtocolError: if it was made under another protocol.
    """
    if evaluation.protocol.id != protocol.id:
        raise ProtocolError(
            f"{evaluation.result.name} was evaluated under {evaluation.protocol.name} {evaluation.protocol.id}, the "
            f"other under {protocol.name} {protocol.id}; scores of different protocols are never compared"
        )
    return Contestant(key=key, name=evaluation.result.name, evidence=evaluation.evidence)


def _on_board(wanted: str, board: Systems) -> str:
    if "/" in wanted or wanted.lower().endswith(".zip"):
        raise CastboardError(f"there is no file or folder {wanted!r:.200}")
    return board.find(wanted)


def only(evidence: Evidence, items: set[ItemId]) -> Evidence:
    """Return what is known of some items."""
    return Evidence(
        items=tuple(item for item in evidence.items if item.id in items),
        clips={key: clip for key, clip in evidence.clips.items() if key in items},
        readings={key: reading for key, reading in evidence.readings.items() if key in items},
        declined=frozenset(evidence.declined & items),
    )
