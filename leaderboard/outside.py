"""What a site has outside of its machine: repos on the hub, and whoever vouches for people. `settings` fills it."""

from dataclasses import dataclass

from leaderboard.secret import Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class HubSettings:
    """Where on the hub this site keeps what it has."""

    board: str
    """Public dataset repo of the published layout, "org/name"."""
    work: str | None
    """Private dataset repo of the work, "org/name"; None: nothing is taken in or evaluated, the board is shown."""
    token: Secret | None
    """Token that may write to both; None: the board is shown."""
    may_spool: bool
    """Whether a submission may be accepted onto this disk while the hub is away."""
    cache_bytes: int
    """Most that copies of the hub's files may take on this disk, bytes."""
    endpoint: str | None = None
    """Address of the hub; None for the public one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthSettings:
    """How people sign in with an account of somebody who vouches for them."""

    client: str
    """Public id of this site at the provider."""
    secret: Secret
    """What proves that the site is that one; what sessions are signed with follows from it."""
    scopes: str
    """What a sign-in asks for, separated by spaces."""
    provider: str
    """Address of the provider, without a slash at the end."""
    is_framed: bool
    """Whether the site stands inside another site's page, as a Space does, so that its cookie must too."""
