"""What the API answers of blind listening tests."""

from pydantic import Field

from leaderboard.api.models import ListAnswer, Record


class VoteRow(Record):
    """One answer of one listener, as it is published."""

    id: str = Field(description="32 hex digits.")
    day: str = Field(description="Day on which it was given, UTC.", examples=["2026-03-01"])
    protocol: str = Field(description="Id of the protocol.")
    kind: str = Field(description="abx: which of two clips a third one is; preference: which of two is better.")
    question: str = Field(description="apart, instruction or naturalness.")
    catch: str = Field(description="How the answer is known, of a check: identical or vetoed; empty for a real trial.")
    item: str = Field(description="Item that the clips read.")
    a: str = Field(description="Submission of one clip, the smaller id.")
    b: str = Field(description="Submission of the other.")
    first: str = Field(description="Whose clip stood first: a or b.")
    expected: str = Field(description="The right answer, of an abx trial or a check; else empty.")
    answer: str = Field(description="Whose clip was chosen: a, b or none.")
    seconds: float = Field(description="From the page's making to the answer, s.")
    n_plays: int | None = Field(description="How often a clip was started; null if it was not counted.")
    listened_s: float | None = Field(description="How long clips played, s; null if it was not counted.")
    rater: str = Field(description="Hash of a random number that a browser keeps; one person may have several.")


class VotesPage(ListAnswer):
    """Votes on one board."""

    protocol: str = Field(description="Id of the protocol.")
    rows: tuple[VoteRow, ...] = Field(description="By id.")


class VotePairRow(Record):
    """What people heard of one pair."""

    a: str = Field(description="One submission, the smaller id.")
    b: str = Field(description="The other.")
    n_for_a: int = Field(description="Preference votes for a.")
    n_for_b: int = Field(description="Preference votes for b.")
    n_none: int = Field(description="Preference votes for neither.")
    prefers_a: float | None = Field(description="Of those that chose one, the share for a; null without a vote.")
    prefers_a_low: float | None = Field(description="Lower end of its 95 % Wilson interval; null below two votes.")
    prefers_a_high: float | None = Field(description="Upper end of the same.")
    n_abx: int = Field(description="Answers to which clip a third one was.")
    n_abx_right: int = Field(description="Those that were right; half are by chance.")
    abx_low: float | None = Field(description="Lower end of the 95 % Wilson interval of that share.")
    abx_high: float | None = Field(description="Upper end of the same.")
    d_prime: float | None = Field(description="Sensitivity that the share means; null below twenty answers.")
    n_raters: int = Field(description="Listeners of these votes.")
    is_enough: bool = Field(description="Whether there are twenty preference votes that chose one.")
    preferred: str | None = Field(description="Submission that people prefer beyond doubt; null if open.")
    agrees: bool | None = Field(description="Whether the board's decision names the same one; null if either is open.")


class VotePairsPage(ListAnswer):
    """What people heard of the pairs of one board."""

    protocol: str = Field(description="Id of the protocol.")
    n_votes: int = Field(description="All votes on the board, checks included.")
    n_left_out: int = Field(description="Those of listeners who failed most of their checks, in no other figure.")
    n_raters: int = Field(description="Listeners.")
    n_catches: int = Field(description="Answered checks.")
    n_catches_right: int = Field(description="Those that were right.")
    rows: tuple[VotePairRow, ...] = Field(description="Most votes first.")
