"""`app.py corpus`: what the person at the terminal gets."""

import argparse
import json
import re
import tomllib
from pathlib import Path

import pytest

from evaluation.corpus import CorpusPin, load, locate_benchmark_v1
from evaluation.corpus_maker.records import CorpusMakerError
from evaluation.errors import CastboardError
from leaderboard.cli import _add
from leaderboard.settings import from_env
from leaderboard.verbs import corpus
from tests.evaluation.judge.loopback import Loopback, ReplyPlan, RequestSeen


def _run(*arguments: str, home: Path, **env: str) -> int:
    parser = argparse.ArgumentParser()
    corpus.add(parser.add_subparsers(), _add)
    options = parser.parse_args(["corpus", *arguments])
    return int(options.run(options, from_env({"CASTBOARD_HOME": str(home), **env})))


def test_template_corpus_is_built_and_passes_its_own_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One command writes both parts; the check of each finds nothing and says so."""
    assert _run("build", "--n", "40", "--out", str(tmp_path / "out"), home=tmp_path) == 0
    said = capsys.readouterr().out
    assert "dealt 40 items (14 easy, 16 normal, 10 hard), 8 of them held out" in said
    assert len(re.findall("[0-9a-f]{64}", said)) == 4
    blocks = [tomllib.loads(found) for found in re.findall(r"\[corpus\]\n(?:.+\n)+", said)]
    assert [CorpusPin(**block["corpus"]).n_items for block in blocks] == [32, 8]
    for file in ("public/corpus.jsonl", "private/corpus_held_out.jsonl"):
        assert _run("check", str(tmp_path / "out" / file), home=tmp_path) == 0
    assert "8 items, all invariants hold" in capsys.readouterr().out


def test_forms_of_a_built_corpus_are_named_for_the_draft(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The lines to copy pin the spoken forms too, in both parts that have some; the corpus loads with them."""
    assert _run("build", "--n", "40", "--hold-out", "0", "--out", str(tmp_path / "a"), home=tmp_path) == 0
    assert "forms_sha256" not in capsys.readouterr().out
    path = tmp_path / "a" / "public" / "corpus.jsonl"
    record = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    proposals = tmp_path / "proposals.json"
    proposals.write_text(json.dumps({record["id"]: {"one": ["something that no rule would say"]}}))
    asked = ("build", "--n", "40", "--hold-out", "0", "--out", str(tmp_path / "b"), "--proposals", str(proposals))
    assert _run(*asked, home=tmp_path) == 0
    (found,) = re.findall(r"\[corpus\]\n(?:.+\n)+", capsys.readouterr().out)
    pin = CorpusPin(**tomllib.loads(found)["corpus"])
    corpus = load(tmp_path / "b" / "public" / "corpus.jsonl", pin)
    assert [item.id for item in corpus.items if item.spoken_forms] == [record["id"]]


def test_nothing_is_no_corpus(tmp_path: Path) -> None:
    """Of an empty file it is not said that all invariants hold."""
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(CorpusMakerError, match=r"empty\.jsonl holds no item"):
        _run("check", str(tmp_path / "empty.jsonl"), home=tmp_path)


def test_check_counts_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The packaged corpus has known flaws: the exit code says so, the first are listed, all are counted."""
    assert _run("check", str(locate_benchmark_v1()), home=tmp_path) == 1
    said = capsys.readouterr().out
    assert "--all lists them" in said
    assert re.search(r"contradiction +85  in 85 items", said)


def test_written_corpus_tells_calls_cost_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Key and prices come from the settings; a writer that fails first freezes nothing, and what was paid is kept."""
    assert _run("build", "--n", "12", "--out", str(tmp_path / "t"), "--hold-out", "0", home=tmp_path) == 0
    lines = (tmp_path / "t" / "public" / "corpus.jsonl").read_text().splitlines()
    texts = {int(row["id"][-5:]) + 1: (row["instruction"], row["text"]) for row in map(json.loads, lines)}
    prices = tmp_path / "prices.json"
    line = {"backend": "openai", "model": "m", "text_in": "1", "audio_in": "1", "out": "2", "audio_tokens_per_s": "32"}
    prices.write_text(json.dumps({"schema_version": 1, "prices": [{**line, "source": "test", "as_of": "2026-01-01"}]}))
    is_good = False

    def model(seen: RequestSeen) -> ReplyPlan:
        instruction, script = texts[int(re.match(r"Item (\d+)\.", seen.texts[0])[1])]  # type: ignore[index]
        return ReplyPlan(text=json.dumps({"instruction": instruction, "script": script if is_good else "No."}))

    with Loopback(model, key="secret-key") as server:
        arguments = ["build", "--n", "12", "--out", str(tmp_path / "w"), "--hold-out", "0", "--tries", "1"]
        arguments += ["--writer", "openai:m", "--url", server.openai_url]
        env = {"CASTBOARD_JUDGE_KEY": "secret-key", "CASTBOARD_JUDGE_PRICES": str(prices)}
        assert _run(*arguments, home=tmp_path, **env) == 1
        said = capsys.readouterr().out
        assert "12 items have no usable texts, so nothing is frozen" in said
        assert not (tmp_path / "w" / "public").exists()
        is_good = True
        arguments[arguments.index("--tries") + 1] = "2"
        assert _run(*arguments, home=tmp_path, **env) == 0
        said = capsys.readouterr().out
        n_seen, tokens = len(server.seen), server.answered
    assert n_seen == 24
    assert "asked 12 times, 12 answers were kept from before" in said
    made = json.loads((tmp_path / "w" / "public" / "corpus.provenance.json").read_bytes())
    cost = sum(usage.input_tokens + 2 * usage.output_tokens for usage in tokens)
    assert (made["n_answers"], made["cost_micro_usd"]) == (24, cost)
    assert (made["writer"], made["model"], made["models_by_their_own_word"]) == ("openai", "m", ["m-001"])
    assert not any(b"secret-key" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--writer", "oracle:x"], "--writer must be"),
        (["--writer", "gemini:"], "--writer must be"),
        (["--name", "../x"], "--name must be"),
        (["--tries", "0"], "--tries"),
        (["--proposals", "absent.json"], "must be JSON"),
    ],
)
def test_arguments_that_cannot_be_are_refused(tmp_path: Path, arguments: list[str], reason: str) -> None:
    """The message says what is allowed, and nothing is written."""
    with pytest.raises(CastboardError, match=reason):
        _run(
            "build",
            "--out",
            str(tmp_path / "out"),
            *(["--n", "12"] if "--n" not in arguments else []),
            *arguments,
            home=tmp_path,
        )
    assert not (tmp_path / "out").exists()


def test_writer_that_is_down_says_how_to_go_on(tmp_path: Path) -> None:
    """A provider that refuses now ends the build with a sentence; a later run goes on."""
    with (
        Loopback(lambda _: ReplyPlan(status=503, headers={"Retry-After": "9999"})) as server,
        pytest.raises(CorpusMakerError, match="the same command goes on from there"),
    ):
        _run(
            "build",
            "--n",
            "3",
            "--out",
            str(tmp_path / "o"),
            "--writer",
            "openai:m",
            "--url",
            server.openai_url,
            home=tmp_path,
        )
