"""One dataset repo on a hub, as our stores use it: head, listings, ranges of files, and commits that know their parent.

Everything goes through `huggingface_hub`, set up by `hub_client`, in the manner of `hub_calls`. What comes from the hub
is hostile: sizes are never believed, paths are checked, messages are in our words.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

from submissions.store import hub_commit, hub_fetch
from submissions.store.base import StoreUnavailable
from submissions.store.hub_answers import entry_of, oid_of, see_path
from submissions.store.hub_calls import WRITING, Calls, HubHealth
from submissions.store.hub_fetch import HubSource
from submissions.store.hub_limits import Budget, HubLimits
from submissions.store.hub_records import (
    BRANCH,
    Change,
    CommitUncertain,
    HubEntry,
    HubRevision,
    Moved,
    Put,
    PutFile,
    Remove,
)
from submissions.store.hub_trouble import Failed, Trouble

__all__ = [
    "BRANCH",
    "Change",
    "CommitUncertain",
    "HubEntry",
    "HubRepo",
    "HubRevision",
    "Moved",
    "Put",
    "PutFile",
    "Remove",
]

_MOST_ENTRIES = 200_000
_MOST_SMALL_BYTES = 256 << 20
_MOST_WHY = 200
_N_REQUESTS_OF_COMMIT = 4
_MOST_HISTORY_PAGES = 20
_TYPE = "dataset"


class HubRepo:
    """One dataset repo; safe between threads. Printing it shows no token."""

    def __init__(
        self,
        repo_id: str,
        *,
        token: str | None = None,
        endpoint: str | None = None,
        limits: HubLimits | None = None,
        budget: Budget | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        """Speak of the repo `repo_id`, "org/name", without asking anything yet.

        Args:
            repo_id: the dataset repo.
            token: token that opens it; None for what everybody may see.
            endpoint: address of the hub; None for the one that the environment names.
            limits: how patient to be.
            budget: shared by all repos that one token opens; None for one of its own.
            clock: seconds that only grow.
            sleep: waits; None for one that `close` ends.
        """
        self.repo_id = repo_id
        self.limits = limits or HubLimits()
        self.calls = Calls(f"the hub's repo {repo_id}", self.limits, budget or Budget(self.limits, clock), clock, sleep)
        self._endpoint = endpoint.rstrip("/") if endpoint else None
        self._token = token
        self._clock = clock

    def __repr__(self) -> str:
        return f"HubRepo({self.repo_id!r})"

    def head(self) -> str:
        """Return the id of the newest commit; one request.

        Raises:
            StoreUnavailable: if it cannot be asked now.
        """
        return self.calls.make("head", self._head)

    def ensure(self, *, is_private: bool) -> None:
        """Create the repo if it is not there; raises StoreUnavailable."""
        self.calls.make("ensure", lambda: self._create(is_private))

    def revision(self, name: str) -> HubRevision | None:
        """Return what a branch, a tag or a commit is, or None if the repo has none of that name.

        Raises:
            StoreUnavailable: if it cannot be asked now.
        """
        found = self.calls.make(
            "revision",
            lambda: (self._revision(name),),
            settle=lambda trouble: (None,) if trouble.code == "RevisionNotFound" else None,
        )
        return found[0]

    def listing(
        self, revision: str, folder: str = "", *, is_recursive: bool = False, most: int = _MOST_ENTRIES
    ) -> tuple[HubEntry, ...]:
        """Return what is in a folder at a commit, sorted by path; nothing if there is no such folder.

        Args:
            revision: a commit.
            folder: path without a slash at its end; empty for the root.
            is_recursive: also everything below its folders.
            most: entries that it may have.

        Raises:
            HubRefused: if it has more than `most` entries.
            StoreUnavailable: if it cannot be asked now.
        """
        return self.calls.make(
            "listing",
            lambda: self._listing(revision, folder, is_recursive, most),
            settle=lambda trouble: () if trouble.code == "EntryNotFound" else None,
        )

    def read(self, path: str, revision: str, most_bytes: int = _MOST_SMALL_BYTES) -> bytes:
        """Return a file whole.

        Raises:
            FileNotFoundError: if the commit has none.
            StoreUnavailable: if it cannot be fetched now, or is longer than `most_bytes`.
        """
        see_path(path)
        return self._fetch(path, lambda: hub_fetch.whole(self._source(path, revision), most_bytes))

    def read_range(self, path: str, revision: str, first: int, last: int) -> bytes:
        """Return the bytes from `first` to `last`, both included, all of them; raises as `read` does."""
        if not 0 <= first <= last:
            raise ValueError(f"a range must begin at 0 or later and not end before, got {first} to {last}")
        see_path(path)
        return self._fetch(path, lambda: hub_fetch.part(self._source(path, revision), first, last))

    def commit(self, changes: Sequence[Change], why: str, parent: str, nonce: str | None = None) -> str:
        """Make one commit of all changes on top of `parent`; return its id.

        Whether an unanswered commit was made is looked up: it carries a sign that no other has.

        Args:
            changes: at most one of each path.
            why: one line for the history, of our own words and ids.
            parent: the commit that everything was decided from.
            nonce: sign that the commit carries, 16 hex digits or more, if the caller wants to ask for it later.

        Raises:
            Moved: if the branch is no longer at `parent`; nothing was written.
            CommitUncertain: if it may have been made, and the hub cannot be asked now.
            StoreUnavailable: if it was not made, and cannot be now.
        """
        sign = nonce or secrets.token_hex(8)
        title = (" ".join(why.split()) or "change")[:_MOST_WHY]
        self.calls.pay(self.calls.budget.commits, 1)
        return self.calls.make(
            WRITING,
            lambda: hub_commit.send(self._api(), self.repo_id, changes, title=title, sign=sign, parent=parent),
            n_requests=_N_REQUESTS_OF_COMMIT,
            settle=lambda trouble: self._settle_commit(trouble, sign, parent),
        )

    def send_ahead(self, file: PutFile) -> None:
        """Bring a large file's bytes to the hub before the commit that names them; raises StoreUnavailable."""
        self.calls.make(
            "send_ahead",
            lambda: hub_commit.send_ahead(self._api(), self.repo_id, file),
            n_requests=_N_REQUESTS_OF_COMMIT,
        )

    def applied(self, nonce: str, parent: str) -> str | None:
        """Return the commit after `parent` that carries a sign, or None if there is none; raises StoreUnavailable."""
        return self.calls.make("applied", lambda: (self._with_sign(nonce, parent),))[0]

    def health(self) -> HubHealth:
        """Return how calls went lately."""
        return self.calls.health()

    def clock_ahead_s(self) -> float:
        """Return how far this machine's clock was ahead of the hub's at its last answer, s; 0 before the first."""
        from submissions.store.hub_client import clock_of

        return clock_of(self._endpoint).ahead_s

    def pause(self, wait_s: float) -> None:
        """Wait; raises StoreUnavailable if the repo is closed meanwhile."""
        self.calls.pause(wait_s)

    def close(self) -> None:
        """End all waits."""
        self.calls.stop()

    def _head(self) -> str:
        info = self._api().dataset_info(self.repo_id, revision=BRANCH, expand=["sha"])
        return oid_of(info.sha)

    def _create(self, is_private: bool) -> None:
        self._api().create_repo(self.repo_id, repo_type=_TYPE, private=is_private, exist_ok=True)

    def _revision(self, name: str) -> HubRevision | None:
        info = self._api().dataset_info(self.repo_id, revision=name, expand=["sha", "private", "gated"])
        return HubRevision(commit=oid_of(info.sha), is_private=bool(info.private), is_gated=bool(info.gated))

    def _listing(self, revision: str, folder: str, is_recursive: bool, most: int) -> tuple[HubEntry, ...]:
        found: list[HubEntry] = []
        tree = self._api().list_repo_tree(
            self.repo_id, folder or None, recursive=is_recursive, revision=revision, repo_type=_TYPE
        )
        for entry in tree:
            found.append(entry_of(entry))
            if len(found) > most:
                raise Failed(Trouble(words=f"holds more than {most:,} files and folders there", is_final=True))
        return tuple(sorted(found, key=lambda one: one.path))

    def _fetch(self, path: str, attempt: Callable[[], bytes]) -> bytes:
        missing: list[bool] = []

        def settle(trouble: Trouble) -> bytes | None:
            if trouble.code != "EntryNotFound":
                return None
            missing.append(True)
            return b""

        data = self.calls.make("read", attempt, allowance=self.calls.budget.reads, settle=settle)
        if missing:
            raise FileNotFoundError(f"{self.repo_id} has no file {path!r:.120} at this commit")
        return data

    def _settle_commit(self, trouble: Trouble, sign: str, parent: str) -> str | None:
        """Return our commit if it was made after all, None to try again; raises Moved."""
        is_sent = "/commit/" in trouble.path
        if not is_sent or trouble.status in (401, 403, 409, 429):
            return None
        if trouble.is_final and trouble.status != 412:
            # It was not made. A parent that the owner's squash removed may be refused in whatever words.
            if self.head() != parent:
                raise Moved(f"{self.repo_id} was changed by somebody else since {parent[:12]}; read it again")
            return None
        try:
            made = self.applied(sign, parent)
            if made is not None:
                return made
            if trouble.status == 412 or self.head() != parent:
                raise Moved(f"{self.repo_id} was changed by somebody else since {parent[:12]}; read it again")
        except StoreUnavailable as error:
            raise CommitUncertain(f"{error}; whether a change was made is not known yet", sign) from error
        return None

    def _with_sign(self, nonce: str, parent: str) -> str | None:
        for commit in self._history():
            if nonce in str(commit.get("message", "")) or nonce in str(commit.get("title", "")):
                return oid_of(commit["id"])
            if commit["id"] == parent:
                break
        return None

    def _history(self) -> Iterator[dict[str, Any]]:
        """Yield commits, the newest first, asking for further pages only if they are wanted."""
        hub = self._hub()
        url: str | None = f"{self._api().endpoint}/api/datasets/{self.repo_id}/commits/{BRANCH}"
        for _ in range(_MOST_HISTORY_PAGES):
            answer = hub.get_session().get(url, headers=self._headers())
            hub.utils.hf_raise_for_status(answer)
            yield from answer.json()
            url = answer.links.get("next", {}).get("url")
            if url is None:
                return

    def _source(self, path: str, revision: str) -> HubSource:
        hub = self._hub()
        url = hub.hf_hub_url(self.repo_id, path, repo_type=_TYPE, revision=revision, endpoint=self._api().endpoint)
        return HubSource(hub=hub, url=url, headers=self._headers(), seconds=self.limits.whole_s, clock=self._clock)

    def _hub(self) -> ModuleType:
        from submissions.store.hub_client import Patience, clock_of, prepare

        clock_of(self._endpoint)
        limits = self.limits
        patience = Patience(connect_s=limits.connect_s, answer_s=limits.answer_s, whole_s=limits.whole_s)
        return prepare(self._endpoint, patience)

    def _api(self) -> Any:
        # Without a token of ours, none that lies about on this machine is to be sent.
        return self._hub().HfApi(endpoint=self._endpoint, token=self._token or False, library_name="castboard")

    def _headers(self) -> dict[str, str]:
        headers: dict[str, str] = self._hub().utils.build_hf_headers(
            token=self._token or False, library_name="castboard"
        )
        return headers
