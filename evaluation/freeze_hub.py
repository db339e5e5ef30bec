"""What a model is right now: the commit that a name of the hub means, and the sha256 of each file that is read.

Nothing is kept: files whose sha256 the hub does not say (small ones) are fetched into a folder of the call's own.
"""

import contextlib
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluation.codec import sha256_of_file
from evaluation.errors import CastboardError, MissingDependency
from evaluation.models import LOCAL, is_safe_name

if TYPE_CHECKING:
    from huggingface_hub import HfApi

Choose = Callable[[Collection[str]], Sequence[str]]
"""Picks the files that are read from all files of a model; raises ProtocolError if it lacks one."""

_TIMEOUT_S = 30.0


class ModelUnresolved(CastboardError):
    """What a model is cannot be found out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """One model, nailed down."""

    revision: str
    """Commit, 40 hex digits; "local" for a folder."""
    files: Mapping[str, str]
    """sha256 (hex) of every file that is read, by path."""


def from_hub(repo: str, revision: str | None, choose: Choose, *, endpoint: str | None = None) -> Resolved:
    """Return what `revision` of a model on the hub is now.

    Args:
        repo: "owner/name".
        revision: branch, tag or commit; None for the default branch.
        choose: picks the files that are read.
        endpoint: address of another hub, to which no token is sent; None for the client's own.

    Raises:
        MissingDependency: without the hub's client.
        ModelUnresolved: if the hub cannot be reached, has no such model or revision, or gives no good answer.
        ProtocolError: if the model lacks a file.
    """
    api = _client(endpoint)
    with _sentences(repo, revision):
        return _ask(api, repo, revision, choose)


def from_folder(repo: str, choose: Choose, models: Path) -> Resolved:
    """Return what the folder of a model that is on no hub holds now.

    Args:
        repo: its name; its folder below `models` is called so, with "--" for "/".
        choose: picks the files that are read.
        models: folder of all models.

    Raises:
        ModelUnresolved: if there is no such folder.
        ProtocolError: if it lacks a file.
    """
    folder = models / repo.replace("/", "--")
    if not is_safe_name(repo) or not folder.is_dir():
        raise ModelUnresolved(f"{repo!r:.120}: there is no folder {folder}; copy the model there, or name a revision")
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    chosen = _chosen(repo, names, choose)
    return Resolved(revision=LOCAL, files={name: sha256_of_file(folder / name) for name in chosen})


@contextlib.contextmanager
def opened(
    repo: str, resolved: Resolved, names: Collection[str], models: Path, *, endpoint: str | None = None
) -> Iterator[Path]:
    """Give a folder in which those of the files `names` lie that were resolved; it may hold others.

    Args:
        repo: name of the model.
        resolved: what it is.
        names: small files.
        models: folder of all models.
        endpoint: as for `from_hub`.

    Raises:
        MissingDependency: without the hub's client.
        ModelUnresolved: if the hub does not give one, or gives another than it told of.
    """
    if resolved.revision == LOCAL:
        yield models / repo.replace("/", "--")
        return
    wanted = [name for name in names if name in resolved.files]
    api = _client(endpoint)
    with tempfile.TemporaryDirectory(prefix="castboard-freeze-") as folder:
        with _sentences(repo, resolved.revision):
            fetched = dict(_fetched(api, repo, resolved.revision, wanted, Path(folder)))
        for name, sha256 in fetched.items():
            if sha256 != resolved.files[name]:
                raise ModelUnresolved(
                    f"{repo!r:.120}: the hub says that {name} has the sha256 {resolved.files[name]}, and gave {sha256}"
                )
        yield Path(folder)


def _client(endpoint: str | None) -> "HfApi":
    try:
        from huggingface_hub import HfApi
    except ImportError:
        raise MissingDependency("huggingface_hub", "pip install huggingface_hub") from None
    return HfApi(endpoint=endpoint, token=False if endpoint else None)


@contextlib.contextmanager
def _sentences(repo: str, revision: str | None) -> Iterator[None]:
    """Turn what the hub's client raises inside the block into one sentence."""
    from huggingface_hub.errors import HTTPError

    try:
        yield
    except (HTTPError, OSError, ValueError, KeyError) as error:
        sentence = str(error).strip().partition("\n")[0].partition(". ")[0]
        raise ModelUnresolved(
            f"{repo!r:.120} at {revision or 'its default branch'!r:.80}: the hub gave no answer that can be used "
            f"({type(error).__name__}: {sentence:.160})"
        ) from error


def _ask(api: "HfApi", repo: str, revision: str | None, choose: Choose) -> Resolved:
    info = api.model_info(repo, revision=revision, files_metadata=True, timeout=_TIMEOUT_S)
    commit = info.sha
    if not commit:
        raise ModelUnresolved(f"{repo!r:.120}: the hub names no commit")
    told = {one.rfilename: one.lfs.sha256 if one.lfs else None for one in info.siblings or ()}
    chosen = _chosen(repo, sorted(told), choose)
    with tempfile.TemporaryDirectory(prefix="castboard-freeze-") as folder:
        fetched = dict(_fetched(api, repo, commit, [name for name in chosen if told[name] is None], Path(folder)))
    return Resolved(revision=commit, files={name: told[name] or fetched[name] for name in chosen})


def _fetched(api: "HfApi", repo: str, commit: str, names: Sequence[str], folder: Path) -> Iterator[tuple[str, str]]:
    for name in names:
        path = api.hf_hub_download(repo, name, revision=commit, local_dir=folder)
        yield name, sha256_of_file(Path(path))


def _chosen(repo: str, names: Sequence[str], choose: Choose) -> Sequence[str]:
    chosen = choose(names)
    unsafe = [name for name in chosen if not is_safe_name(name)]
    if unsafe:
        raise ModelUnresolved(f"{repo!r:.120}: the file name {unsafe[0]!r:.80} could leave the model's folder")
    return chosen
