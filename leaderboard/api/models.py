"""What the API answers, field by field with its unit: lists, boards, decisions. Fields are only ever added."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from leaderboard.api.problems import SCHEMA_VERSION


class Record(BaseModel):
    """Any part of an answer."""

    model_config = ConfigDict(frozen=True)


class Answer(Record):
    """Any answer."""

    schema_version: int = Field(
        default=SCHEMA_VERSION, description="Version of this form; fields are only ever added to it."
    )


class ListAnswer(Answer):
    """Any page of a list; the same addresses stand in the Link header."""

    n_total: int = Field(description="Rows of the whole list.", examples=[11])
    next: str | None = Field(default=None, description="Address of the page after this one; null at the end.")
    prev: str | None = Field(default=None, description="Address of the page before this one; null at the beginning.")


class MeanCell(Record):
    """A mean with its interval."""

    mean: float | None = Field(description="0..1; null if nothing was scored.", examples=[0.812346])
    low: float | None = Field(description="Lower end of the 95 % interval, 0..1; null for fewer than two values.")
    high: float | None = Field(description="Upper end of the 95 % interval, 0..1; null for fewer than two values.")


class JudgeCost(Record):
    """What the judging of one system took, by the provider's own count."""

    n_calls: int = Field(description="Replies, each of which was paid once.")
    n_malformed: int = Field(description="Replies that could not be used.")
    input_tokens: int = Field(description="Tokens that went in.")
    audio_tokens: int = Field(description="Those of them that were audio.")
    output_tokens: int = Field(description="Tokens that came out.")
    cost_micro_usd: int | None = Field(description="Millionths of a US dollar; null if a price was not known.")
    models: tuple[str, ...] = Field(description="Models that answered.")


class Former(Record):
    """What a system was called before an operator granted it other names."""

    system: str = Field(description="Name that its card has.")
    organisation: str = Field(description="Organisation that its card has.")
    at: str = Field(description="When the new names were granted, ISO 8601, UTC.")
    reason: str = Field(description="Why, in the operator's words.")


class SystemName(Record):
    """Who a system is. All texts are its maker's."""

    submission: str = Field(description="Id of the submission, ours.", examples=["s00000000001"])
    system: str = Field(description="Name of the system, as granted if it was renamed.", examples=["Larkspur"])
    version: str | None = Field(description="Its version; null if its card has none.")
    organisation: str | None = Field(description="Who makes it, as granted if it was renamed.")
    licence: str | None = Field(description="Its licence.")
    open_weights: bool | None = Field(description="Whether its weights are open; null if its card does not say.")
    parameters: str | None = Field(description="Number of parameters, as its maker wrote it.")
    link: str | None = Field(description="Its home; not checked.")
    received_at: str = Field(description="When the zip came, ISO 8601, UTC.", examples=["2026-03-01T12:00:00.000Z"])
    supersedes: str | None = Field(description="Submission that it is a new version of; null for the first.")
    superseded_by: str | None = Field(description="Submission of its newest later version on a board; null if none.")
    formerly: Former | None = Field(default=None, description="Its names of before; null if it was never renamed.")


class LeaderboardRow(SystemName):
    """One row of a board."""

    rank_best: int = Field(description="Best rank that the decisions leave open, from 1.", examples=[2])
    rank_worst: int = Field(description="Worst rank that they leave open.", examples=[4])
    score: float | None = Field(description="S, the mean composite, 0..1; null if nothing was scored.")
    score_low: float | None = Field(description="Lower end of its 95 % bootstrap interval, 0..1.")
    score_high: float | None = Field(description="Upper end of its 95 % bootstrap interval, 0..1.")
    gate_pass_rate: float | None = Field(description="Share of clips that say their script, 0..1; null without a clip.")
    gate_low: float | None = Field(description="Lower end of its 95 % Wilson interval, 0..1.")
    gate_high: float | None = Field(description="Upper end of its 95 % Wilson interval, 0..1.")
    coverage: float = Field(description="Share of items with a clip, 0..1; the rest were declined and score 0.")
    n_items: int = Field(description="Items of the corpus.")
    n_declined: int = Field(description="Items that the system refused.")
    dimensions: dict[str, MeanCell] = Field(description="Mean desirability of each dimension, in the protocol's order.")
    judge: JudgeCost | None = Field(description="What its judging took; null without a judge.")
    results_sha256: str = Field(description="sha256 (hex) of its published result.")
    shown: dict[str, str | float | int | bool | None] | None = Field(
        default=None,
        description="What the table shows of it, on the part that was asked for; null unless columns, a preset or a "
        "part were.",
    )


