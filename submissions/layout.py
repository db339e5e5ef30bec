"""The published layout: where each file lies, what it holds, and how it is read. `publish` alone writes it.

    protocols/<protocol>.json                     the recipe, canonical bytes, so its hash is its name
    systems/<submission>.json                     the public card and the provenance
    per_sample/<protocol>/<submission>.parquet    one row an item, see `columns`
    clips/<submission>.parquet                    canonical FLAC bytes, row groups of at most 16 clips
    replies/<protocol>/<submission>.parquet       a judge's raw replies, see `replies`; only if the protocol has a judge
    results/<protocol>/<submission>.json          the summary and the sha256 of those above: the commit point
    board/<protocol>/leaderboard.parquet          derived, see `board`
    board/<protocol>/decisions.parquet            derived, see `board`
    README.md                                     derived, see `dataset_card`

What may stand beside a board, and no row is made of:

    cards/<protocol>/<trait>.json                 how well an instrument reads labelled clips
    people/<protocol>.json                        how far the judge agrees with people
    duels/<protocol>/<a>--<b>.json, .parquet      a direct comparison of two systems and the judge's replies to it
    renames/<submission>.json                     names that a board shows instead of the card's, see `renaming`
    contours/<submission>.parquet                 what is needed to draw the clips, made of them alone, see `contours`
    votes/<protocol>.jsonl                        what people heard in blind listening tests, see `votes`
    log/moderation.jsonl                          what operators did to what is published, and why; see `moderation`

A submission is on a protocol's board if, and only if, its result file exists.
"""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from evaluation import protocol as recipe
from evaluation.errors import ProtocolError, SchemaError
from evaluation.protocol import Protocol
from evaluation.records import ItemId
from submissions import parquet
from submissions.result import Result, SystemFile, decode_result, decode_system
from submissions.store.base import PublishedFiles

DATASET_CARD = "README.md"
"""Where the dataset card lies."""
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

MODERATION = "log/moderation.jsonl"
"""Where the public log of the operators' acts lies."""

_NAME = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_DUELLIST = r"(?=[A-Za-z0-9])(?:(?!--)[A-Za-z0-9_-]){1,64}(?<!-)"
_ADDITION = (
    rf"cards/({_NAME})/{_NAME}\.json|people/({_NAME})\.json|duels/({_NAME})/{_DUELLIST}--{_DUELLIST}\.(?:json|parquet)"
    rf"|votes/({_NAME})\.jsonl"
)
_PATH = re.compile(
    rf"(?:protocols|systems|renames)/{_NAME}\.json|(?:clips|contours)/{_NAME}\.parquet|(?:per_sample|replies)/{_NAME}/{_NAME}\.parquet"
    rf"|results/{_NAME}/{_NAME}\.json|board/{_NAME}/(?:leaderboard|decisions)\.parquet|README\.md|{_ADDITION}"
    rf"|{re.escape(MODERATION)}"
)
_RESULTS = "results/"
_RENAMES = "renames/"


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


def contours_path(submission: str) -> str:
    """Return where the contours of a submission's clips lie."""
    return f"contours/{_safe(submission)}.parquet"


def votes_path(protocol_id: str) -> str:
    """Return where the votes of people on a protocol's clips lie."""
    return f"votes/{_safe(protocol_id)}.jsonl"


def result_path(protocol_id: str, submission: str) -> str:
    """Return where a submission's result lies."""
    return f"{_RESULTS}{_safe(protocol_id)}/{_safe(submission)}.json"


def leaderboard_path(protocol_id: str) -> str:
    """Return where a protocol's leaderboard lies."""
    return f"board/{_safe(protocol_id)}/leaderboard.parquet"


def decisions_path(protocol_id: str) -> str:
    """Return where a protocol's decisions lie."""
    return f"board/{_safe(protocol_id)}/decisions.parquet"


def replies_path(protocol_id: str, submission: str) -> str:
    """Return where the judge's raw replies about a submission lie."""
    return f"replies/{_safe(protocol_id)}/{_safe(submission)}.parquet"


def card_path(protocol_id: str, trait: str) -> str:
    """Return where the card of a protocol's instrument of a trait lies."""
    return f"cards/{_safe(protocol_id)}/{_safe(trait)}.json"


def people_path(protocol_id: str) -> str:
    """Return where the report of a protocol's judge and people lies."""
    return f"people/{_safe(protocol_id)}.json"


def duel_path(protocol_id: str, a: str, b: str) -> str:
    """Return where the direct comparison of two submissions lies, whichever way round they are named.

    Raises:
        ValueError: for names that cannot name a file, one name twice, or one that holds "--".
    """
    first, second = sorted((a, b))
    path = f"duels/{_safe(protocol_id)}/{first}--{second}.json"
    if first == second or not is_published(path):
        raise ValueError(f"a duel is of two submissions without '--' in their names, got {a!r:.80} and {b!r:.80}")
    return path


def duel_replies_path(protocol_id: str, a: str, b: str) -> str:
    """Return where the judge's replies to a direct comparison lie; raises as `duel_path` does."""
    return duel_path(protocol_id, a, b).removesuffix(".json") + ".parquet"


def rename_path(submission: str) -> str:
    """Return where a submission's granted names lie."""
    return f"{_RENAMES}{_safe(submission)}.json"


def renames(files: PublishedFiles) -> tuple[str, ...]:
    """Return the paths of all granted names, sorted."""
    return tuple(path for path in files.paths(_RENAMES) if is_published(path))


