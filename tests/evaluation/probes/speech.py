"""Speech for tests, by espeak-ng; each sentence is synthesised once a process."""

import functools
import io
import subprocess

import numpy as np
import soundfile
from numpy.typing import NDArray

SENTENCE = "My mother told me many things about living near the river, and I remember all of them."


@functools.cache
def _wav(text: str, options: tuple[str, ...]) -> bytes:
    return subprocess.run(["espeak-ng", "--stdout", *options, text], check=True, capture_output=True).stdout


def say(*options: str, text: str = SENTENCE) -> tuple[NDArray[np.float32], int]:
    """Return samples and rate (Hz) of a sentence spoken with espeak-ng options such as "-p", "80"."""
    samples, rate_hz = soundfile.read(io.BytesIO(_wav(text, options)), dtype="float32")
    return samples, rate_hz
