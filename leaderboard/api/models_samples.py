"""What the API answers of one system: its card and rows, its items one by one, its clips, its judge's replies."""

from pydantic import Field

from leaderboard.api.models import Answer, LeaderboardRow, ListAnswer, Record

Cell = str | int | float | bool | None


class Card(Record):
    """What the maker says of a system; every text is the maker's."""

    system: str | None = Field(description="Name.")
    version: str | None = Field(description="Version.")
    organisation: str | None = Field(description="Who makes it.")
    licence: str | None = Field(description="Licence.")
    open_weights: bool | None = Field(description="Whether the weights are open.")
    parameters: str | None = Field(description="Number of parameters, as written.")
    link: str | None = Field(description="Home; not checked.")
    how_instructions: str | None = Field(description="How instructions are passed to it.")
    notes: str | None = Field(description="Remarks.")


class Origin(Record):
    """Where a submission came from."""

    zip_sha256: str = Field(description="sha256 (hex) of the zip.")
    zip_size_bytes: int = Field(description="Size of the zip, bytes.")
    received_at: str = Field(description="When it came, ISO 8601, UTC.")
    code_version: str = Field(description="Version of the program that took it in.")
    warnings: tuple[str, ...] = Field(description="What the check remarked and let pass.")
    source: str | None = Field(description="Public address that it was fetched from; null if it was uploaded.")
    supersedes: str | None = Field(description="Submission that it is a new version of; null for the first.")


class SystemRow(Record):
    """A system's row on one board, with where its parts are."""

    protocol: str = Field(description="Id of the protocol.")
    protocol_name: str = Field(description="Its name.")
    n_systems: int = Field(description="Systems of that board.")
    row: LeaderboardRow = Field(description="The row.")
    per_sample: str = Field(description="Address of its items.")
    page: str = Field(description="Address of its page.")


class SystemAnswer(Answer):
    """One system: card, provenance and a row a protocol."""

    submission: str = Field(description="Id of the submission.")
    card: Card = Field(description="What its maker says.")
    provenance: Origin = Field(description="Where it came from.")
    rows: tuple[SystemRow, ...] = Field(description="One for each board that it is on.")
    badge: str = Field(description="Address of its badge, SVG.")


class ClipPlace(Record):
    """One canonical clip: the very file that was measured."""

    sha256: str = Field(description="sha256 (hex) of the FLAC file.")
    address: str = Field(description="Where it is; it can be fetched in parts, and what it names never changes.")
    duration_s: float | None = Field(description="Length, s.")
    rate_hz: int | None = Field(description="Sampling rate, Hz.")
    bit_depth: int | None = Field(description="16 or 24.")
    source_format: str | None = Field(description="What was uploaded, for example WAV/PCM_16.")
    source_channels: int | None = Field(description="Channels of what was uploaded; 2 were averaged.")


class DimensionCell(Record):
    """One dimension of one clip."""

    requested: str | None = Field(description="Requested value; null for naturalness.")
    measured: str | None = Field(description="Measured bucket or class; null if unread, or for naturalness.")
    quantity: float | None = Field(
        description="The number behind it: words/s, semitones, dB, years, probability, MOS 1..5, judge's score 0..3."
    )
    desirability: float | None = Field(description="0..1; null for a declined item.")
    reason: str | None = Field(description="Why nothing could be read, by the clip's own fault; else null.")


class SampleRow(Record):
    """One item of one system."""

    item_id: str = Field(description="Id of the item.", examples=["vb-00007"])
    tier: int = Field(description="0 easy, 1 normal, 2 hard.")
    split: str = Field(description="public or held_out.")
    instruction: str = Field(description="The voice that was asked for.")
    script: str = Field(description="The text to read.")
    requested: dict[str, str] = Field(description="Requested value of every trait that the corpus fixes.")
    is_declined: bool = Field(description="The system refused the item: no clip, composite 0.")
    clip: ClipPlace | None = Field(description="The clip; null if declined.")
    transcript: str | None = Field(description="What the transcriber wrote at first; a machine's text about the clip.")
    wer: float | None = Field(description="Word-error rate of the hearing that counts; may exceed 1.")
    passed_gate: bool = Field(description="Word-error rate within the protocol's limit.")
    composite: float = Field(description="0..1; 0 if the gate vetoes the clip.")
    dimensions: dict[str, DimensionCell] = Field(description="Every scored dimension, in the protocol's order.")
    readings: dict[str, Cell] = Field(
        description="Every other column of the published table by its name: acoustics, class probabilities, verdicts, "
        "word errors, why something was unread."
    )


class SamplesPage(ListAnswer):
    """Items of one system under one protocol."""

    protocol: str = Field(description="Id of the protocol.")
    system: str = Field(description="Id of the submission.")
    rows: tuple[SampleRow, ...] = Field(description="In the corpus's order unless another is asked for.")


class ClipAnswer(Answer):
    """One clip: what it is and where."""

    submission: str = Field(description="Id of the submission.")
    item_id: str = Field(description="Id of the item.")
    clip: ClipPlace = Field(description="The file.")
    media_type: str = Field(default="audio/flac", description="Kind of the file.")


class ReplyRow(Record):
    """One raw reply of the judge."""

    item_id: str = Field(description="Id of the item.")
    dimensions: str = Field(description="Dimensions that it was asked about, separated by commas.")
    order: str = Field(description="Which of the two clips it heard first.")
    vote: int = Field(description="Vote, from 0.")
    ask: int = Field(description="Time of asking, from 0; more than 0 after a reply that could not be used.")
    text: str = Field(description="What it wrote; a machine's text about a stranger's clip.")
    model: str = Field(description="Model that answered, by its own word.")
    finish: str = Field(description="Why it stopped, by the provider's word.")
    input_tokens: int = Field(description="Tokens that went in.")
    audio_tokens: int = Field(description="Those of them that were audio.")
    output_tokens: int = Field(description="Tokens that came out.")
    cost_micro_usd: int | None = Field(description="Millionths of a US dollar; null if the price was not known.")


class RepliesPage(ListAnswer):
    """A judge's raw replies about one system."""

    protocol: str = Field(description="Id of the protocol.")
    system: str = Field(description="Id of the submission.")
    rows: tuple[ReplyRow, ...] = Field(description="By item, dimensions, order, vote and time of asking.")
