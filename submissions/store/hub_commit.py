"""One commit, as the client makes it, and what is sent before it."""

from collections.abc import Sequence
from typing import Any

from submissions.store.hub_records import BRANCH, Change, Put, PutFile, Remove
from submissions.store.hub_trouble import Failed, Trouble

_MARK = "castboard"


def send(api: Any, repo_id: str, changes: Sequence[Change], *, title: str, sign: str, parent: str) -> str:
    """Return the id of a new commit, or of `parent` if it holds all that already; raises what the client raises."""
    from huggingface_hub import CommitOperationDelete

    # The client marks operations as used, so that each attempt needs new ones.
    operations = [
        CommitOperationDelete(change.path, is_folder=False) if isinstance(change, Remove) else _addition(change)
        for change in changes
    ]
    made = api.create_commit(
        repo_id,
        operations,
        commit_message=title,
        commit_description=f"{_MARK} {sign}",
        repo_type="dataset",
        revision=BRANCH,
        parent_commit=parent,
        num_threads=2,
    )
    oid = str(made.oid)
    is_empty = not any(isinstance(change, Remove) for change in changes) and not any(
        getattr(operation, "_is_committed", True) for operation in operations
    )
    if is_empty and oid != parent:
        # Nothing differed from a head that is no longer the parent.
        raise Failed(
            Trouble(words="was changed by somebody else meanwhile", is_final=True, status=412, path="/commit/")
        )
    return oid


def send_ahead(api: Any, repo_id: str, file: PutFile) -> None:
    """Bring the bytes of a file to the hub, where they wait for a commit that names them; a small file is left."""
    api.preupload_lfs_files(repo_id, [_addition(file)], repo_type="dataset", revision=BRANCH, num_threads=2)


def _addition(change: Put | PutFile) -> Any:
    from huggingface_hub import CommitOperationAdd

    return CommitOperationAdd(change.path, change.data if isinstance(change, Put) else str(change.source))
