"""The submit page's other way: a public dataset repo at a pinned commit is named, and this machine fetches it."""

from pathlib import Path
from typing import Any

from leaderboard.context import Context
from leaderboard.people_form import SIGNED_OUT, Profile
from submissions.by_reference import fetch
from submissions.references import MOST_CHARS
from submissions.store.hub_download import OnProgress

MOST_S = 900.0
"""Longest that the page waits for a hub, s."""
_MIB = 1 << 20
_BOTH = "There is a zip and a repo. Take the one away that you do not mean."
_SIGN_IN = f"{SIGNED_OUT}: a repo is fetched for people who are signed in."


def box(gr: Any) -> Any:
    """Return the text field in which a repo is named."""
    return gr.Textbox(
        label="Or a public dataset repo of the hub, at a commit",
        placeholder="org/name@COMMIT, org/name@COMMIT:path/in/repo.zip, or the file's address",
        info="The one zip in it, or a folder of clips. It is fetched without any token, and its address is published.",
        lines=1,
        max_lines=1,
        max_length=MOST_CHARS,
        elem_id="submit-reference",
    )


def reporter(progress: Any) -> OnProgress:
    """Return what tells gradio's progress bar how far a fetch is."""

    def tell(n_here: int, n_all: int) -> None:
        progress((n_here / _MIB, max(1.0, n_all / _MIB)), desc="Fetching", unit="MiB")

    return tell


def why_not(context: Context, path: str | None, ref: str, profile: Profile | None) -> str | None:
    """Return why nothing is fetched, in a sentence, or None if what was given makes sense.

    Args:
        context: the site.
        path: the uploaded file, or None.
        ref: what stands in the field, without outer white space.
        profile: what the session holds of who asks; None for nobody.
    """
    if ref and path is not None:
        return _BOTH
    if ref and context.identity.person(profile) is None:
        return _SIGN_IN
    return None


def zip_of(path: str | None, ref: str, context: Context, folder: Path, on_fetch: OnProgress) -> tuple[Path, str | None]:
    """Return the zip, fetched into `folder` if it was named, and the public address that it came from.

    Raises:
        SubmissionError: if the reference is not one that can be taken.
        StoreUnavailable: if the hub cannot be asked now, or takes too long.
    """
    if path is not None:
        return Path(path), None
    into = folder / "fetched"
    into.mkdir()
    found = fetch(ref, into, limits=context.archive_limits, on_progress=on_fetch, most_s=MOST_S)
    return found.zip_path, found.source
