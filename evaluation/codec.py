"""Records to canonical JSON and back; the only place that knows how a record looks on disk.

Canonical JSON: UTF-8, keys sorted, separators "," and ":", no NaN. The same value always gives
the same bytes, so a hash of the bytes is a hash of the value.
"""

import dataclasses
import functools
import hashlib
import json
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from evaluation.errors import SchemaError

R = TypeVar("R")

OPTIONAL: Mapping[str, object] = {"is_optional": True}
"""Metadata of a record's field that came later: left out while it holds its default, so that older bytes stay valid."""


def canonical(value: object) -> bytes:
    """Return the canonical JSON bytes of a JSON-ready `value`.

    Raises:
        ValueError: for NaN or infinity.
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def sha256_of(data: bytes) -> str:
    """Return the sha256 of `data` in hex."""
    return hashlib.sha256(data).hexdigest()


def sha256_of_file(path: Path) -> str:
    """Return the sha256 of a file in hex, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def to_json(value: object) -> Any:
    """Turn a record into JSON-ready values; a record in a union is tagged with its class name as "is"."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        held = {
            field.name: getattr(value, field.name)
            for field in dataclasses.fields(value)
            if not _is_left_out(field, value)
        }
        return {"is": type(value).__name__, **{name: to_json(member) for name, member in held.items()}}
    if isinstance(value, Mapping):
        return {str(key): to_json(member) for key, member in value.items()}
    if isinstance(value, tuple | list):
        return [to_json(member) for member in value]
    return value


def from_json(kind: type[R], data: object) -> R:
    """Build a `kind` record from what `to_json` gave.

    Raises:
        SchemaError: if a field is missing, unknown or of another type.
    """
    return _build(kind, data, kind.__name__)  # type: ignore[no-any-return]


def read_record(kind: type[R], data: bytes, where: str, *, version: int) -> R:
    """Build a `kind` record from the bytes of a JSON file that says its schema version.

    Args:
        kind: class of the record.
        data: JSON, canonical or not.
        where: path, for messages.
        version: the schema version that is read.

    Raises:
        SchemaError: if it is no JSON, of another version, malformed, or holds what is no number.
    """
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SchemaError(f"{where}: not readable as JSON: {error}") from error
    if not isinstance(fields, dict) or fields.pop("schema_version", None) != version:
        raise SchemaError(f"{where}: schema_version must be {version}")
    try:
        record = from_json(kind, fields)
        canonical(to_json(record))  # refuses what is no number
    except (SchemaError, ValueError) as error:
        raise SchemaError(f"{where}: {error}") from error
    return record


def write_record(record: object, *, version: int) -> bytes:
    """Return the canonical JSON bytes of a record that stands alone, with its schema version and without its kind."""
    fields = {name: value for name, value in to_json(record).items() if name != "is"}
    return canonical({"schema_version": version, **fields})


def _build(kind: Any, data: object, where: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _build_union(get_args(kind), data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise SchemaError(f"{where}: expected a list, got {type(data).__name__}")
        return tuple(_build(get_args(kind)[0], member, f"{where}[{i}]") for i, member in enumerate(data))
    if origin is Literal:
        if data not in get_args(kind):
            raise SchemaError(f"{where}: expected one of {list(get_args(kind))}, got {data!r:.80}")
        return data
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(data, dict):
            raise SchemaError(f"{where}: expected an object, got {type(data).__name__}")
        return {key: _build(get_args(kind)[1], member, f"{where}.{key}") for key, member in data.items()}
    if dataclasses.is_dataclass(kind):
        return _build_record(kind, data, where)
    return _plain(kind, data, where)


def _build_union(kinds: tuple[Any, ...], data: object, where: str) -> Any:
    if data is None and type(None) in kinds:
        return None
    tag = data.get("is") if isinstance(data, dict) else None
    for kind in kinds:
        if dataclasses.is_dataclass(kind):
            if isinstance(kind, type) and kind.__name__ == tag:
                return _build(kind, data, where)
        elif kind is not type(None) and tag is None:
            return _build(kind, data, where)
    raise SchemaError(f"{where}: none of {[getattr(k, '__name__', k) for k in kinds]} fits {tag or data!r:.80}")


def _build_record(kind: Any, data: object, where: str) -> Any:
    if not isinstance(data, dict):
        raise SchemaError(f"{where}: expected an object, got {type(data).__name__}")
    hints = _hints(kind)
    names = {field.name for field in dataclasses.fields(kind)}
    needed = {field.name for field in dataclasses.fields(kind) if not field.metadata.get("is_optional")}
    got = set(data) - {"is"}
    missing, unknown = sorted(needed - got), sorted(got - names)
    if missing or unknown:
        raise SchemaError(f"{where}: missing fields {missing}, unknown fields {unknown}")
    return kind(**{name: _build(hints[name], data[name], f"{where}.{name}") for name in got})


def _is_left_out(field: "dataclasses.Field[Any]", record: object) -> bool:
    if not field.metadata.get("is_optional"):
        return False
    factory = field.default_factory
    default = field.default if factory is dataclasses.MISSING else factory()
    return bool(getattr(record, field.name) == default)


@functools.cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _plain(kind: Any, data: object, where: str) -> Any:
    kind = getattr(kind, "__supertype__", kind)  # NewType
    if kind is float and isinstance(data, int) and not isinstance(data, bool):
        return float(data)
    if isinstance(kind, type) and (not isinstance(data, kind) or (kind is int and isinstance(data, bool))):
        raise SchemaError(f"{where}: expected {kind.__name__}, got {type(data).__name__}")
    return data
