"""The only reader of the environment; everything else is handed what it needs.

| variable            | meaning                                                        | default     |
|---------------------|----------------------------------------------------------------|-------------|
| CASTBOARD_HOME      | folder that holds everything Castboard keeps                   | ./data      |
| CASTBOARD_HOST      | address to listen on                                           | 127.0.0.1, on a Space 0.0.0.0 |
| CASTBOARD_PORT      | port to listen on                                              | 7860        |
| CASTBOARD_PROCESSES | evaluator processes of one thread each                         | number of cores |
| CASTBOARD_DEMO      | demo systems for an empty home: 0 none, 1 quick engines, all   | 1, on a Space 0 |
| CASTBOARD_PROTOCOL  | protocol of new submissions: a shipped name or a JSON file     | lite        |
| CASTBOARD_CORPUS    | corpus file that the protocol pins                             | the packaged benchmark_v1 |
"""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evaluation.errors import CastboardError

Demo = Literal["0", "1", "all"]

_KNOWN = (
    "CASTBOARD_HOME",
    "CASTBOARD_HOST",
    "CASTBOARD_PORT",
    "CASTBOARD_PROCESSES",
    "CASTBOARD_DEMO",
    "CASTBOARD_PROTOCOL",
    "CASTBOARD_CORPUS",
)
_PORTS = range(65_536)


class SettingsError(CastboardError):
    """A variable of the environment is unknown or malformed; the program refuses to start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this process was asked to run."""

    home: Path
    """Folder that holds everything Castboard keeps; absolute."""
    host: str
    """Address to listen on."""
    port: int
    """Port to listen on; 0 lets the system choose."""
    n_processes: int
    """Evaluator processes, at least 1."""
    demo: Demo
    """Which demo systems an empty home gets."""
    protocol: str
    """Name of a shipped protocol, or path of a protocol file."""
    corpus: Path | None
    """Corpus file; None for the packaged one."""


def from_env(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from `environ` (the process's own by default).

    Raises:
        SettingsError: naming the variable, what is allowed and what came.
    """
    env = os.environ if environ is None else environ
    unknown = sorted(name for name in env if name.startswith("CASTBOARD_") and name not in _KNOWN)
    if unknown:
        raise SettingsError(f"unknown settings {', '.join(unknown)}; known are {', '.join(_KNOWN)}")
    on_space = "SPACE_ID" in env
    return Settings(
        home=Path(env.get("CASTBOARD_HOME") or "data").absolute(),
        host=env.get("CASTBOARD_HOST") or ("0.0.0.0" if on_space else "127.0.0.1"),  # noqa: S104 - a Space is reached through its proxy
        port=_whole(env, "CASTBOARD_PORT", 7860, _PORTS),
        n_processes=_whole(env, "CASTBOARD_PROCESSES", os.cpu_count() or 1, range(1, 257)),
        demo=_demo(env.get("CASTBOARD_DEMO") or ("0" if on_space else "1")),
        protocol=env.get("CASTBOARD_PROTOCOL") or "lite",
        corpus=Path(env["CASTBOARD_CORPUS"]).absolute() if env.get("CASTBOARD_CORPUS") else None,
    )


def child_environ(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for processes we start: no hub, one thread for each numeric library."""
    env = dict(os.environ if environ is None else environ)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return env | threads | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}


def require_home(settings: Settings) -> None:
    """Make the home folder, and see that it can be written.

    Raises:
        SettingsError: naming the folder and why it cannot be used.
    """
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.home):
            pass
    except OSError as error:
        raise SettingsError(
            f"CASTBOARD_HOME must be a folder that can be written, got {settings.home!s:.200}: {error.strerror}. "
            "Name another folder, or mend this one."
        ) from error


def keep_uploads_in(folder: Path) -> None:
    """Make Gradio keep files on their way in `folder`; only works before it is imported."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"


def _whole(env: Mapping[str, str], name: str, default: int, allowed: range) -> int:
    text = env.get(name) or str(default)
    if not text.isdecimal() or int(text) not in allowed:
        raise SettingsError(f"{name} must be a whole number from {allowed[0]} to {allowed[-1]}, got {text!r}")
    return int(text)


def _demo(text: str) -> Demo:
    if text == "0":
        return "0"
    if text == "1":
        return "1"
    if text == "all":
        return "all"
    raise SettingsError(f"CASTBOARD_DEMO must be 0, 1 or all, got {text!r}")