class LeaderboardPage(ListAnswer):
    """Rows of one board; the ranks are those of the whole board, whatever is asked for."""

    protocol: str = Field(description="Id of the protocol.", examples=["00343e71819c"])
    n_systems: int = Field(description="Systems of the whole board, of which the ranks are.")
    part: str = Field(default="all", description="What `shown` is worked out on: all, or for example tier-2.")
    columns: tuple[str, ...] | None = Field(default=None, description="Columns of the view; null without one.")
    rows: tuple[LeaderboardRow, ...] = Field(description="In the order asked for; best score first by default.")


class DecisionRow(Record):
    """Win or tie of one pair, with its whole arithmetic."""

    challenger: str = Field(description="Submission with the higher mean.")
    incumbent: str = Field(description="Submission that it must beat.")
    n_items: int = Field(description="Paired items.")
    challenger_score: float = Field(description="Mean composite, 0..1, six decimals.")
    incumbent_score: float = Field(description="Mean composite, 0..1, six decimals.")
    lcb: float = Field(description="One-sided 95 % lower bound of the mean paired difference.")
    margin: float = Field(description="What the bound must exceed.")
    is_win: bool = Field(description="lcb > margin: the challenger wins. False is a tie.")


class DecisionsPage(ListAnswer):
    """Decisions of one board."""

    protocol: str = Field(description="Id of the protocol.")
    rows: tuple[DecisionRow, ...] = Field(description="In the order in which they are published.")


class SystemEntry(SystemName):
    """One system of the list."""

    protocols: tuple[str, ...] = Field(description="Ids of the protocols on whose boards it has a row.")


class SystemsPage(ListAnswer):
    """Systems of one board, or of all."""

    rows: tuple[SystemEntry, ...] = Field(description="By the board's order; each system once.")


class ProtocolEntry(Record):
    """One protocol in short."""

    id: str = Field(description="First 12 hex digits of the sha256 of its recipe.", examples=["00343e71819c"])
    name: str = Field(description="Its short name.", examples=["lite"])
    track: str = Field(description="Track that it belongs to.")
    corpus: str = Field(description="Name of its corpus.", examples=["benchmark_v1"])
    n_items: int = Field(description="Items of the corpus.", examples=[496])
    dimensions: tuple[str, ...] = Field(description="Scored dimensions, in order.")
    not_measured: dict[str, str] = Field(description="Dimensions that it leaves out, each with the reason.")
    judge: str | None = Field(description="Model of its judge; null without one.")
    n_systems: int = Field(description="Rows of its board.")
    is_default: bool = Field(description="Whether it is the one that new submissions are evaluated under.")


class ProtocolsAnswer(Answer):
    """Every protocol that this site shows."""

    protocols: tuple[ProtocolEntry, ...] = Field(description="The default one first.")


class ProtocolAnswer(Answer):
    """One protocol with its whole recipe."""

    protocol: ProtocolEntry = Field(description="In short.")
    recipe: dict[str, Any] = Field(
        description="Corpus hashes, instruments with versions and weights, constants: what the id is the hash of."
    )


class IndexAnswer(Answer):
    """Where everything is."""

    name: str = Field(description="Name of the site.")
    version: str = Field(description="Version of the program.")
    routes: dict[str, str] = Field(description="Addresses of this API, with what each gives.")
