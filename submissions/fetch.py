"""Copy a site's published files into a folder, so that anyone can verify them.

What is there already with the listed hash is kept, so a broken download goes on where it stopped.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from evaluation.codec import sha256_of_file
from evaluation.errors import CastboardError
from submissions import layout
from submissions.store import atomic

SCHEMA_VERSION = 1
INDEX = "published/index.json"
_TIMEOUT_S = 60.0
_MAX_INDEX_BYTES = 64 * 2**20
_N_TRIES = 3
_PAUSE_S = 2.0
_N_WAITS = 20
_LONGEST_WAIT_S = 60.0
_CHANGING = (404, 503)  # of a file that the list named: withdrawn or being replaced


class FetchError(CastboardError):
    """A site's published files could not be copied."""


class _Changing(FetchError):
    """The board changed while it was copied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What was copied."""

    n_fetched: int
    """Files downloaded."""
    n_kept: int
    """Files that were there with the listed hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listed:
    path: str
    n_bytes: int
    sha256: str | None


def fetch(url: str, folder: Path, *, on_file: Callable[[str], None] = lambda _: None) -> Fetched:
    """Copy every published file of the site at `url` into `folder`.

    Args:
        url: address of the site, http or https.
        folder: gets the published layout; made if absent.
        on_file: told of each file before it is downloaded.

    Raises:
        FetchError: if the site does not answer, its list is malformed, or a file is not what the list says.
    """
    tries_left = _N_TRIES
    fetched: set[str] = set()
    while True:
        tries_left -= 1
        try:
            with httpx.Client(base_url=url.rstrip("/") + "/", timeout=_TIMEOUT_S, follow_redirects=True) as client:
                files = list(_listed(client))
                for listed in files:
                    if _fetch_one(client, listed, folder, on_file):
                        fetched.add(listed.path)
            return Fetched(n_fetched=len(fetched), n_kept=len(files) - len(fetched))
        except _Changing as error:
            # The board changed under the list: what came over is kept, and a new list tells the rest.
            if not tries_left:
                raise FetchError(f"{error} Run the command again.") from error
            time.sleep(_PAUSE_S)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise FetchError(f"{url} cannot be fetched: {error}") from error


def _fetch_one(client: httpx.Client, listed: _Listed, folder: Path, on_file: Callable[[str], None]) -> bool:
    target = folder / listed.path
    if listed.sha256 and target.is_file() and sha256_of_file(target) == listed.sha256:
        return False
    on_file(listed.path)
    _download(client, listed, target)
    return True


def _listed(client: httpx.Client) -> Iterator[_Listed]:
    content = bytearray()
    with _steady(client, INDEX) as answer:
        for block in answer.iter_bytes():
            content += block
            if len(content) > _MAX_INDEX_BYTES:
                raise FetchError(f"{answer.url}: the list is larger than {_MAX_INDEX_BYTES:,} bytes")
    try:
        fields = json.loads(content)
        version, files = fields["schema_version"], fields["files"]
        listed = [_Listed(path=str(f["path"]), n_bytes=int(f["bytes"]), sha256=f["sha256"]) for f in files]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FetchError(f"{answer.url}: this is no list of published files: {error!r}") from error
    if version != SCHEMA_VERSION:
        raise FetchError(f"{answer.url}: schema_version must be {SCHEMA_VERSION}, got {version!r}")
    for one in listed:
        if not layout.is_published(one.path):
            raise FetchError(f"{answer.url}: {one.path!r} is no path of the published layout; nothing of it is written")
        yield one


def _download(client: httpx.Client, listed: _Listed, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name}.part")
    n_bytes = 0
    with _steady(client, f"published/{listed.path}") as answer, part.open("wb") as file:
        for block in answer.iter_bytes():
            n_bytes += len(block)
            if n_bytes > listed.n_bytes:
                break
            file.write(block)
    got = sha256_of_file(part)
    if n_bytes != listed.n_bytes or (listed.sha256 is not None and got != listed.sha256):
        part.unlink()
        raise _Changing(
            f"{listed.path}: expected {listed.n_bytes:,} bytes with sha256 {listed.sha256 or 'any'}, "
            f"got {n_bytes:,} bytes with {got}."
        )
    part.rename(target)
    atomic.sync_folder(target.parent)


@contextmanager
def _steady(client: httpx.Client, path: str) -> Iterator[httpx.Response]:
    """Give the answer of a site, waiting for as long as it says while it finds that too much is asked for."""
    for _ in range(_N_WAITS):
        with client.stream("GET", path) as answer:
            if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                _expect_steady(answer)
                yield answer
                return
            told = answer.headers.get("retry-after", "")
        time.sleep(min(int(told) if told.isascii() and told.isdecimal() else _PAUSE_S, _LONGEST_WAIT_S))
    raise FetchError(f"{client.base_url}{path}: the site keeps saying that too much is asked for. Try again later.")


def _expect_steady(answer: httpx.Response) -> None:
    if answer.status_code in _CHANGING:
        raise _Changing(f"{answer.url} answers {answer.status_code}: the board is changing.")
    answer.raise_for_status()
