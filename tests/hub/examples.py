"""Repos of the double as tests open them."""

from submissions.store.hub_limits import HubLimits
from submissions.store.hub_repo import HubRepo
from tests.hub.double import HubDouble
from tests.hub.remote import RemoteHub

QUICK = HubLimits(
    first_wait_s=0.001,
    most_wait_s=2.0,
    rest_s=0.0,
    connect_s=2.0,
    answer_s=2.0,
    whole_s=5.0,
    requests_per_minute=1e6,
    requests_burst=1_000_000,
    reads_per_minute=1e6,
    reads_burst=1_000_000,
    commits_per_hour=1e6,
    commits_burst=1_000_000,
)
"""Limits under which a test neither waits nor runs out of anything."""


def open_repo(
    hub: HubDouble | RemoteHub, repo_id: str = "ohm/board", *, limits: HubLimits = QUICK, is_private: bool = False
) -> HubRepo:
    """Return a repo of the double, created if need be."""
    repo = HubRepo(repo_id, token=hub.token, endpoint=hub.endpoint, limits=limits)
    repo.ensure(is_private=is_private)
    return repo
