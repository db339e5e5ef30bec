"""A submission that is named instead of uploaded: fetched from a public dataset repo at a pinned commit.

Nobody's token is sent, and nothing is asked of any host but the site's hub. Whether the repo is open, its commit, and
every name and size are looked at before the first byte is fetched. A folder of clips becomes a zip that depends on the
commit alone, so the same reference always gives the same receipt.
"""

import logging
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from submissions import stored_zip
from submissions.archive import ARCHIVE_LIMITS, ArchiveLimits
from submissions.problems import Problem, SubmissionError, shown
from submissions.references import Reference, address, is_plain, parse, problem
from submissions.store.base import StoreUnavailable
from submissions.store.hub_calls import HubRefused
from submissions.store.hub_download import OnProgress, Progress, download, download_all
from submissions.store.hub_limits import HubLimits
from submissions.store.hub_repo import HubEntry, HubRepo
from submissions.stored_zip import StoredZip

log = logging.getLogger(__name__)

MOST_S = 3_600.0
"""Longest that a fetch may take, s."""
ROOM_BYTES = 1 << 30
"""So much of the disk stays free."""
_N_TOGETHER = 16
_OWN_FILES = ("readme.md", "license", "license.md", "license.txt")
"""Files that a repo has for itself, left out of a folder of clips."""

