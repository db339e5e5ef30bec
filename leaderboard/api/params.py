"""What the API can be asked: one record a route. An unknown parameter is refused; the names are those of the pages."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from leaderboard.api.paging import MOST, USUAL

Format = Literal["json", "csv", "parquet"]
_ID = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_TEXT = 200


class NoParams(BaseModel):
    """A route that knows no parameter."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ProtocolParams(NoParams):
    """Which board."""

    protocol: str = Field(
        "",
        max_length=64,
        description="Id of the protocol; empty for the one that this site evaluates.",
        examples=["00343e71819c"],
    )


class PagedParams(NoParams):
    """Which part of a list."""

    limit: int = Field(USUAL, ge=1, le=MOST, description="Rows of a page.")
    cursor: str = Field("", max_length=120, description="Where the page begins: what another page gave as its cursor.")


class FileParams(PagedParams):
    """Which part of a list, or all of it as a file."""

    format: Format = Field(
        "json", description="json gives a page; csv and parquet give every row that fits as one file, without pages."
    )


class SystemsParams(ProtocolParams, FileParams):
    """Which systems, as the board's page asks for them."""

    q: str = Field(
        "",
        max_length=_TEXT,
        description="Words that all occur in name, version, organisation or licence; fields such as org: or size:>1B.",
    )
    org: str = Field("", max_length=_TEXT, description="Only this organisation, as it is written.")
    is_open: bool = Field(False, alias="open", description="Only systems whose weights are open.")
    is_newest: bool = Field(
        False, alias="newest", description="Only rows that no later version of a system supersedes."
    )


class LeaderboardParams(SystemsParams):
    """Which rows of a board in which order, as the board's page asks for them."""

    sort: str = Field(
        "",
        max_length=_TEXT,
        description="Columns, strongest first, with a minus for the largest first, three at most; empty for the order "
        "of the preset, or the published one.",
        examples=["-pitch,system"],
    )
    preset: str = Field("", max_length=64, description="A named view: adherence, naturalness, hard, or a trait.")
    trait: str = Field("", max_length=64, description="The same, of one dimension.")
    cols: str = Field("", max_length=1000, description="Columns that are shown; empty for those of the preset.")
    pin: str = Field("", max_length=1000, description="Columns that stand still on the page; nothing changes here.")
    tier: Literal["", "all", "0", "1", "2"] = Field(
        "", description="Every number on these items alone: 0 easy, 1 normal, 2 hard; the official rank is over all."
    )
    split: Literal["", "public", "held_out"] = Field("", description="Every number on this part of the corpus alone.")
    licence: str = Field("", max_length=_TEXT, description="Only this licence, any case.")
    size: str = Field("", max_length=64, description="Only such sizes.", examples=[">1B", "100M-1B", "unknown"])
    since: str = Field("", max_length=10, description="Only what came then or later.", examples=["2026-01"])
    until: str = Field("", max_length=10, description="Only what came then or earlier.")
    style: str = Field("", max_length=32, description="Only systems that instructions reach in this way.")
    coverage: float | None = Field(None, gt=0, le=100, description="Only clips of at least so many % of the items.")


class SamplesParams(ProtocolParams, FileParams):
    """Which items of one system."""

    system: str = Field(pattern=f"^{_ID}$", description="Id of the submission.", examples=["s00000000001"])
    item: str = Field("", max_length=64, description="Only this item.")
    trait: str = Field("", max_length=64, description="Only items that request `value` of this trait.")
    value: str = Field("", max_length=64, description="Requested value of `trait`.")
    tier: Literal["", "0", "1", "2"] = Field("", description="Only this difficulty: 0 easy, 1 normal, 2 hard.")
    split: Literal["", "public", "held_out"] = Field("", description="Only this part of the corpus.")
    gate: Literal["", "passed", "vetoed", "declined"] = Field("", description="Only clips that fared so at the gate.")
    min: float = Field(0.0, ge=0, le=1, description="Least composite.")
    max: float = Field(1.0, ge=0, le=1, description="Largest composite.")
    q: str = Field("", max_length=_TEXT, description="Words that all occur in script, instruction or id.")
    sort: Literal["", "composite", "-composite", "wer", "-wer"] = Field(
        "",
        description="Order; empty for the corpus's own. Ties keep the corpus's order; nothing to sort by comes last.",
    )


class DecisionsParams(ProtocolParams, FileParams):
    """Which pairs of a board."""

    a: str = Field("", max_length=64, description="Only decisions that this submission takes part in.")
    b: str = Field("", max_length=64, description="With `a`: only the decision of these two, whichever challenged.")


class RepliesParams(ProtocolParams, FileParams):
    """Which replies of a judge."""

    system: str = Field(pattern=f"^{_ID}$", description="Id of the submission.", examples=["s00000000001"])
    item: str = Field("", max_length=64, description="Only replies about this item.")
