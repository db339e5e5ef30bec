"""What a maker writes in place of an upload, taken apart: a public dataset repo, a commit, and a path in it. Pure.

`org/name@COMMIT`, `org/name@COMMIT:path`, or the address of a file or folder as the hub's pages show it. Only the
hub that the site uses is ever named; any other address is refused here, before anything is asked of anybody.
"""

import re
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

from submissions.problems import Problem, SubmissionError, shown

FORMS = "org/name@COMMIT, org/name@COMMIT:path/in/repo.zip or {endpoint}/datasets/org/name/resolve/COMMIT/file.zip"
"""What is accepted, with a place for the hub's address."""
MOST_CHARS = 1_000
"""Longest reference."""
_REPO = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_SHORT = re.compile(rf"(?:datasets/)?(?P<repo>{_REPO})(?:@(?P<revision>[^@:\s]{{1,200}}))?(?::(?P<path>.+))?")
_LONG = re.compile(
    rf"/datasets/(?P<repo>{_REPO})(?:/(?:resolve|blob|raw|tree)/(?P<revision>[^/]+)(?:/(?P<path>.+))?)?/?"
)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_BRANCH = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a maker named."""

    repo: str
    """Dataset repo, "org/name"."""
    revision: str
    """Commit, or a branch or tag that must yet be pinned."""
    path: str
    """File or folder in the repo, without slashes at its ends; empty for the whole repo."""

    @property
    def is_pinned(self) -> bool:
        """Whether the revision is a whole commit id, which can never mean anything else."""
        return _COMMIT.fullmatch(self.revision) is not None

    def pinned(self, commit: str) -> str:
        """Return the reference to the same at a commit, as it is written."""
        return f"{self.repo}@{commit}" + (f":{self.path}" if self.path else "")


def parse(text: str, endpoint: str) -> Reference:
    """Return what a reference names.

    Args:
        text: what the maker wrote; anything.
        endpoint: address of the site's hub, without a slash at the end.

    Raises:
        SubmissionError: if it is no reference, or names another host.
    """
    clean = text.strip()
    if len(clean) > MOST_CHARS or not clean.isprintable():
        raise _refused("reference_form", "This is no reference to a dataset repo", endpoint, clean)
    found = _SHORT.fullmatch(clean) if "://" not in clean else _LONG.fullmatch(_path_on(clean, endpoint))
    if found is None:
        raise _refused("reference_form", "This is no reference to a dataset repo", endpoint, clean)
    path = found["path"] or ""
    revision = found["revision"] or _BRANCH
    if "://" in clean:
        path, revision = unquote(path), unquote(revision)
    path = path.strip("/")
    if path and not is_plain(path):
        raise _refused("reference_path", "The path in the repo is not safe", endpoint, path)
    if not is_plain(revision):
        raise _refused("reference_form", "The revision is none that a repo can have", endpoint, revision)
    lowered = revision.lower()
    return Reference(repo=found["repo"], revision=lowered if _COMMIT.fullmatch(lowered) else revision, path=path)


def address(endpoint: str, repo: str, commit: str, path: str, *, is_folder: bool) -> str:
    """Return the public address of a file or folder at a commit: what is kept and shown as the source."""
    kind = "tree" if is_folder else "resolve"
    return f"{endpoint}/datasets/{repo}/{kind}/{commit}" + (f"/{quote(path)}" if path else "")


def is_plain(path: str) -> bool:
    """Return whether a path has only ordinary parts between single slashes."""
    parts = path.split("/")
    return path.isprintable() and "\\" not in path and not any(part in ("", ".", "..") for part in parts)


def problem(code: str, what: str, *, allowed: str, got: str = "", where: str = "reference") -> Problem:
    """Return one thing to fix about a reference."""
    return Problem(kind="problem", code=code, what=what, where=where, allowed=allowed, got=got)


def _path_on(text: str, endpoint: str) -> str:
    """Return the path of an address on the site's hub; refuses every other host, and what hides one."""
    ours = urlsplit(endpoint)
    try:
        parts = urlsplit(text)
        is_ours = (parts.scheme.lower(), parts.netloc.lower()) == (ours.scheme.lower(), ours.netloc.lower())
    except ValueError:
        is_ours = False
    if not is_ours:
        raise _refused("reference_host", "Only files of this site's hub are fetched", endpoint, text)
    return parts.path.removeprefix(ours.path)


def _refused(code: str, what: str, endpoint: str, got: str) -> SubmissionError:
    return SubmissionError((problem(code, what, allowed=FORMS.format(endpoint=endpoint), got=shown(got)),))
