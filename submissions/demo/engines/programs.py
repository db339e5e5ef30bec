"""Running an engine that is a command-line program: found, started without a shell, bounded in time."""

import io
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import soundfile

from evaluation.errors import MissingDependency
from submissions.demo.records import EngineFailed, Prompt, Speech

TIMEOUT_S = 120.0
N_THREADS = 2
N_AHEAD = 16  # clips that may wait in memory for a slow reader, or run on after an error
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


def require_program(name: str, *, package: str) -> str:
    """Return the path of a program.

    Raises:
        MissingDependency: if it is not on the path, with the line that installs its Debian `package`.
    """
    path = shutil.which(name)
    if path is None:
        raise MissingDependency(name, f"apt-get install {package}")
    return path


def one_line(script: str) -> str:
    """Return the script with control characters, line breaks and lone surrogates turned into spaces."""
    return _CONTROL.sub(" ", script).strip()


def run(arguments: Sequence[str], text: str) -> bytes:
    """Return what a program writes to standard output when `text` comes in on standard input.

    Raises:
        EngineFailed: if it takes longer than TIMEOUT_S or ends with an error.
    """
    try:
        done = subprocess.run(arguments, input=text.encode(), capture_output=True, timeout=TIMEOUT_S, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise EngineFailed(f"{arguments[0]} failed: {error}") from error
    return done.stdout


def decode(wav: bytes, prompt_id: str) -> Speech:
    """Return the speech in a complete RIFF file.

    Raises:
        EngineFailed: if the bytes are no RIFF file or hold no sample.
    """
    try:
        samples, rate_hz = soundfile.read(io.BytesIO(wav), dtype="float32")
    except soundfile.LibsndfileError as error:
        raise EngineFailed(f"no audio came for {prompt_id}: {error}") from error
    if samples.ndim != 1 or samples.size == 0:
        raise EngineFailed(f"mono speech was expected for {prompt_id}, got shape {samples.shape}")
    return Speech(prompt_id=prompt_id, samples=samples, rate_hz=rate_hz)


def in_threads(speak_one: Callable[[Prompt], Speech], prompts: Sequence[Prompt]) -> Iterator[Speech]:
    """Yield the speech of each prompt in order, N_THREADS programs at a time."""
    with ThreadPoolExecutor(max_workers=N_THREADS) as pool:
        for start in range(0, len(prompts), N_AHEAD):
            yield from pool.map(speak_one, prompts[start : start + N_AHEAD])
