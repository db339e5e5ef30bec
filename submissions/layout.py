"""The published layout: where each file lies, what it holds, and how it is read. `publish` alone writes it.

    protocols/<protocol>.json                     the recipe, canonical bytes, so its hash is its name
    systems/<submission>.json                     the public card and the provenance
    per_sample/<protocol>/<submission>.parquet    one row an item, see `columns`
    clips/<submission>.parquet                    canonical FLAC bytes, row groups of at most 16 clips
    results/<protocol>/<submission>.json          the summary and the sha256 of the four above: the commit point
    board/<protocol>/leaderboard.parquet          derived, see `board`
    board/<protocol>/decisions.parquet            derived, see `board`

A submission is on a protocol's board if, and only if, its result file exists.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from evaluation import protocol as recipe
from evaluation.errors import ProtocolError, SchemaError
from evaluation.protocol import Protocol
from evaluation.records import ItemId
from submissions import parquet
from submissions.result import Result, SystemFile, decode_result, decode_system
from submissions.store.base import PublishedFiles

CLIPS_PER_GROUP = 16
"""Most clips of one row group: what must be fetched to hear one clip."""

CLIPS_SCHEMA = pa.schema(
    [
        pa.field("item_id", pa.string(), nullable=False),
        pa.field("sha256", pa.string(), nullable=False),
        pa.field("flac", pa.binary(), nullable=False),
        pa.field("duration_s", pa.float64(), nullable=False),
        pa.field("rate_hz", pa.int64(), nullable=False),
        pa.field("bit_depth", pa.int64(), nullable=False),
    ]
)

_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_PATH = re.compile(
    rf"(?:protocols|systems)/{_NAME}\.json|clips/{_NAME}\.parquet|per_sample/{_NAME}/{_NAME}\.parquet"
    rf"|results/{_NAME}/{_NAME}\.json|board/{_NAME}/(?:leaderboard|decisions)\.parquet"
)
_RESULTS = "results/"
_State = tuple[int, int, int]


def protocol_path(protocol_id: str) -> str:
    """Return where a protocol's recipe lies."""
    return f"protocols/{_safe(protocol_id)}.json"


def system_path(submission: str) -> str:
    """Return where a submission's card and provenance lie."""
    return f"systems/{_safe(submission)}.json"


def samples_path(protocol_id: str, submission: str) -> str:
    """Return where a submission's per-sample table lies."""
    return f"per_sample/{_safe(protocol_id)}/{_safe(submission)}.parquet"


def clips_path(submission: str) -> str:
    """Return where a submission's clips lie."""
    return f"clips/{_safe(submission)}.parquet"


def result_path(protocol_id: str, submission: str) -> str:
    """Return where a submission's result lies."""
    return f"{_RESULTS}{_safe(protocol_id)}/{_safe(submission)}.json"


def leaderboard_path(protocol_id: str) -> str:
    """Return where a protocol's leaderboard lies."""
    return f"board/{_safe(protocol_id)}/leaderboard.parquet"


def decisions_path(protocol_id: str) -> str:
    """Return where a protocol's decisions lie."""
    return f"board/{_safe(protocol_id)}/decisions.parquet"


def source_paths(protocol_id: str, submission: str) -> tuple[str, str, str, str]:
    """Return the paths of the files that a result is made of: recipe, system, samples, clips."""
    return (
        protocol_path(protocol_id),
        system_path(submission),
        samples_path(protocol_id, submission),
        clips_path(submission),
    )


def is_name(text: str) -> bool:
    """Return whether `text` can name a published submission or protocol."""
    return re.fullmatch(_NAME, text) is not None


def is_published(path: str) -> bool:
    """Return whether `path` belongs to the published layout."""
    return _PATH.fullmatch(path) is not None


def committed(files: PublishedFiles, protocol_id: str) -> tuple[str, ...]:
    """Return the submissions that have a result under a protocol, sorted."""
    return tuple(name for protocol, name in _results(files) if protocol == protocol_id)


def committed_protocols(files: PublishedFiles, submission: str) -> tuple[str, ...]:
    """Return the protocols under which a submission has a result, sorted."""
    return tuple(protocol for protocol, name in _results(files) if name == submission)


def read_protocols(files: PublishedFiles) -> dict[str, Protocol]:
    """Return every published protocol by id, sorted by id.

    Raises:
        ProtocolError: if a file is damaged or does not hash to its name.
    """
    paths = [path for path in files.paths("protocols/") if is_published(path)]
    return {Path(path).stem: decode_protocol(files.read(path), path) for path in paths}


def decode_protocol(data: bytes, path: str) -> Protocol:
    """Return the protocol of a published file whose name must be its id.

    Raises:
        ProtocolError: if it is damaged, not canonical, or not what its name says.
    """
    try:
        found = recipe.decode(data, path)
    except RecursionError as error:
        raise ProtocolError(f"{path}: nested too deeply") from error
    if found.id != Path(path).stem or recipe.encode(found) != data:
        raise ProtocolError(f"{path}: the file's name must be the id of its content, which is {found.id}")
    return found


