"""SVOX Pico through its Python wheel, a small statistical voice of an American woman; ignores the instruction."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.errors import MissingDependency
from submissions.demo.engines.programs import one_line
from submissions.demo.records import EngineFailed, Prompt, Speech

RATE_HZ = 16_000


def load(_downloads: Path) -> "Pico":
    """Return Pico with its American voice.

    Raises:
        MissingDependency: if py-nanotts is not installed.
    """
    try:
        from py_nanotts import NanoTTS
    except ImportError as error:
        raise MissingDependency("py-nanotts", "pip install py-nanotts") from error
    return Pico(NanoTTS())


class Pico:
    """Pico in this process; quick enough to need no threads."""

    def __init__(self, nanotts: Any) -> None:
        """Keep a loaded `py_nanotts.NanoTTS`."""
        self._nanotts = nanotts

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script in the American voice."""
        for prompt in prompts:
            pcm = self._nanotts.speak(_as_text(prompt.script), voice="en-US")
            samples = np.frombuffer(pcm, dtype="<i2").astype(np.float32) / np.float32(32_768)
            if samples.size == 0:
                raise EngineFailed(f"pico gave no sound for {prompt.id}")
            yield Speech(prompt_id=prompt.id, samples=samples, rate_hz=RATE_HZ)


def _as_text(script: str) -> str:
    # Pico obeys its own tags (<pitch level=...>, <play file=...>) wherever they stand, so no angle bracket may pass.
    return one_line(script).replace("<", " ").replace(">", " ")
