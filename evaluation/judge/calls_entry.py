"""How one kept reply looks: the key's fields, the raw reply, what it used and cost, and when it was asked for."""

import json
import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from evaluation import codec
from evaluation.errors import SchemaError
from evaluation.judge.backend import Reply
from evaluation.judge.calls_key import CallKey

log = logging.getLogger(__name__)

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One kept reply."""

    key: CallKey
    """What was asked."""
    reply: Reply
    """What came back."""
    cost_micro_usd: int | None
    """What it cost, millionths of a US dollar; None if that is not known."""
    asked_at: str
    """When it came, ISO 8601, UTC."""


def written(key: CallKey, reply: Reply, cost_micro_usd: int | None, now: datetime) -> bytes:
    """Return the entry's canonical JSON."""
    at = now.astimezone(UTC).isoformat(timespec="seconds")
    entry = Entry(key=key, reply=reply, cost_micro_usd=cost_micro_usd, asked_at=at)
    return codec.canonical({"schema_version": SCHEMA_VERSION, **codec.to_json(entry)})


def read(data: bytes | None, key: CallKey) -> Entry | None:
    """Return the entry of `key`, or None if there is none or it is damaged (then it is asked for again)."""
    if data is None:
        return None
    try:
        entry = _entry(json.loads(data))
    except (ValueError, SchemaError) as error:
        log.warning("judge.cache_damaged", extra={"entry": key.name, "why": str(error)[:200]})
        return None
    if entry.key != key:
        log.warning("judge.cache_damaged", extra={"entry": key.name, "why": "it holds another call's reply"})
        return None
    return entry


def _entry(data: Any) -> Entry:
    if not isinstance(data, dict) or data.get("schema_version") != SCHEMA_VERSION:
        raise SchemaError(f"a kept reply must be an object with schema_version {SCHEMA_VERSION}")
    return codec.from_json(Entry, {name: value for name, value in data.items() if name != "schema_version"})
