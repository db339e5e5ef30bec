"""Whether published contours belong to a submission's clips: of the same items, each read from the clip of its row."""

from collections.abc import Collection, Iterator
from pathlib import Path

from evaluation.codec import sha256_of
from evaluation.errors import SchemaError
from submissions import layout, parquet
from submissions.contours import read_contours
from submissions.differences import Difference, difference
from submissions.store.base import PublishedFiles

_COLUMNS = ["item_id", "clip_sha256", "is_declined"]
_NO_CLIP = "no such clip"


def contour_differences(files: PublishedFiles, path: str, damaged: Collection[str]) -> Iterator[Difference]:
    """Yield what contradicts a submission's contours; nothing if its rows are damaged themselves.

    Args:
        files: the published files.
        path: where the contours lie.
        damaged: paths that differ anyway; contours are not held against these.
    """
    submission = Path(path).stem
    data = files.read(path)
    try:
        drawn = {row.item_id: row.clip_sha256 for row in read_contours(files, submission)}
    except SchemaError as error:
        yield difference(path, "file", str(error).removeprefix(f"{path}: "), "contours of its clips")
        return
    if not parquet.is_sealed(data):
        found = f"changed after it was written, sha256 {sha256_of(data)}"
        yield difference(path, "seal", found, "as it was written")
    for protocol_id in layout.committed_protocols(files, submission):
        table = layout.samples_path(protocol_id, submission)
        if table in damaged:
            continue
        measured = _measured(files, protocol_id, submission)
        for item in sorted({*drawn, *measured}):
            was, should = drawn.get(item, _NO_CLIP), measured.get(item, _NO_CLIP)
            if was != should:
                yield difference(path, f"clip_sha256 of {item}", was, f"{should}, in {table}")
        return


def _measured(files: PublishedFiles, protocol_id: str, submission: str) -> dict[str, str]:
    """Return the hash of every clip that a row was measured from, by item."""
    try:
        lines = layout.read_samples(files, protocol_id, submission).select(_COLUMNS).to_pylist()
    except (SchemaError, FileNotFoundError, KeyError):  # told as a difference of the row
        return {}
    return {line["item_id"]: line["clip_sha256"] for line in lines if not line["is_declined"]}
