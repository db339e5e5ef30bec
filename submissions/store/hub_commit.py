"""One commit, as the client makes it."""

from collections.abc import Sequence
from typing import Any

from submissions.store.hub_calls import Failed, Trouble
from submissions.store.hub_records import BRANCH, Change, Put, Remove

_MARK = "castboard"


def send(api: Any, repo_id: str, changes: Sequence[Change], *, title: str, sign: str, parent: str) -> str:
    """Return the id of a new commit, or of `parent` if it holds all that already; raises what the client raises."""
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    # The client marks operations as used, so that each attempt needs new ones.
    operations = [
        CommitOperationDelete(change.path, is_folder=False)
        if isinstance(change, Remove)
        else CommitOperationAdd(change.path, change.data if isinstance(change, Put) else str(change.source))
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