def read_results(files: PublishedFiles, protocol_id: str) -> tuple[Result, ...]:
    """Return the committed rows of a protocol, sorted by submission; raises as `decode_result` does."""
    paths = (result_path(protocol_id, submission) for submission in committed(files, protocol_id))
    return tuple(decode_result(files.read(path), path) for path in paths)


def read_system(files: PublishedFiles, submission: str) -> SystemFile:
    """Return card and provenance of a submission; raises as `decode_system` does."""
    path = system_path(submission)
    return decode_system(files.read(path), path)


def read_samples(files: PublishedFiles, protocol_id: str, submission: str) -> pa.Table:
    """Return a submission's per-sample table; raises SchemaError if it is damaged or of an unknown version."""
    path = samples_path(protocol_id, submission)
    return parquet.decode_table(files.read(path), path)


def read_composites(files: PublishedFiles, protocol_id: str, submission: str) -> dict[str, int]:
    """Return the composites (millionths) of a submission by item id, reading two columns only.

    Raises:
        SchemaError: if the table is damaged or of an unknown version.
    """
    path = samples_path(protocol_id, submission)
    local = files.local_path(path)
    return dict(_composites(local, path, _state(local)))


def read_leaderboard(files: PublishedFiles, protocol_id: str) -> pa.Table:
    """Return a protocol's leaderboard, best score first; raises as `read_samples` does."""
    path = leaderboard_path(protocol_id)
    return parquet.decode_table(files.read(path), path)


def read_decisions(files: PublishedFiles, protocol_id: str) -> pa.Table:
    """Return a protocol's decisions, one row a pair; raises as `read_samples` does."""
    path = decisions_path(protocol_id)
    return parquet.decode_table(files.read(path), path)


def read_clip(files: PublishedFiles, submission: str, item_id: ItemId) -> bytes:
    """Return the FLAC bytes of one clip, reading its row group only.

    Raises:
        KeyError: if the submission has no clip of that item.
        SchemaError: if the file is damaged or of an unknown version.
    """
    where = clips_path(submission)
    path = files.local_path(where)
    place = _clip_index(path, where, _state(path)).get(item_id)
    if place is None:
        raise KeyError(f"{where} has no clip of {item_id}")
    group, row = place
    with parquet.open_file(path, where) as file:
        flac: bytes = parquet.read_group(file, group, ["flac"], where)["flac"][row].as_py()
    return flac


def clip_rows(data: bytes, where: str) -> Iterator[dict[str, Any]]:
    """Yield every row of a file of clips, a row group in memory at a time.

    Raises:
        SchemaError: if it is damaged, of an unknown version, or not cut as it should be.
    """
    with parquet.open_file(pa.BufferReader(data), where) as file:
        for index in range(file.num_row_groups):
            group = parquet.read_group(file, index, CLIPS_SCHEMA.names, where)
            if group.schema.remove_metadata() != CLIPS_SCHEMA or group.num_rows > CLIPS_PER_GROUP:
                raise SchemaError(
                    f"{where}: row group {index} must be at most {CLIPS_PER_GROUP} rows of the known columns"
                )
            yield from group.to_pylist()


@lru_cache(maxsize=64)
def _clip_index(path: Path, where: str, _: _State) -> dict[str, tuple[int, int]]:
    """Return row group and row of every item."""
    with parquet.open_file(path, where) as file:
        groups = range(file.num_row_groups)
        columns = (parquet.read_group(file, group, ["item_id"], where)["item_id"].to_pylist() for group in groups)
        return {item: (group, row) for group, ids in enumerate(columns) for row, item in enumerate(ids)}


@lru_cache(maxsize=2048)
def _composites(path: Path, where: str, _: _State) -> tuple[tuple[str, int], ...]:
    """Return item id and composite of every row; a board of hundreds asks for them at each new row."""
    columns = ["item_id", "composite_micro"]
    with parquet.open_file(path, where) as file:
        groups = [parquet.read_group(file, index, columns, where) for index in range(file.num_row_groups)]
    return tuple(pair for group in groups for pair in zip(*group.to_pydict().values(), strict=True))


def _state(path: Path) -> _State:
    """Return what changes whenever a file is replaced, so that what is remembered belongs to one state of it."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, status.st_size


def _safe(name: str) -> str:
    if not is_name(name):
        raise ValueError(f"a published name is 1 to 64 letters, digits, '_' or '-', got {name!r:.80}")
    return name


def _results(files: PublishedFiles) -> list[tuple[str, str]]:
    found = (re.fullmatch(rf"{_RESULTS}({_NAME})/({_NAME})\.json", path) for path in files.paths(_RESULTS))
    return sorted((match[1], match[2]) for match in found if match)
