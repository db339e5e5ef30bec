"""What a hub answers, looked at before it is believed."""

import re
from typing import Any

from submissions.store.hub_records import HubEntry

_OID = re.compile(r"[0-9a-z]{7,64}")


def entry_of(listed: Any) -> HubEntry:
    """Return one line of a listing; raises ValueError if it is none."""
    lfs = getattr(listed, "lfs", None)
    is_folder = not hasattr(listed, "blob_id")
    return HubEntry(
        path=str(listed.path),
        is_folder=is_folder,
        oid=oid_of(listed.tree_id if is_folder else listed.blob_id),
        size=0 if is_folder else _size(listed.size),
        sha256=str(lfs.sha256) if lfs is not None else None,
    )


def oid_of(text: object) -> str:
    """Return an id; raises ValueError if it is none."""
    if not isinstance(text, str) or not _OID.fullmatch(text):
        raise ValueError("an id of the hub is made of 7 to 64 small letters and digits")
    return text


def _size(value: object) -> int:
    if not isinstance(value, int) or value < 0:
        raise ValueError("a size is a whole number from 0")
    return value


def see_path(path: str) -> None:
    """Raise ValueError unless a path is plain."""
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in path.split("/")):
        raise ValueError(
            f"a path of a repo has parts between single slashes, none of them '.' or '..', got {path!r:.120}"
        )
