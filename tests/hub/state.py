"""What all routes of the double share: repos, accounts, and who may do what in a request."""

from dataclasses import dataclass, field
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request

from tests.hub.failures import Failures
from tests.hub.people import People, User, may_see
from tests.hub.repos import KINDS, Commit, Missing, Repo, Repos


@dataclass(slots=True)
class State:
    """Everything one hub knows."""

    folder: Path
    repos: Repos
    people: People = field(default_factory=People)
    failures: Failures = field(default_factory=Failures)
    endpoint: str = ""
    """Address of the hub, without a slash at the end."""
    tree_page: int = 1000
    """Entries of one page of a listing."""
    commits_page: int = 50
    """Commits of one page of a history."""
    has_cdn: bool = True
    """Whether large files are sent by another host, after a redirect."""
    multipart_bytes: int = 0
    """Large files above so many bytes are taken in parts of so many; 0: in one."""


def refused(status: int, code: str, message: str) -> HTTPException:
    """Return the error that the hub answers with."""
    return HTTPException(status, message, headers={"X-Error-Code": code, "X-Error-Message": message})


def state_of(request: Request) -> State:
    """Return the hub that a request came to."""
    state: State = request.app.state.hub
    return state


def user_of(request: Request) -> User | None:
    """Return who asks; None for nobody in particular."""
    header = request.headers.get("authorization", "")
    if not header:
        return None
    user = state_of(request).people.by_token.get(header.removeprefix("Bearer "))
    if user is None:
        raise HTTPException(
            401,
            "Invalid credentials in Authorization header",
            headers={"X-Error-Message": "Invalid credentials in Authorization header"},
        )
    return user


def repo_of(request: Request, kind: str | None = None) -> Repo:
    """Return the repo that a request is about, if who asks may see it."""
    values = request.path_params
    asked = kind or values.get("kind") or "model"
    user = user_of(request)
    repo = state_of(request).repos.get(asked, f"{values['ns']}/{values['name']}") if asked in KINDS else None
    if repo is None or (repo.private and not may_see(user, values["ns"])):
        if user is None:
            raise refused(401, "RepoNotFound", "Invalid username or password.")
        raise refused(404, "RepoNotFound", "Repository not found")
    return repo


def writer_of(request: Request, repo: Repo) -> User:
    """Return who asks, if they may write to a repo."""
    user = user_of(request)
    if user is None:
        raise refused(401, "", "Invalid username or password.")
    if not (user.can_write and may_see(user, repo.id.partition("/")[0])):
        raise refused(403, "", "You don't have the rights to write to this repo")
    return user


def commit_of(request: Request, repo: Repo) -> Commit:
    """Return the commit that a request is about."""
    try:
        return repo.commit_of(request.path_params.get("rev") or "main")
    except Missing as error:
        raise refused(404, *error.args) from error
