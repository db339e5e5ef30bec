"""espeak-ng, a formant synthesiser driven by rules: every setting explicit, the script never a command line."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from submissions.demo.engines.programs import decode, in_threads, one_line, require_program, run
from submissions.demo.records import Prompt, Speech


@dataclass(frozen=True, slots=True, kw_only=True)
class EspeakSettings:
    """One way to speak; the defaults are the program's own."""

    voice: str = "en-us"
    """Voice file or language, with an optional variant: "gmw/en+f3"."""

    pitch: int = 50
    """Pitch adjustment, 0..99."""

    rate_wpm: int = 175
    """Nominal words a minute, 80..450."""

    amplitude: int = 100
    """Amplitude, 0..200."""


def load_plain(_downloads: Path) -> "PlainEspeak":
    """Return espeak-ng at its defaults.

    Raises:
        MissingDependency: if espeak-ng is not installed.
    """
    return PlainEspeak(program=require_espeak())


def require_espeak() -> str:
    """Return the path of espeak-ng.

    Raises:
        MissingDependency: if it is not installed.
    """
    return require_program("espeak-ng", package="espeak-ng")


def speak_script(program: str, prompt: Prompt, settings: EspeakSettings) -> Speech:
    """Return the prompt's script as espeak-ng reads it.

    Markup is read as text: SSML is off unless asked for, and "[[", which would open a phoneme string, is broken up.

    Raises:
        EngineFailed: if no sound comes back.
    """
    arguments = [
        *(program, "--stdin", "--stdout", "-b", "1"),
        *("-v", settings.voice, "-p", str(settings.pitch)),
        *("-s", str(settings.rate_wpm), "-a", str(settings.amplitude)),
    ]
    return decode(run(arguments, one_line(prompt.script).replace("[[", "[ [")), prompt.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainEspeak:
    """espeak-ng that ignores the instruction: one voice for everything."""

    program: str
    """Path of espeak-ng."""

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script in the default American voice."""
        settings = EspeakSettings()
        return in_threads(lambda prompt: speak_script(self.program, prompt, settings), prompts)