def source_paths(protocol_id: str, submission: str, *, is_judged: bool = False) -> tuple[str, ...]:
    """Return the paths of the files that a result is made of: recipe, system, samples, clips.

    Args:
        protocol_id: the protocol's id.
        submission: the row's submission.
        is_judged: whether the protocol has a judge: its replies are then the fifth.
    """
    paths = (
        protocol_path(protocol_id),
        system_path(submission),
        samples_path(protocol_id, submission),
        clips_path(submission),
    )
    return (*paths, replies_path(protocol_id, submission)) if is_judged else paths


def addition_to(path: str) -> str | None:
    """Return the protocol beside whose board a card, a report, a duel or votes stand, or None for any other path."""
    found = re.fullmatch(_ADDITION, path)
    return next((name for name in found.groups() if name), None) if found else None


def additions(files: PublishedFiles, protocol_id: str) -> tuple[str, ...]:
    """Return the cards, the report, the duels and the votes that stand beside a protocol's board, sorted."""
    found = (path for folder in ("cards/", "people/", "duels/", "votes/") for path in files.paths(folder))
    return tuple(sorted(path for path in found if addition_to(path) == protocol_id))


def duels_of(files: PublishedFiles, submission: str) -> tuple[str, ...]:
    """Return the paths of all duels that a submission takes part in, under every protocol, sorted."""
    found = (path for path in files.paths("duels/") if addition_to(path) is not None)
    return tuple(sorted(path for path in found if submission in Path(path).stem.split("--")))


def is_name(text: str) -> bool:
    """Return whether `text` can name a published submission or protocol."""
    return re.fullmatch(_NAME, text) is not None


def is_published(path: str) -> bool:
    """Return whether `path` belongs to the published layout."""
    return _PATH.fullmatch(path) is not None


def is_of_board(path: str) -> bool:
    """Return whether `path` is one of the few small files that a protocol's board is shown from."""
    return path.startswith(("protocols/", "board/", _RENAMES)) and is_published(path)


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
    return dict(_composites(_Opened(files, path), path, files.version(path)))


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
    known = _known_ids(where, files.version(where))
    with opened(files, where) as file:
        group = _group_of(file, where, known, item_id)
        table = parquet.read_group(file, group, ["item_id", "flac"], where) if group is not None else None
    ids = table["item_id"].to_pylist() if table is not None else []
    if table is None or item_id not in ids:
        known.clear()
        raise KeyError(f"{where} has no clip of {item_id}")
    flac: bytes = table["flac"][ids.index(item_id)].as_py()
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


@dataclass(frozen=True, slots=True)
class _Opened:
    """Opens a file for what is remembered of it; the same path of the same version is the same file."""

    files: PublishedFiles = field(compare=False)
    """Where it lies."""
    path: str
    """Its path."""

    def parquet(self) -> AbstractContextManager[pq.ParquetFile]:
        """Return the file, opened for the length of a `with` block."""
        return opened(self.files, self.path)


@contextmanager
def opened(files: PublishedFiles, path: str) -> Iterator[pq.ParquetFile]:
    """Open a published table for the length of a `with` block; only what is asked of it is read.

    Raises:
        FileNotFoundError: if there is none.
        SchemaError: if it is damaged or of an unknown version.
    """
    with files.open(path) as source, parquet.open_file(source, path) as file:
        yield file


@lru_cache(maxsize=256)
def _known_ids(where: str, version: str) -> dict[int, tuple[str, ...]]:  # noqa: ARG001 - what the answer is of
    """Return the items of the row groups that were looked into, by group; filled by `_group_of`."""
    return {}


def _group_of(file: pq.ParquetFile, where: str, known: dict[int, tuple[str, ...]], item_id: str) -> int | None:
    """Return the row group that holds an item, or None.

    The publisher writes items in order, so that a few looks are enough where each costs a fetch; whoever did not, is
    read through.
    """

    def ids(group: int) -> tuple[str, ...]:
        if group not in known:
            known[group] = tuple(parquet.read_group(file, group, ["item_id"], where)["item_id"].to_pylist())
        return known[group]

    n_groups: int = file.num_row_groups
    low, high = 0, n_groups - 1
    while low <= high:
        middle = (low + high) // 2
        found = ids(middle)
        if item_id in found:
            return middle
        if found and item_id < found[0]:
            high = middle - 1
        elif found and item_id > found[-1]:
            low = middle + 1
        else:
            break
    return next((group for group in range(n_groups) if item_id in ids(group)), None)


@lru_cache(maxsize=2048)
def _composites(source: _Opened, where: str, _: str) -> tuple[tuple[str, int], ...]:
    """Return item id and composite of every row; a board of hundreds asks for them at each new row."""
    columns = ["item_id", "composite_micro"]
    with source.parquet() as file:
        groups = [parquet.read_group(file, index, columns, where) for index in range(file.num_row_groups)]
    return tuple(pair for group in groups for pair in zip(*group.to_pydict().values(), strict=True))


def _safe(name: str) -> str:
    if not is_name(name):
        raise ValueError(f"a published name is 1 to 64 letters, digits, '_' or '-', got {name!r:.80}")
    return name


def _results(files: PublishedFiles) -> list[tuple[str, str]]:
    found = (re.fullmatch(rf"{_RESULTS}({_NAME})/({_NAME})\.json", path) for path in files.paths(_RESULTS))
    return sorted((match[1], match[2]) for match in found if match)