_Members = tuple[tuple[str, HubEntry], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What a reference came to."""

    zip_path: Path
    """The zip, in the caller's folder."""
    source: str
    """Public address at the pinned commit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """What is to be fetched."""

    path: str
    """The zip, or the folder, in the repo."""
    members: _Members
    """Name in the zip and listed file, sorted by name; for a zip the zip itself alone."""
    is_folder: bool
    """Whether the zip is to be made."""


def fetch(
    ref: str,
    folder: Path,
    *,
    limits: ArchiveLimits = ARCHIVE_LIMITS,
    endpoint: str | None = None,
    on_progress: OnProgress = lambda _, __: None,
    hub_limits: HubLimits | None = None,
    most_s: float = MOST_S,
) -> Fetched:
    """Fetch what a reference names into `folder` and return the zip.

    Args:
        ref: what the maker wrote; see `submissions.references`.
        folder: an existing folder of this call's own.
        limits: what a zip may be.
        endpoint: address of the hub; None for the one that the environment names.
        on_progress: told of bytes; from this thread and others, one at a time.
        hub_limits: how patient to be with the hub.
        most_s: longest that it may take, s.

    Raises:
        SubmissionError: if it is no pinned reference to something open, or what it names cannot be a submission.
        StoreUnavailable: if the hub cannot be asked now, or took too long.
    """
    hub = (endpoint or _default_endpoint()).rstrip("/")
    wanted = parse(ref, hub)
    repo = HubRepo(wanted.repo, endpoint=endpoint, limits=hub_limits)
    try:
        _see_that_pinned(repo, wanted)
        chosen = _chosen(repo, wanted, limits)
        _refuse(chosen, folder, limits)
        n_bytes = sum(entry.size for _, entry in chosen.members)
        progress = Progress(n_bytes, on_progress, until=time.monotonic() + most_s)
        zip_path = folder / "fetched.zip"
        if chosen.is_folder:
            _pack(repo, chosen.members, wanted.revision, zip_path, progress)
        else:
            download(repo, chosen.members[0][1], wanted.revision, zip_path, on_bytes=progress.add)
    except HubRefused as error:
        raise _not_open(wanted, str(error)) from error
    finally:
        repo.close()
    source = address(hub, wanted.repo, wanted.revision, chosen.path, is_folder=chosen.is_folder)
    log.info("reference.fetched", extra={"source": source, "n_files": len(chosen.members)})
    return Fetched(zip_path=zip_path, source=source)


def _default_endpoint() -> str:
    from huggingface_hub import constants

    return str(constants.ENDPOINT)


def _see_that_pinned(repo: HubRepo, wanted: Reference) -> None:
    found = repo.revision(wanted.revision)
    if found is None:
        what = f"The repo {wanted.repo} has no such commit"
        raise _problem("reference_revision", what, "a commit of 40 hex digits, as its page shows it", wanted.revision)
    if found.is_private or found.is_gated:
        raise _not_open(wanted, "it is private, or gives its files to those alone who asked")
    if not wanted.is_pinned or found.commit != wanted.revision:
        what = "A branch or tag is not enough: what it means can change"
        raise _problem("reference_not_pinned", what, f"pin it: {wanted.pinned(found.commit)}", shown(wanted.revision))


def _chosen(repo: HubRepo, wanted: Reference, limits: ArchiveLimits) -> _Chosen:
    """Return which files are meant; raises SubmissionError if none or several could be."""
    if not wanted.path:
        return _chosen_below(repo, wanted, limits, "")
    parent = wanted.path.rpartition("/")[0]
    listed = _listed(repo, wanted, parent, limits)
    entry = next((one for one in listed if one.path == wanted.path), None)
    if entry is None:
        what = f"The repo {wanted.repo} has no such file or folder at this commit"
        raise _problem("reference_path", what, "the path of a zip, or of a folder of clips", shown(wanted.path))
    if entry.is_folder:
        return _chosen_below(repo, wanted, limits, wanted.path)
    if not _is_zip(entry.path):
        raise _problem("reference_path", "This file is no zip", "a zip, or a folder of clips", shown(wanted.path))
    return _Chosen(path=entry.path, members=(("", entry),), is_folder=False)


def _chosen_below(repo: HubRepo, wanted: Reference, limits: ArchiveLimits, folder: str) -> _Chosen:
    listed = _listed(repo, wanted, folder, limits, is_recursive=True)
    files = [entry for entry in listed if not entry.is_folder]
    zips = [entry for entry in files if _is_zip(entry.path)]
    if len(zips) > 1:
        named = (Reference(repo=wanted.repo, revision=wanted.revision, path=one.path) for one in zips)
        listing = "; ".join(shown(one.pinned(wanted.revision), 200) for one in named)
        raise _problem(
            "reference_several", f"There are {len(zips)} zips, and one is a submission", "one of them", listing
        )
    if zips:
        return _Chosen(path=zips[0].path, members=(("", zips[0]),), is_folder=False)
    start = len(folder) + 1 if folder else 0
    members = sorted((entry.path[start:], entry) for entry in files if not _is_left_out(entry.path[start:]))
    return _Chosen(path=folder, members=tuple(members), is_folder=True)


def _listed(
    repo: HubRepo, wanted: Reference, folder: str, limits: ArchiveLimits, *, is_recursive: bool = False
) -> tuple[HubEntry, ...]:
    try:
        return repo.listing(wanted.revision, folder, is_recursive=is_recursive, most=limits.max_entries)
    except HubRefused as error:
        allowed = (
            f"{limits.max_entries:,} files and folders, open to everybody; name a folder or a zip of it by its path"
        )
        what = f"What is in the repo {wanted.repo} cannot be listed"
        raise _problem("reference_listing", what, allowed, shown(str(error), 200)) from error


def _refuse(chosen: _Chosen, folder: Path, limits: ArchiveLimits) -> None:
    """Refuse, all at once, what could not be a submission or would fill the disk; nothing is fetched then."""
    found = list(_folder_problems(chosen, limits) if chosen.is_folder else _zip_problems(chosen, limits))
    n_bytes = sum(entry.size for _, entry in chosen.members)
    free = shutil.disk_usage(folder).free
    if not found and 2 * n_bytes + ROOM_BYTES > free:
        raise StoreUnavailable(
            f"There is no room here for these {n_bytes:,} bytes just now. Send the reference again in an hour."
        )
    if found:
        raise SubmissionError(tuple(found))


def _zip_problems(chosen: _Chosen, limits: ArchiveLimits) -> Iterator[Problem]:
    entry = chosen.members[0][1]
    if not is_plain(entry.path):
        yield _unsafe([entry.path])
    if entry.size > limits.zip_bytes:
        yield _too_big("The zip is too big", shown(entry.path), limits.zip_bytes, entry.size)


def _folder_problems(chosen: _Chosen, limits: ArchiveLimits) -> Iterator[Problem]:
    if not chosen.members:
        where = shown(chosen.path) or "the repo"
        yield problem("empty_zip", "There is no clip", allowed="one clip for each item", where=where)
    if len(chosen.members) > limits.max_members:
        got, most = f"{len(chosen.members):,} files", f"{limits.max_members} at most"
        yield problem("too_many_members", "The folder has too many files", allowed=most, got=got)
    unsafe = [name for name, _ in chosen.members if not is_plain(name) or len(name) > 255]
    if unsafe:
        yield _unsafe(unsafe)
    for name, entry in chosen.members:
        if entry.size > limits.member_bytes:
            yield _too_big("A file is too big", shown(name), limits.member_bytes, entry.size)
    if not unsafe:
        n_bytes = stored_zip.n_bytes({name: entry.size for name, entry in chosen.members})
        if n_bytes > limits.zip_bytes:
            yield _too_big("The files are too big together", "the folder", limits.zip_bytes, n_bytes)


def _pack(repo: HubRepo, members: _Members, commit: str, zip_path: Path, progress: Progress) -> None:
    """Fetch some members at a time, and append them in the order of their names."""
    waiting = iter(members)
    with StoredZip(zip_path) as zipped:
        while some := list(islice(waiting, _N_TOGETHER)):
            places = [
                (name, entry, zip_path.with_name(f"member-{number}")) for number, (name, entry) in enumerate(some)
            ]
            download_all(repo, commit, [(entry, place) for _, entry, place in places], progress)
            for name, _, place in places:
                zipped.add(name, place)
                place.unlink()


def _is_zip(path: str) -> bool:
    return path.lower().endswith(".zip")


def _is_left_out(name: str) -> bool:
    """Return whether a file is the repo's own, or one that a zip may hold and nobody looks at."""
    return name.lower() in _OWN_FILES or any(part.startswith(".") and part != ".." for part in name.split("/"))


def _unsafe(names: Sequence[str]) -> Problem:
    allowed = "relative names without .., backslashes or control characters, 255 characters at most"
    where = ", ".join(shown(name) for name in names)
    return problem("unsafe_name", f"{len(names)} names in the repo are not safe", allowed=allowed, where=where)


def _too_big(what: str, where: str, allowed: int, got: int) -> Problem:
    return problem("reference_size", what, allowed=f"{allowed:,} bytes", got=f"{got:,} bytes", where=where)


def _problem(code: str, what: str, allowed: str, got: str) -> SubmissionError:
    return SubmissionError((problem(code, what, allowed=allowed, got=got),))


def _not_open(wanted: Reference, why: str) -> SubmissionError:
    what = f"Nobody but its owners can read the repo {wanted.repo}, or there is none of that name"
    return _problem("reference_not_open", what, "a public dataset repo, not gated, without sign-in", shown(why, 200))
