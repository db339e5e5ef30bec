"""What the pages show, as frozen records: a board, a row, a sample, a system's card and its breakdown."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from evaluation.protocol import Protocol
from evaluation.records import (
    DimensionScore,
    GateDetail,
    Hearing,
    ProbeReading,
    RankBand,
    Transcript,
    Unread,
    Verdict,
)
from evaluation.summary import Summary
from leaderboard.decision_map import DecisionMap
from submissions.renaming import Rename
from submissions.replies import JudgeUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One system on one board."""

    submission: str
    """Id of the submission, ours, safe in addresses."""
    system: str
    """Name of the system; hostile text."""
    version: str
    """Version of the system; hostile text."""
    organisation: str
    """Who made it; hostile text."""
    licence: str
    """Its licence; hostile text."""
    is_open: bool | None
    """Whether its weights are open; None if its card does not say."""
    parameters: str
    """Number of parameters, as the maker wrote it; hostile text."""
    link: str
    """Address of its home; hostile text."""
    received_at: str
    """When the zip came, ISO 8601."""
    band: RankBand
    """Best and worst rank that the decisions allow."""
    score: float | None
    """S, the mean composite, 0..1; None if nothing was scored."""
    score_low: float | None
    """Lower end of its 95 % interval; None if there is none."""
    score_high: float | None
    """Upper end of its 95 % interval; None if there is none."""
    n_items: int
    """Items of the corpus."""
    n_declined: int
    """Items that the system refused."""
    coverage: float
    """Share of items with a clip, 0..1."""
    gate_pass_rate: float | None
    """Share of clips that pass the word gate, 0..1; None without a clip."""
    means: Mapping[str, float | None]
    """Mean desirability of each dimension, 0..1; None if nothing of it was scored."""
    judge_usage: JudgeUsage | None = None
    """What its judging took; None without a judge."""
    spreads: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Ends of the 95 % interval of "gate_pass_rate" and of each dimension's mean; what has none has no entry."""
    results_sha256: str = ""
    """sha256 (hex) of its published result; it changes if, and only if, the row is made anew."""

    supersedes: str | None = None
    """Submission of the same system and owner that it is a new version of; None for the first."""
    superseded_by: str | None = None
    """Submission of the newest row of the board that is a later version of it; None for the newest."""
    rename: Rename | None = None
    """How the names came about that stand in `system` and `organisation`; None if they are the card's."""

    @property
    def name(self) -> str:
        """System and version, as one text; hostile."""
        return f"{self.system} {self.version}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Everything of one protocol's board."""

    protocol: Protocol
    """The recipe that all rows share."""
    protocol_id: str
    """Its id."""
    rows: tuple[Row, ...]
    """Best score first."""
    decisions: DecisionMap
    """One for every pair of rows, by the submissions of challenger and incumbent; a record is made when looked at."""
    revision: str
    """Changes whenever the published files do."""

    def row(self, submission: str) -> Row | None:
        """Return the row of a submission, or None if it is not on this board."""
        return next((row for row in self.rows if row.submission == submission), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One item of one submission, as published."""

    item_id: str
    """The item."""
    is_declined: bool
    """The system refused it: no clip, composite 0."""
    duration_s: float | None
    """Length of the clip, s; None if declined."""
    transcript: Transcript | None
    """What the transcriber heard, and heard again if that was doubtful; None if declined or unread."""
    gate: GateDetail | None
    """How the word errors came about; None if declined, and under the first normaliser."""
    wer: float | None
    """Word-error rate; may exceed 1; None if declined."""
    passed_gate: bool
    """The gate did not veto the clip."""
    composite: float
    """0..1."""
    dimensions: tuple[DimensionScore, ...]
    """Every scored dimension, in the protocol's order; empty if declined."""
    clip_sha256: str | None
    """sha256 (hex) of the canonical clip; None if declined."""
    level_dbfs: float | None = None
    """Active speech level of the clip, dB re full-scale square wave; None if it could not be read."""
    probes: Mapping[str, ProbeReading] = field(default_factory=dict)
    """What each classifier (probabilities) or regressor (estimate) read, by trait, also of traits a judge scores."""
    verdicts: Mapping[str, Verdict | Unread] = field(default_factory=dict)
    """What the judge said (scores, winner, whether both orders agree), or why it did not, by dimension."""

    def counted(self) -> Hearing | None:
        """Return the hearing that counts."""
        if self.transcript is None:
            return None
        later = {"again": self.transcript.again, "second": self.transcript.second}
        found = later.get(self.gate.counted or "") if self.gate else None
        return found or self.transcript.hearings()[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """Everything of one system on one board."""

    samples: Mapping[str, Sample]
    """All items by id, in corpus order."""
    summary: Summary
    """Its published figures."""
    provenance: tuple[tuple[str, str], ...]
    """What was received and evaluated, label and value; values may be hostile text."""
    notes: str
    """What its maker adds; hostile text."""
    prompting: str
    """How the maker passes instructions to the system; hostile text."""
