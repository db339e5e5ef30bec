"""Records that pass between the parts of an evaluation; plain values, no behaviour beyond look-ups."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NewType

from evaluation.codec import OPTIONAL

ItemId = NewType("ItemId", str)
"""Id of one corpus item, for example "vb-00007"."""

Split = Literal["public", "held_out"]
Fault = Literal["clip", "instrument"]
Doubt = Literal["empty", "loop", "too_fast", "over_silence"]
"""What shows that a transcriber failed: nothing written of speech, words over and over, more than anybody can say in
the time, words where nobody speaks."""


Counted = Literal["first", "again", "second"]
Winner = Literal["clip", "anchor", "tie"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraForm:
    """One more accepted way to say a stretch of a script."""

    start: int
    """First character of the stretch, index into the script."""
    end: int
    """Behind its last character."""
    words: str
    """What may be said, words separated by spaces."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One row of a corpus."""

    id: ItemId
    """Unique id in the corpus."""
    instruction: str
    """The voice prompt."""
    script: str
    """The text to read."""
    requested: Mapping[str, str]
    """Requested value of every trait, by trait name."""
    tier: int
    """Difficulty: 0 easy, 1 normal, 2 hard."""
    split: Split
    """Which part of the corpus the item belongs to."""
    category: str = field(default="general", metadata=OPTIONAL)
    """What its script is hard for: "general", "emotion", "questions", "paralinguistics", "syntax", "pronunciation"."""
    spoken_forms: tuple[ExtraForm, ...] = field(default=(), metadata=OPTIONAL)
    """What its corpus accepts beyond the rules, sorted by place and words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """One canonical clip: mono FLAC at its native rate, the samples that everything measures."""

    item_id: ItemId
    """Item that the clip reads."""
    sha256: str
    """sha256 (hex) of the canonical FLAC bytes."""
    duration_s: float
    """Length in seconds, rounded to 6 decimals."""
    rate_hz: int
    """Sampling rate in Hz, 8000..192000."""
    bit_depth: int
    """16 or 24."""
    source_format: str
    """What the uploaded file was, for example "WAV/PCM_16" or "MP3"."""
    source_channels: int
    """Channels of the uploaded file, 1 or 2; 2 were averaged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why an instrument could not read one quantity of one clip."""

    reason: str
    """Short code: "silent", "unvoiced", "too_short", ..."""
    fault: Fault
    """Whose fault: a clip's own failure scores 0, an instrument's failure blocks publication."""
    detail: str = ""
    """One sentence for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acoustics:
    """What the shared acoustic pass reads of one clip that holds sound."""

    duration_s: float
    """Clip length, s."""
    speech_start_s: float
    """First voiced sound, s from the start."""
    speech_end_s: float
    """End of the last voiced sound, s from the start; > speech_start_s."""
    pause_s: float
    """Silence between the two, s."""
    level_dbfs: float
    """Active speech level: RMS over active frames, dB re full-scale square wave."""
    peak_dbfs: float
    """Largest absolute sample, dB re full scale."""
    f0_hz: float | None
    """Median F0 over voiced frames, Hz; None if no frame is voiced."""
    voiced_share: float
    """Share of frames inside the speech span that are voiced, 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hearing:
    """One text that one transcriber wrote of one clip."""

    text: str
    """Raw text, as the model wrote it; may be empty."""
    setting: str
    """Model and decoding setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """What the transcriber heard, and what was heard again if that was doubtful."""

    text: str
    """Raw text of the first hearing, as the model wrote it; may be empty."""
    setting: str
    """Model and decoding setting of the first hearing."""
    doubt: Doubt | None = None
    """Why the clip was heard again; None: it was not."""
    again: Hearing | None = None
    """The same model under another setting; None without doubt."""
    second: Hearing | None = None
    """Another model; None without doubt, or if the protocol has none."""

    def hearings(self) -> tuple[Hearing, ...]:
        """Return every text, the first hearing first."""
        first = Hearing(text=self.text, setting=self.setting)
        return (first, *(one for one in (self.again, self.second) if one is not None))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScores:
    """Class probabilities of one classifier, restricted to values that can be requested."""

    labels: tuple[str, ...]
    """Requestable values, in the registry's order."""
    probabilities: tuple[float, ...]
    """One for each label, 0..1, summing to 1, rounded to 6 decimals."""

    def best(self) -> str:
        """Return the most probable label; the first one on a draw."""
        return self.labels[self.probabilities.index(max(self.probabilities))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number that a regression probe estimates, for example an age."""

    value: float
    """In the trait's unit, rounded to 6 decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedMos:
    """A mean opinion score predicted by a model (not a judge's verdict)."""

    mos: float
    """Predicted score, 1..5, rounded to 6 decimals."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the judge says of one clip in one dimension, against the anchor's clip of the same item."""

    score: float
    """Mean of the clip's scores over both orders and all votes, 0..3, rounded to 6 decimals."""
    anchor_score: float
    """The same for the anchor's clip."""
    winner: Winner
    """Which clip is better; a tie if the two orders disagree."""
    is_consistent: bool
    """Whether the majorities of the two orders name the same winner."""
    n_replies: int
    """Replies that the verdict is made of, >= 2."""


ProbeReading = ClassScores | Estimate | Unread


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipReadings:
    """All that a protocol's instruments reported of one clip. None: the protocol has no such instrument."""

    item_id: ItemId
    """Item that the clip reads."""
    clip_sha256: str
    """sha256 (hex) of the canonical clip that was measured."""
    acoustics: Acoustics | Unread | None
    """The shared acoustic pass."""
    transcript: Transcript | Unread | None
    """The gate's transcriber."""
    naturalness: PredictedMos | Unread | None
    """The naturalness predictor."""
    probes: Mapping[str, ProbeReading] = field(default_factory=dict)
    """What each classifier or regressor read, by trait; a trait without an instrument has no entry."""
    verdicts: Mapping[str, Verdict | Unread] = field(default_factory=dict)
    """What the judge said, by dimension; empty without a judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DimensionScore:
    """One dimension of one clip."""

    dimension: str
    """Trait name or "naturalness"."""
    requested: str | None
    """Requested value; None for naturalness."""
    measured: str | None
    """Measured bucket or class, as in the registry; None if unread, or for naturalness."""
    quantity: float | None
    """The number behind it: words/s, semitones, dB, probability, MOS; None if unread."""
    desirability: float
    """0..1."""
    reason: str | None
    """Why nothing could be read (desirability is then 0 by the clip's own fault); else None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordErrors:
    """Word errors of one transcript against its script, both in spoken form."""

    wer: float
    """Errors / words of the script's spoken form, rounded to 6 decimals; may exceed 1."""
    substitutions: int
    """Words replaced."""
    deletions: int
    """Words left out."""
    insertions: int
    """Words added."""
    n_words: int
    """Words in the script's spoken form (the denominator)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDetail:
    """What stands behind the word errors of one clip."""

    counted: Counted | None
    """Which hearing counts, the first one on a draw; None for a clip without a transcript."""
    is_disputed: bool
    """Two hearings of the clip give different word errors."""
    path: str | None
    """The accepted reading nearest to what was heard; None under a normaliser that knows but one."""
    n_units: int | None
    """Numbers, dates, addresses and the like in the script; None under a normaliser that knows none."""
    n_units_right: int | None
    """Those of them that were read right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleScore:
    """Everything scored of one item of one submission."""

    item_id: ItemId
    """The item."""
    is_declined: bool
    """The system refused the item: no clip, composite 0."""
    dimensions: tuple[DimensionScore, ...]
    """In the protocol's order; empty for a declined item."""
    word_errors: WordErrors | None
    """Of the hearing that counts, which is the one with the lowest rate; None for a declined item."""
    passed_gate: bool
    """Word-error rate within the protocol's limit."""
    composite_micro: int
    """Composite in millionths, 0..1_000_000."""
    gate: GateDetail | None = None
    """How the word errors came about; None for a declined item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Win or tie of one pair, with its whole arithmetic."""

    challenger: str
    """Key of the system with the higher mean (or the one that challenges a named incumbent)."""
    incumbent: str
    """Key of the system that it must beat."""
    n_items: int
    """Paired items."""
    challenger_score: float
    """Mean composite of the challenger, rounded to 6 decimals."""
    incumbent_score: float
    """Mean composite of the incumbent, rounded to 6 decimals."""
    lcb: float
    """One-sided 95 % lower bound of the mean paired difference, rounded to 6 decimals."""
    margin: float
    """What the bound must exceed, rounded to 6 decimals."""
    is_win: bool
    """lcb > margin; False is a tie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankBand:
    """The ranks that the decisions leave open to one system."""

    best: int
    """1 + number of systems that beat it."""
    worst: int
    """K - number of systems that it beats."""
