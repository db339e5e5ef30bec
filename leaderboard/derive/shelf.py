"""Arrays on disk that may vanish at any time: each file carries its own sha256, and one that is damaged is no file."""

import contextlib
import hashlib
import json
import logging
import re
import secrets
from collections.abc import Collection
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

log = logging.getLogger(__name__)

_MAGIC = b"cb-derived-1\n"
_DIGEST_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,200}")


class Shelf:
    """A folder of arrays, each with a few words about it; safe to delete, safe to share between processes."""

    def __init__(self, folder: Path) -> None:
        """Keep arrays below `folder`, which is made when the first one is put there."""
        self._folder = folder

    def get(self, name: str) -> tuple[dict[str, Any], npt.NDArray[np.int32] | npt.NDArray[np.int64]] | None:
        """Return what is said of an array, and the array; None if it is not there or is damaged."""
        try:
            data = (self._folder / _checked(name)).read_bytes()
        except OSError:
            return None
        body = data[len(_MAGIC) + _DIGEST_BYTES :]
        if data[: len(_MAGIC)] != _MAGIC or data[len(_MAGIC) :][:_DIGEST_BYTES] != hashlib.sha256(body).digest():
            log.warning("derived.damaged", extra={"file": name})
            return None
        said, _, packed = body.partition(b"\n")
        return json.loads(said), np.load(BytesIO(packed), allow_pickle=False)

    def put(self, name: str, said: dict[str, Any], array: npt.NDArray[np.int32] | npt.NDArray[np.int64]) -> None:
        """Keep an array; a reader sees the old one or the new one. A full or read-only disk is logged and survived."""
        packed = BytesIO()
        np.save(packed, array, allow_pickle=False)
        body = json.dumps(said, separators=(",", ":")).encode() + b"\n" + packed.getvalue()
        draft = self._folder / f".{_checked(name)}.{secrets.token_hex(6)}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(_MAGIC + hashlib.sha256(body).digest() + body)
            draft.replace(self._folder / name)
        except OSError as error:
            log.warning("derived.unkept", extra={"file": name, "why": str(error)})
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)

    def keep_only(self, names: Collection[str]) -> None:
        """Remove every file but these, drafts of killed writers too."""
        wanted = set(names)
        try:
            found = list(self._folder.iterdir())
        except OSError:
            return
        for path in found:
            if path.name not in wanted and path.is_file():
                path.unlink(missing_ok=True)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name) or name.startswith("."):
        raise ValueError(f"a kept array is called by letters, digits, '_', '.' and '-', got {name!r:.80}")
    return name
