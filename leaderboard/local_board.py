"""A published folder as a place to be compared with: its systems by name, and where another one would stand."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluation.codec import canonical, sha256_of, to_json
from evaluation.decision import Contender, contender
from evaluation.errors import CastboardError, ProtocolError
from evaluation.placement import Placement, place
from evaluation.protocol import Protocol
from evaluation.records import SampleScore
from evaluation.scoring import score_submission
from leaderboard.protocols import LEAST_PREFIX, find
from leaderboard.settings import Settings
from leaderboard.stores import published_files
from submissions import layout
from submissions.board import contender_of
from submissions.evidence import Evidence, read_evidence
from submissions.local_result import Evaluation
from submissions.problems import shown
from submissions.result import Result
from submissions.store.base import PublishedFiles
from submissions.store.folder import PublishedFolder

HERE = "~here"
"""Key of what is not on the board; no submission has such an id."""
_N_NAMED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Systems:
    """The systems of one board."""

    files: PublishedFiles
    """Where the board lies."""
    protocol: Protocol
    """Its protocol."""
    results: Mapping[str, Result]
    """Results by submission, sorted."""

    def name(self, submission: str) -> str:
        """Return what a system is called, safe on a terminal; with its id if another one is called alike."""
        names = [_name(result) for result in self.results.values()]
        name = _name(self.results[submission])
        return f"{name} ({submission})" if names.count(name) > 1 else name

    def find(self, wanted: str) -> str:
        """Return the submission that an id, the beginning of one, or a system's name means.

        Raises:
            CastboardError: if it means none or several; names those that there are.
        """
        if wanted in self.results:
            return wanted
        plain = wanted.casefold()
        named = [key for key, one in self.results.items() if plain in (_name(one).casefold(), _system(one).casefold())]
        begun = [key for key in self.results if len(wanted) >= LEAST_PREFIX and key.startswith(wanted)]
        found = named or begun
        if len(found) == 1:
            return found[0]
        listed = [f"{_name(self.results[key])} ({key})" for key in found or self.results]
        more = f" and {len(listed) - _N_NAMED} more" if len(listed) > _N_NAMED else ""
        known = f"name one of: {', '.join(listed[:_N_NAMED])}{more}" if listed else "that board has no row yet"
        what = f"means {len(found)} systems" if found else "is no system"
        raise CastboardError(
            f"{shown(wanted)!r} {what} of the board under {self.protocol.name} {self.protocol.id}, and no file or "
            f"folder; {known}"
        )

    def evidence(self, submission: str) -> Evidence:
        """Return what a system's scores are made of."""
        path = layout.samples_path(self.protocol.id, submission)
        return read_evidence(layout.read_samples(self.files, self.protocol.id, submission), path)

    def twins(self, evidence: Evidence) -> tuple[str, ...]:
        """Return the systems of the board whose every clip is one of these."""
        ours = {str(item): clip.sha256 for item, clip in evidence.clips.items()}
        return tuple(key for key in self.results if self._clips(key) == ours)

    def _clips(self, submission: str) -> dict[str, str]:
        table = layout.read_samples(self.files, self.protocol.id, submission).select(["item_id", "clip_sha256"])
        return {row["item_id"]: row["clip_sha256"] for row in table.to_pylist() if row["clip_sha256"] is not None}

    def contenders(self) -> list[Contender]:
        """Return every system as the decisions take it."""
        return [
            contender_of(submission, layout.read_composites(self.files, self.protocol.id, submission))
            for submission in self.results
        ]


def board_files(settings: Settings, folder: Path | None) -> PublishedFiles:
    """Return the published folder that is meant, the home's by default; a home is taken for its published folder.

    Raises:
        CastboardError: if a folder is named that holds no published board.
    """
    if folder is None:
        return published_files(settings)
    for root in (folder, folder / "published"):
        if (root / "protocols").is_dir():
            return PublishedFolder(root)
    raise CastboardError(f"{shown(str(folder), 200)} holds no published board; name a published folder, or `fetch` one")


def systems(files: PublishedFiles, protocol: Protocol) -> Systems:
    """Return the systems of a protocol's board; none if there is no such board.

    Raises:
        SchemaError: if a result is damaged.
    """
    return Systems(
        files=files,
        protocol=protocol,
        results={one.submission: one for one in layout.read_results(files, protocol.id)},
    )


def protocol_of(settings: Settings, name: str, files: PublishedFiles) -> Protocol:
    """Return the protocol that `name` means on this machine, or on the board.

    Raises:
        ProtocolError: if it means none or several.
    """
    try:
        return find(settings, name)
    except ProtocolError:
        there = layout.read_protocols(files).values()
        found = [one for one in there if name == one.name or (len(name) >= LEAST_PREFIX and one.id.startswith(name))]
        if len(found) == 1:
            return found[0]
        raise


def samples_of(protocol: Protocol, evidence: Evidence) -> tuple[SampleScore, ...]:
    """Return the scores of all items, by the code of every board."""
    return score_submission(protocol, evidence.items, evidence.readings, evidence.declined).samples


def place_on(board: Systems, evaluation: Evaluation) -> Placement | None:
    """Return where an evaluation would stand on a board; None if the board has no row.

    Raises:
        CastboardError: if the board was scored on other items.
    """
    if not board.results:
        return None
    ours = sha256_of(canonical([to_json(item) for item in evaluation.evidence.items]))
    if any(result.items_sha256 != ours for result in board.results.values()):
        raise CastboardError("the board was scored on other items than these clips, so there is no place on it")
    new = contender(HERE, samples_of(evaluation.protocol, evaluation.evidence))
    return place(board.contenders(), new, constants=evaluation.protocol.constants)


def _name(result: Result) -> str:
    return shown(f"{_system(result)} {result.card.get('version') or ''}".strip() or result.submission)


def _system(result: Result) -> str:
    return str(result.card.get("system") or "")
