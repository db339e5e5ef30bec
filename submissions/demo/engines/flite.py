"""Flite's slt, a small statistical voice of an American woman; ignores the instruction."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from submissions.demo.engines.programs import decode, in_threads, one_line, require_program, run
from submissions.demo.records import Prompt, Speech


def load(_downloads: Path) -> "Flite":
    """Return flite with its slt voice.

    Raises:
        MissingDependency: if flite is not installed.
    """
    return Flite(program=require_program("flite", package="flite"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flite:
    """Flite, one process a script."""

    program: str
    """Path of flite."""

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script in the slt voice."""
        return in_threads(self._speak_one, prompts)

    def _speak_one(self, prompt: Prompt) -> Speech:
        with tempfile.TemporaryDirectory(prefix="flite-") as folder:
            script, wav = Path(folder, "script.txt"), Path(folder, "speech.wav")
            script.write_text(one_line(prompt.script), encoding="utf-8")
            run([self.program, "-voice", "slt", "-f", str(script), "-o", str(wav)], "")
            return decode(wav.read_bytes() if wav.exists() else b"", prompt.id)
