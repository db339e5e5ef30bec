"""The Python interface: names that cost nothing to import, examples that run, a benchmark that no callable stops."""

import dataclasses
import doctest
import importlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import evaluation
from evaluation import adapters
from evaluation.corpus import Corpus
from evaluation.decision import contender, decide
from evaluation.errors import ProtocolError
from evaluation.judge.embedded import EmbeddedBackend
from evaluation.records import Item, ItemId, Transcript
from tests.audio_factory import clip_bytes
from tests.submissions.small_evaluation import SteadyEngine, acoustic_protocol, make_corpus, scripts_of

ITEM = Item(id=ItemId("it-00"), instruction="Calm.", script="Hello there.", requested={}, tier=1, split="public")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Give a corpus of five items."""
    return make_corpus(tmp_path_factory.mktemp("corpus"), 5)


def slt(text: str, instruction: str) -> bytes:
    """Return a script in flite's slt voice."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["flite", "-voice", "slt", "-t", text, "-o", f"{folder}/o.wav"], check=True)
        return Path(folder, "o.wav").read_bytes()


def espeak(text: str, instruction: str) -> bytes:
    """Return a script in espeak-ng's voice."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["espeak-ng", "-v", "en-us", "-w", f"{folder}/o.wav", text], check=True)
        return Path(folder, "o.wav").read_bytes()


def steady(corpus: Corpus) -> dict[str, Any]:
    """Return the arguments of a benchmark whose readings are alike for every clip."""
    engine = SteadyEngine(scripts_of(corpus))
    return {"protocol": acoustic_protocol(corpus.pin), "open_engine": lambda _: engine.opened()}


def test_import_is_light() -> None:
    """The package's own import loads none of the modules behind it, and every name is there."""
    code = "import sys, evaluation; print([m for m in sys.modules if m.startswith(('evaluation.', 'numpy', 'torch'))])"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert told.stdout.strip() == "[]"
    for name in dir(evaluation):
        assert getattr(evaluation, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = evaluation.nonsense


@pytest.mark.parametrize("name", ["evaluation", "evaluation.api", "evaluation.adapters"])
def test_examples_run(name: str) -> None:
    """What the docstrings show is what comes out."""
    found = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0


def test_a_callable_costs_its_own_items_only(corpus: Corpus) -> None:
    """Raising, rubbish, wrong types and refusals each cost one item, with the reason; the rest is scored."""
    answers = iter([RuntimeError("no GPU"), "text", b"rubbish", None, clip_bytes(4)])

    def broken(text: str, instruction: str) -> Any:
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    found = evaluation.benchmark(
        corpus, broken, lambda text, _: clip_bytes(len(text)), labels=["broken", "whole"], **steady(corpus)
    )
    one = found.systems["broken"]
    assert list(one.refused) == ["it-03"]
    assert {item: why.split(":")[0] for item, why in one.failed.items()} == {
        "it-00": "it raised RuntimeError",
        "it-01": "it returned str instead of bytes",
        "it-02": "it returned no clip",
    }
    assert [sample.is_declined for sample in one.samples] == [True, True, True, True, False]
    assert found.scores["broken"] < found.scores["whole"]
    assert not found.systems["whole"].failed


def test_decisions_are_those_of_a_board(corpus: Corpus) -> None:
    """Each pair once, by the decision code, with a sentence."""
    tone = clip_bytes(1)
    found = evaluation.benchmark(
        corpus, lambda *_: tone, lambda *_: None, lambda *_: tone, labels=["a", "b", "c"], **steady(corpus)
    )
    assert [(pair.a, pair.b) for pair in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    a, b = (contender(name, found.systems[name].samples) for name in "ab")
    assert found.pairs[0].decision == decide(a, b, constants=found.protocol.constants)
    assert found.pairs[0].reason.startswith("a beats b: S ")
    assert found.pairs[1].reason.startswith("c ties with a: S ")
    assert not found.is_partial


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"labels": ["one", "two"]}, "label of its own"),
        ({"items": 0}, "1 to 5"),
        ({"items": ["it-77"]}, "it-77"),
    ],
)
def test_wrong_arguments_are_said_before_anything_is_spoken(
    corpus: Corpus, arguments: dict[str, Any], said: str
) -> None:
    """No callable is called."""
    with pytest.raises(ValueError, match=said):
        evaluation.benchmark(corpus, lambda *_: pytest.fail("it was called"), **arguments, **steady(corpus))
    with pytest.raises(TypeError, match="callable"):
        evaluation.benchmark(corpus, "a system", **steady(corpus))


