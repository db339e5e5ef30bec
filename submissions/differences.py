"""Where two published values differ: tables cell by cell, JSON value by value. Pure."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

_SHOWN = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where the published files are not what they say they are."""

    path: str
    """The file that is wrong, relative to the root of the published layout."""
    where: str
    """Place in the file: a field, a row and column, or "file"."""
    published: str
    """What stands there, cut to a line."""
    recomputed: str
    """What should stand there, cut to a line."""

    def sentence(self) -> str:
        """Return the whole on one line."""
        return f"{self.path}: {self.where}: published {self.published}, recomputed {self.recomputed}"


def difference(path: str, where: str, published: object, recomputed: object) -> Difference:
    """Return a difference with both values cut to a line."""
    return Difference(path=path, where=where, published=_shown(published), recomputed=_shown(recomputed))


def table_differences(path: str, published: pa.Table, recomputed: pa.Table, key: str) -> Iterator[Difference]:
    """Yield every cell in which two tables differ; columns or numbers of rows first, which end the comparison.

    Args:
        path: the published file.
        published: its table.
        recomputed: what it should be.
        key: column that names a row for a reader.
    """
    if published.schema != recomputed.schema:
        yield _schema_difference(path, published.schema, recomputed.schema)
        return
    if published.num_rows != recomputed.num_rows:
        yield difference(path, "number of rows", published.num_rows, recomputed.num_rows)
        return
    names = recomputed[key]
    for column in recomputed.column_names:
        if published[column].equals(recomputed[column]):
            continue
        pairs = zip(published[column].to_pylist(), recomputed[column].to_pylist(), strict=True)
        for row, (was, should) in enumerate(pairs):
            if repr(was) != repr(should):  # as text, so that a NaN is itself and 0.0 is not -0.0
                yield difference(path, f"row {row} ({names[row].as_py()}), column {column}", was, should)


def json_difference(path: str, published: bytes, recomputed: bytes) -> Difference:
    """Return the first value in which two JSON files differ, or that only their bytes do.

    Args:
        path: the published file.
        published: its bytes, perhaps no JSON at all.
        recomputed: what they should be.
    """
    try:
        was = json.loads(published)
    except (ValueError, RecursionError) as error:
        return difference(path, "file", f"not readable JSON: {error}", "JSON")
    for place, one, other in _value_differences("", was, json.loads(recomputed)):
        return difference(path, place or "file", one, other)
    return difference(path, "file", "the same values in other bytes", "canonical JSON")


def _schema_difference(path: str, published: pa.Schema, recomputed: pa.Schema) -> Difference:
    was, should = ([str(field) for field in schema] for schema in (published, recomputed))
    extra, missing = sorted(set(was) - set(should)), sorted(set(should) - set(was))
    return difference(path, "columns", ", ".join(extra) or "another order", ", ".join(missing) or "the known order")


def _value_differences(place: str, one: object, other: object) -> Iterator[tuple[str, object, object]]:
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            inner = f"{place}.{key}" if place else key
            if key not in one or key not in other:
                yield inner, one.get(key, "no such field"), other.get(key, "no such field")
            else:
                yield from _value_differences(inner, one[key], other[key])
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _value_differences(f"{place}[{index}]", left, right)
    elif repr(one) != repr(other):
        yield place, one, other


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    line = "".join(sign if sign.isprintable() else "\ufffd" for sign in text)
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
