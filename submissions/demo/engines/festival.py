"""Festival's slt HTS voice; its start is slow, so one process reads many scripts; ignores the instruction."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.errors import MissingDependency
from submissions.demo.engines.programs import decode, one_line, require_program, run
from submissions.demo.records import EngineFailed, Prompt, Speech

VOICE = "cmu_us_slt_arctic_hts"
INSTALL = "festival festvox-us-slt-hts"
N_BATCH = 32


def load(_downloads: Path) -> "Festival":
    """Return festival with the slt HTS voice.

    Raises:
        MissingDependency: if festival or the voice is not installed.
    """
    program = require_program("festival", package=INSTALL)
    try:
        run([program, "-b", f"(voice_{VOICE})"], "")
    except EngineFailed as error:
        raise MissingDependency(f"festival's voice {VOICE}", f"apt-get install {INSTALL}") from error
    return Festival(program=program)


@dataclass(frozen=True, slots=True, kw_only=True)
class Festival:
    """Festival in batch mode."""

    program: str
    """Path of festival."""

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script, N_BATCH of them from one process."""
        for start in range(0, len(prompts), N_BATCH):
            batch = prompts[start : start + N_BATCH]
            with tempfile.TemporaryDirectory(prefix="festival-") as folder:
                wavs = [Path(folder, f"{number}.wav") for number in range(len(batch))]
                lines = [_line(prompt, wav) for prompt, wav in zip(batch, wavs, strict=True)]
                commands = Path(folder, "batch.scm")
                commands.write_text("\n".join([f"(voice_{VOICE})", *lines]), encoding="utf-8")
                run([self.program, "-b", str(commands)], "")
                for prompt, wav in zip(batch, wavs, strict=True):
                    yield decode(wav.read_bytes() if wav.exists() else b"", prompt.id)


def _line(prompt: Prompt, wav: Path) -> str:
    return f"(utt.save.wave (utt.synth (Utterance Text {_quoted(prompt.script)})) {_quoted(str(wav))} 'riff)"


def _quoted(text: str) -> str:
    # Inside a string literal of Festival's Scheme only these two characters have a meaning.
    return '"' + one_line(text).replace("\\", "\\\\").replace('"', '\\"') + '"'
