"""hibari, a small neural voice of an American woman whose weights come with its wheel; ignores the instruction."""

import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.errors import MissingDependency
from submissions.demo.engines.programs import one_line
from submissions.demo.records import Prompt, Speech


def load(_downloads: Path) -> "HibariEngine":
    """Return hibari with its packaged voice.

    Raises:
        MissingDependency: if hibari-tts is not installed.
    """
    try:
        from hibari import Hibari
    except ImportError as error:
        raise MissingDependency("hibari-tts", "pip install hibari-tts scipy") from error
    return HibariEngine(Hibari(voice="heart", threads=1))


class HibariEngine:
    """hibari in this process, on one core."""

    def __init__(self, hibari: Any) -> None:
        """Keep a loaded `hibari.Hibari`."""
        self._hibari = hibari

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script in the voice "heart", the same samples whatever came before."""
        for prompt in prompts:
            seed = zlib.crc32(prompt.id.encode())
            samples = np.asarray(self._hibari(one_line(prompt.script), seed=seed), dtype=np.float32)
            yield Speech(prompt_id=prompt.id, samples=samples, rate_hz=int(self._hibari.sample_rate))
