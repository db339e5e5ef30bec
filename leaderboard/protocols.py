"""The protocols that this machine knows: those that ship, those frozen here, those of the published boards."""

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation import protocol as recipe
from evaluation.errors import ProtocolError
from evaluation.freeze_draft import DRAFTS
from evaluation.protocol import Protocol
from leaderboard.settings import Settings
from leaderboard.stores import published_files
from submissions import layout
from submissions.store import atomic

Source = Literal["shipped", "frozen here", "published"]

FOLDER = "protocols"
"""Folder of the home that holds protocols that were frozen on this machine."""
LEAST_PREFIX = 6
"""Fewest hex digits by which a protocol may be named."""
_ID = re.compile(rf"[0-9a-f]{{{LEAST_PREFIX},{recipe.ID_LENGTH}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """One protocol that this machine knows."""

    protocol: Protocol
    """The protocol."""
    source: Source
    """Where it was found first."""
    n_rows: int
    """Rows that it has on this machine."""


def find(settings: Settings, name: str) -> Protocol:
    """Return the protocol that `name` means.

    Args:
        settings: say where the home is.
        name: name of a shipped protocol; an id, or at least LEAST_PREFIX digits that begin only one id; the path of
            a file that ends in .json; or the name of the only known protocol that is called so.

    Raises:
        ProtocolError: if it means none or several, or the file is damaged.
    """
    if name.endswith(".json"):
        return recipe.load(name)
    if (recipe.SHIPPED / f"{name}.json").is_file() and "/" not in name:
        return recipe.load_shipped(name)
    everything = [one.protocol for one in known(settings)]
    by_id = [one for one in everything if _ID.fullmatch(name) and one.id.startswith(name)]
    found = by_id or [one for one in everything if one.name == name]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"{one.id} ({one.name})" for one in found or everything)
    if found:
        raise ProtocolError(f"{name!r:.80} means {len(found)} protocols, name one by more of its id: {listed}")
    if name in {path.stem for path in DRAFTS.glob("*.toml")}:
        raise ProtocolError(
            f"{name!r} is a draft, no protocol yet; app.py protocol freeze {name} makes one, or says what it lacks"
        )
    raise ProtocolError(
        f"no protocol is called {name!r:.80}; give a name, an id or its first {LEAST_PREFIX} digits or more, or a "
        f".json file; known are {listed}"
    )


def known(settings: Settings) -> tuple[Known, ...]:
    """Return every known protocol once: shipped ones by name, then those frozen here and published ones by id.

    Raises:
        ProtocolError: if a file is damaged, or is not named by its id where it must be.
    """
    files = published_files(settings)
    found: dict[str, tuple[Protocol, Source]] = {}
    for path in sorted(recipe.SHIPPED.glob("*.json")):
        shipped = recipe.load_shipped(path.stem)
        found.setdefault(shipped.id, (shipped, "shipped"))
    for path in sorted(folder(settings).glob("*.json")):
        frozen = layout.decode_protocol(path.read_bytes(), str(path))
        found.setdefault(frozen.id, (frozen, "frozen here"))
    for protocol_id, published in layout.read_protocols(files).items():
        found.setdefault(protocol_id, (published, "published"))
    return tuple(
        Known(protocol=protocol, source=source, n_rows=len(layout.committed(files, protocol_id)))
        for protocol_id, (protocol, source) in found.items()
    )


def at_home(home: Path, own: Sequence[Protocol]) -> tuple[Protocol, ...]:
    """Return `own` and every protocol that was frozen on this machine; a damaged file is left out."""
    found = list(own)
    for path in sorted((home / FOLDER).glob("*.json")):
        with contextlib.suppress(ProtocolError, OSError):
            found.append(layout.decode_protocol(path.read_bytes(), path.name))
    return tuple(found)


def keep(settings: Settings, protocol: Protocol) -> Path:
    """Write a frozen protocol into the home, under its id, and return its path; again is no change.

    Raises:
        ProtocolError: if the file of that id holds something else, which is left as it is.
    """
    path = folder(settings) / f"{protocol.id}.json"
    data = recipe.encode(protocol)
    if path.exists():
        if path.read_bytes() != data:
            raise ProtocolError(f"{path} holds something else than protocol {protocol.id}; look at it, then move it")
        return path
    atomic.replace(path, data)
    return path


def keep_known(settings: Settings, protocol: Protocol) -> None:
    """Keep a protocol in the home unless this machine knows it: a worker must find it by its id alone."""
    if all(one.protocol.id != protocol.id for one in known(settings)):
        keep(settings, protocol)


def folder(settings: Settings) -> Path:
    """Return where protocols that were frozen on this machine lie."""
    return settings.home / FOLDER
