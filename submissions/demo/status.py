"""How far the demo is: one small file that the Queue page shows; nothing is decided from it."""

import json
from dataclasses import dataclass
from pathlib import Path

from evaluation.codec import canonical, from_json, to_json
from evaluation.errors import SchemaError
from submissions.store import atomic

_FILE = "status.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStatus:
    """Where one demo system stands."""

    key: str
    """Key of the demo system."""
    name: str
    """Its name on the board."""
    stage: str
    """waiting, speaking, checking, sent or skipped."""
    done: int
    """Clips finished in the stage."""
    total: int
    """Clips of the stage; 0 while unknown."""
    submission: str | None
    """Its submission once it is sent."""
    message: str
    """Why it is skipped; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStatus:
    """Where the whole demo stands."""

    systems: tuple[SystemStatus, ...]
    """All systems of this demo, in the order in which they are made."""

    @property
    def is_finished(self) -> bool:
        """Whether every system is sent or skipped."""
        return all(system.stage in ("sent", "skipped") for system in self.systems)


def write_status(folder: Path, status: DemoStatus) -> None:
    """Replace the status in the demo's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    atomic.replace(folder / _FILE, canonical(to_json(status)))


def read_status(folder: Path) -> DemoStatus | None:
    """Return the status, or None if there is no demo or its file cannot be read by this version."""
    try:
        return from_json(DemoStatus, json.loads((folder / _FILE).read_bytes()))
    except (OSError, ValueError, SchemaError):
        return None
