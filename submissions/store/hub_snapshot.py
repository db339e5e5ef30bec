"""The published layout at one commit, for reading."""

from dataclasses import dataclass
from io import BufferedReader

from submissions.store import hub_listing
from submissions.store.hub_cache import Kind
from submissions.store.hub_listing import Listing
from submissions.store.hub_reader import Place, Reader

_CLIPS = "clips/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All files of one commit; each method is that of `submissions.store.base.PublishedFiles`."""

    reader: Reader
    """Fetches bytes."""
    listing: Listing
    """What there is."""
    prefix: str
    """Folder of the repo that holds the layout, with a slash at the end; empty for the root."""

    def paths(self, prefix: str = "") -> tuple[str, ...]:
        """Return the paths of all files that begin with `prefix`, sorted."""
        return tuple(sorted(path for path in self.listing.files if path.startswith(prefix)))

    def read(self, path: str) -> bytes:
        """Return a file's bytes; raises FileNotFoundError, StoreUnavailable."""
        return self.reader.read(self._place(path))

    def open(self, path: str) -> BufferedReader:
        """Return a file for reading at any place; raises FileNotFoundError, StoreUnavailable."""
        return self.reader.open(self._place(path))

    def size(self, path: str) -> int:
        """Return a file's size in bytes; raises FileNotFoundError if there is none."""
        return self._place(path).blob.size

    def version(self, path: str) -> str:
        """Return what changes whenever the file or folder at `path` does; "none" if there is nothing."""
        return self.listing.version(path)

    def _place(self, path: str) -> Place:
        hub_listing.see_path(path)
        blob = self.listing.files.get(path)
        if blob is None:
            raise FileNotFoundError(f"nothing is published at {path}")
        return Place(path=self.prefix + path, revision=self.listing.revision, blob=blob, kind=kind_of(path))


def kind_of(path: str) -> Kind:
    """Return how soon copies of a file may go."""
    return "clip" if path.startswith(_CLIPS) else "table"
