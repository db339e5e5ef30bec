"""JSON that a stranger sent: bounded before it is read, no repeated key, no value outside JSON, no endless nesting."""

import json
from typing import NoReturn

MAX_BYTES = 256 << 10
"""Largest JSON file of a submission."""


class BadJson(Exception):
    """The bytes are no JSON that is taken; the message says why, fit to be shown."""


def load(data: bytes) -> object:
    """Return the value that `data` holds.

    Raises:
        BadJson: it is not UTF-8, not JSON, too deep, or an object repeats a key.
    """
    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise BadJson(f"bytes that are not UTF-8 at {error.start:,}") from error
    except json.JSONDecodeError as error:
        raise BadJson(f"{error.msg} in line {error.lineno:,}, column {error.colno:,}") from error
    except RecursionError as error:
        raise BadJson("values nested too deeply") from error
    except ValueError as error:  # an integer of thousands of digits
        raise BadJson("a number that is too long") from error


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadJson("an object that repeats a key")
    return found


def _no_constant(name: str) -> NoReturn:
    raise BadJson(f"{name}, which is no JSON")