def test_a_protocol_that_cannot_be_followed_is_refused(corpus: Corpus) -> None:
    """An unknown name lists those that there are."""
    with pytest.raises(ProtocolError, match="lite"):
        evaluation.benchmark(corpus, lambda *_: None, protocol="nonsense")


def test_files_are_a_system(tmp_path: Path) -> None:
    """The file of an item is found by its id; a missing one says so."""
    (tmp_path / "it-00.flac").write_bytes(b"sound")
    system = adapters.from_files(tmp_path, "mine")
    assert (system.name, system.speak(ITEM)) == ("mine", b"sound")
    (tmp_path / "it-00.flac").unlink()
    with pytest.raises(FileNotFoundError, match="it-00"):
        system.speak(ITEM)


class SpeechHandler(BaseHTTPRequestHandler):
    """Answers as a speech endpoint does, and keeps what was asked."""

    asked: list[tuple[str, str | None, dict[str, Any]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers["Authorization"], body))
        is_good = body["input"] != "fail"
        data = clip_bytes(3) if is_good else b'{"error": {"message": "overloaded"}}'
        self.send_response(200 if is_good else 503)
        self.send_header("Content-Type", "audio/wav" if is_good else "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[tuple[str, list[tuple[str, str | None, dict[str, Any]]]]]:
    """Give the address of a speech endpoint on this machine, and what it was asked."""
    SpeechHandler.asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), SpeechHandler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1", SpeechHandler.asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_speech_endpoint_is_a_system(endpoint: tuple[str, list[Any]]) -> None:
    """Script, instruction, voice and key go where the protocol of the endpoint wants them; errors are raised."""
    url, asked = endpoint
    system = adapters.from_speech_api(base_url=url, model="m-1", voice="alloy", api_key="k-secret", max_retries=0)
    assert system.speak(ITEM) == clip_bytes(3)
    ((path, key, body),) = asked
    assert (path, key) == ("/v1/audio/speech", "Bearer k-secret")
    assert body == {
        "model": "m-1",
        "voice": "alloy",
        "input": "Hello there.",
        "instructions": "Calm.",
        "response_format": "wav",
    }
    assert "k-secret" not in repr(system)
    with pytest.raises(Exception, match="overloaded"):
        system.speak(dataclasses.replace(ITEM, script="fail"))


@pytest.mark.models
def test_two_packaged_voices(corpus: Corpus) -> None:
    """Real voices, real instruments: scores in 0..1, every clip read, one decision, the judge's word beside it."""
    judge = evaluation.Judge(EmbeddedBackend.load(), is_sandboxed=False)
    found = evaluation.benchmark(corpus, slt, espeak, items=["it-00", "it-01"], judge=judge)
    assert set(found.scores) == {"slt", "espeak"}
    assert 0 < found.scores["slt"] < 1
    assert all(len(one.readings) == 2 and not one.failed for one in found.systems.values())
    (pair,) = found.pairs
    assert pair.judge is not None and not pair.judge.not_judged
    assert pair.judge.wins_a + pair.judge.ties + pair.judge.wins_b == 2
    assert pair.decision.n_items == 2 and found.is_partial


@pytest.mark.models
def test_gate_and_probes_read_a_real_clip() -> None:
    """The gate hears the words, and not others; probes give the same readings twice."""
    script = "Please put the blue kettle back on its shelf."
    wav = slt(script, "")
    gate = evaluation.load_gate("lite", hears=True)
    assert gate.check_audio(script, wav).passed
    assert not gate.check_audio("Seven geese crossed the road behind the bakery.", wav).passed
    probes = evaluation.load_probes("lite")
    readings = probes.read(wav)
    assert readings.acoustics is not None and readings.naturalness is not None and "gender" in readings.probes
    assert not isinstance(readings.transcript, Transcript)
    assert probes.read(wav) == readings


@pytest.mark.models
def test_embedded_judge_prefers_speech_to_noise_whichever_comes_first() -> None:
    """Two real clips of one script; the order in which they are given makes no difference."""
    judge = evaluation.Judge.embedded()
    script = "Please put the blue kettle back on its shelf."
    sounds = {"a": slt(script, ""), "b": clip_bytes(1)}
    one = judge.compare(text=script, instruction="Calm.", audio_a=sounds["a"], audio_b=sounds["b"])
    other = judge.compare(text=script, instruction="Calm.", audio_a=sounds["b"], audio_b=sounds["a"])
    assert (one.winner, other.winner) == ("a", "b")
    assert (one.score_a, one.score_b) == (other.score_b, other.score_a)
