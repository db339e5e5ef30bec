"""torchaudio beside a CPU build of torch.

The wheel of torchaudio on the package index links CUDA libraries. Beside a CPU torch its compiled
extension does not load, and importing the package fails, although the parts in Python are all that the
instruments use. `prepare` puts an empty extension in its place, in that case only.
"""

import importlib.util
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

_EXTENSION = "torchaudio._extension"


def prepare() -> bool:
    """Make `import torchaudio` work; return whether the empty extension had to be put in.

    Does nothing if torchaudio is absent, already imported, built without compiled code, or beside a torch
    that has CUDA.
    """
    if "torchaudio" in sys.modules or _EXTENSION in sys.modules or not _is_broken_here():
        return False
    stand_in = types.ModuleType(_EXTENSION)
    stand_in.__path__ = []
    for name, value in {
        "_IS_TORCHAUDIO_EXT_AVAILABLE": False,
        "_IS_ALIGN_AVAILABLE": False,
        "fail_if_no_align": _unchanged,
        "_check_cuda_version": _nothing,
    }.items():
        setattr(stand_in, name, value)
    sys.modules[_EXTENSION] = stand_in
    return True


def _is_broken_here() -> bool:
    """Whether torchaudio's compiled part needs the CUDA that this torch lacks."""
    spec = importlib.util.find_spec("torchaudio")
    if spec is None or spec.origin is None:
        return False
    libraries = [*Path(spec.origin).parent.rglob("*.so")]
    if not any(b"libtorch_cuda" in library.read_bytes() for library in libraries):
        return False
    import torch

    return torch.version.cuda is None


def _unchanged(function: F) -> F:
    return function


def _nothing() -> None:
    return None
