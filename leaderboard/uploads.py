"""What a visitor uploads, and that nothing else is ever taken for an upload.

A browser names the file that a form holds by its path on this machine. Gradio checks such a path in apps that it
launched itself, not in mounted ones, and fetches a web address that stands in the place of a path. Both are shut here.
"""

from pathlib import Path
from typing import Any

from evaluation.errors import CastboardError


class NotUploaded(CastboardError):
    """A form holds a file that nobody uploaded here, or that is gone again."""


def accepted(path: str, folder: Path) -> Path:
    """Return the uploaded file that a form names.

    Args:
        path: as the browser sent it; anything. Visitors know a file by its path inside the folder.
        folder: where uploads lie.

    Raises:
        NotUploaded: it is not a plain file of that folder.
    """
    root = folder.resolve()
    try:
        file = (root / path).resolve()
        is_ours = file.is_relative_to(root) and file.is_file()
    except (OSError, ValueError):  # a name that no file can have
        is_ours = False
    if not is_ours:
        raise NotUploaded("This file is not here, or no longer: an upload is kept for an hour. Choose the zip again.")
    return file


def named(path: str, folder: Path) -> str:
    """Return what a visitor knows an uploaded file by, which tells nothing of where uploads lie.

    Args:
        path: of the file.
        folder: where uploads lie.
    """
    return str(Path(path).resolve().relative_to(folder.resolve()))


def seal(blocks: Any) -> None:
    """Let every part of a gr.Blocks take files out of the upload folder alone, and every handler through the queue.

    Args:
        blocks: the whole site, complete.
    """
    for block in blocks.blocks.values():
        block.async_move_resource_to_block_cache = _Taker(Path(block.GRADIO_CACHE))
    blocks.has_launched = True  # Gradio's own check of paths asks for it
    blocks.queue(api_open=False, max_size=64)


class _Taker:
    """Stands where Gradio would copy any file, or fetch any address, that a browser names."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def __call__(self, path: str | Path | None) -> str | None:
        return None if path is None else str(accepted(str(path), self._folder))
