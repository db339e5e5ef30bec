"""The verb that opens a season: who is queued, who is not and why, and what it would cost."""

import argparse
import dataclasses
from pathlib import Path

import pytest

from evaluation.errors import CastboardError, ProtocolError
from evaluation.judge import preparation, rubrics
from evaluation.judge.spend import load_prices
from evaluation.pins import Anchor, JudgeRecipe
from evaluation.protocol import Protocol, encode
from leaderboard import protocols, settings
from leaderboard.anchors import anchor_of
from leaderboard.season_cost import season_cost
from leaderboard.settings import Settings
from leaderboard.verbs import reevaluate
from submissions import queue
from submissions.records import Rejected, SubmissionId, Withdrawn
from submissions.state import State
from submissions.store.folder import FolderStore, PublishedFolder
from tests.submissions.published_example import items, send, submission
from tests.submissions.published_example import protocol as example_protocol
from tests.submissions.small_evaluation import NAME, acoustic_protocol, write_corpus
from tests.submissions.work_examples import NOON, PROBLEM, a_worker, later, put


@dataclasses.dataclass(frozen=True)
class Home:
    """A home with a small protocol, and another one of the same corpus."""

    settings: Settings
    old: Protocol
    new: Protocol
    store: FolderStore

    def put(self, name: str) -> SubmissionId:
        """Queue a submission whose zip is kept."""
        done = put(self.store, name, corpus=NAME)
        self.store.upload_path(done).write_bytes(b"zip")
        return done

    def claim(self) -> queue.Claim:
        """Claim the next one."""
        got = queue.claim_next(self.store, a_worker(), NOON, corpus=NAME, is_dead=lambda _: False)
        assert got is not None
        return got

    def published(self, name: str) -> SubmissionId:
        """Return a submission with a row under the old protocol."""
        done = self.put(name)
        queue.finish(self.store, self.claim(), NOON, self.old.id)
        return done

    def run(self, *arguments: str) -> int:
        """Run the verb."""
        parser = argparse.ArgumentParser()
        verbs = parser.add_subparsers()
        reevaluate.add(verbs, lambda them, name, run, text: _verb(them, name, run))
        options = parser.parse_args(["reevaluate", *arguments])
        return int(options.run(options, self.settings))

    def resume(self, *names: str) -> int:
        """Run the verb that ends waits."""
        return reevaluate.run_resume(argparse.Namespace(submission=list(names)), self.settings)


def _verb(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, run: object):
    parser = verbs.add_parser(name)
    parser.set_defaults(run=run)
    return parser


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """Return an empty home."""
    pin = write_corpus(tmp_path / "corpus.jsonl", 3)
    old = acoustic_protocol(pin)
    new = dataclasses.replace(old, name="next")
    (tmp_path / "small.json").write_bytes(encode(old))
    found = settings.from_env(
        {
            "CASTBOARD_HOME": str(tmp_path / "home"),
            "CASTBOARD_PROTOCOL": str(tmp_path / "small.json"),
            "CASTBOARD_CORPUS": str(tmp_path / "corpus.jsonl"),
        }
    )
    protocols.keep(found, new)
    return Home(settings=found, old=old, new=new, store=FolderStore(found.home))


def test_every_stored_submission_is_queued_once(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Those with a row elsewhere and those that failed are queued; a second run queues none."""
    rows = [home.published("s00001"), home.published("s00002")]
    failed = home.put("s00003")
    for at_s in (0, 1000, 2000):
        got = queue.claim_next(home.store, a_worker(), later(at_s), corpus=NAME, is_dead=lambda _: False)
        assert got is not None
        queue.give_back(home.store, got, later(at_s), reason="bug", message="m", trace_id=None)
    assert home.run("--protocol", home.new.id[:6], "--dry-run") == 0
    assert "3 submissions would be queued for a row under next" in capsys.readouterr().out
    assert queue.load(home.store, rows[0]).state is State.PUBLISHED
    assert home.run("--protocol", home.new.id[:6]) == 0
    assert f"3 submissions queued for a row under next {home.new.id}; other rows stay." in capsys.readouterr().out
    for name in (*rows, failed):
        state = queue.load(home.store, name)
        assert (state.state, state.wanted, state.attempts) == (State.QUEUED, home.new.id, 0)
    assert home.run("--protocol", "next") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"0 submissions queued for a row under next {home.new.id}; other rows stay.",
        "3 wait or run for that row already.",
    ]
    queue.finish(home.store, home.claim(), NOON, home.new.id)
    assert home.run("--protocol", "next") == 0
    assert "1 have that row already." in capsys.readouterr().out


def test_what_cannot_be_evaluated_anew_is_told(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Each submission that is left alone is counted under its reason."""
    withdrawn = home.published("s00001")
    queue.append(home.store, withdrawn, NOON, lambda _: Withdrawn(reason="mistake"))
    home.store.upload_path(home.published("s00002")).unlink()
    home.put("s00003")
    mine = home.claim()
    queue.reject(home.store, mine, NOON, Rejected(claim=mine.number, problems=(PROBLEM,)))
    put(home.store, "s00004", corpus="other_v1")
    home.put("s00005")
    assert home.run("--protocol", "next") == 0
    told = capsys.readouterr().out
    assert told.startswith("0 submissions queued")
    for why in ("1 were taken back", "1 have no kept zip", "1 were rejected", "1 read another", "1 wait or run under"):
        assert why in told


def test_named_submissions_alone_are_queued(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Others stay; an unknown name stops all of it before anything is queued."""
    one, other = home.published("s00001"), home.published("s00002")
    with pytest.raises(CastboardError, match="no submission is called s00009, nonsense"):
        home.run("--protocol", "next", "--submission", one, "s00009", "nonsense")
    assert queue.load(home.store, one).state is State.PUBLISHED
    home.run("--protocol", "next", "--submission", one)
    assert "1 submission queued" in capsys.readouterr().out
    assert queue.load(home.store, other).state is State.PUBLISHED


def test_operator_ends_waits(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Held submissions may go on at once, all of them or the named ones; a strange name stops all of it."""
    far = later(10**9)
    for name in ("s00001", "s00002"):
        home.put(name)
    for _ in range(2):
        queue.hold(home.store, home.claim(), NOON, reason="judge_budget", message="", since=None, not_before=far)
    with pytest.raises(CastboardError, match="s00009"):
        home.resume("s00001", "s00009")
    home.resume("s00002")
    assert home.claim().submission == "s00002"
    home.resume()
    assert capsys.readouterr().out.splitlines() == [
        "1 submission may go on at once: s00002",
        "1 submission may go on at once: s00001",
    ]
    assert home.claim().submission == "s00001"
    home.resume()
    assert capsys.readouterr().out == "0 submissions may go on at once\n"


def test_protocol_of_a_file_is_kept_for_the_workers(home: Home, tmp_path: Path) -> None:
    """A worker finds what is wanted by its id, whatever becomes of the file; a dry run keeps nothing."""
    third = dataclasses.replace(home.new, name="third")
    path = tmp_path / "third.json"
    path.write_bytes(encode(third))
    home.published("s00001")
    home.run("--protocol", str(path), "--dry-run")
    with pytest.raises(ProtocolError):
        protocols.find(home.settings, third.id)
    home.run("--protocol", str(path))
    path.unlink()
    assert protocols.find(home.settings, third.id) == third


def test_protocol_that_cannot_run_here_is_refused_with_every_reason(home: Home) -> None:
    """Nothing is queued that no worker of this machine could finish."""
    one = home.published("s00001")
    vad = dataclasses.replace(home.new.instruments["vad"], version="9.9")
    broken = dataclasses.replace(
        home.new,
        name="broken",
        normaliser="",
        corpus=dataclasses.replace(home.new.corpus, name="other_v1"),
        instruments={**home.new.instruments, "vad": vad},
        constants=dataclasses.replace(home.new.constants, wer_limit=0.5),
    )
    protocols.keep(home.settings, broken)
    with pytest.raises(ProtocolError) as refused:
        home.run("--protocol", "broken")
    for reason in ("of the corpus other_v1", "wer_limit is 0.5", "silero-vad 9.9", "normaliser is missing"):
        assert reason in str(refused.value)
    assert queue.load(home.store, one).state is State.PUBLISHED


def _recipe(anchor: Anchor) -> JudgeRecipe:
    return JudgeRecipe(
        backend="gemini",
        model="gemini-2.5-pro",
        dimensions=("tone", "naturalness"),
        is_combined=True,
        votes=1,
        prompt=rubrics.VERSION,
        texts=rubrics.hashes(),
        preparation=preparation.settings(),
        temperature=0.0,
        max_output_tokens=1000,
        n_asks=3,
        anchor=anchor,
    )


def test_cost_is_told_before_a_call_is_made(tmp_path: Path) -> None:
    """Calls are two orders of every item that both have; twice the submissions cost twice as much."""
    files = PublishedFolder(tmp_path)
    under = example_protocol()
    for name in ("first-system", "second-system"):
        send(files, submission(tmp_path / name, name), under)
    anchor = anchor_of(files, "first-system", under.corpus)
    recipe = _recipe(anchor)
    n_calls = 2 * len(anchor.clips)
    one = season_cost(files, recipe, items(), ["second-system"], load_prices())
    two = season_cost(files, recipe, items(), ["second-system", "never-published"], load_prices())
    assert f"asked {n_calls} times" in one
    assert f"asked {2 * n_calls} times" in two
    assert "USD" in one
    assert "a price that is not known" in season_cost(files, recipe, items(), ["second-system"], ())


def test_anchor_is_the_published_submission(tmp_path: Path) -> None:
    """Its name is the card's, its clips are those that anybody can fetch; another corpus or nobody is refused."""
    files = PublishedFolder(tmp_path)
    under = example_protocol()
    sent = submission(tmp_path / "clips", "first-system")
    send(files, sent, under)
    anchor = anchor_of(files, "first-system", under.corpus)
    assert anchor.clips == {clip.item_id: clip.sha256 for clip in sent.clips}
    assert anchor.name == f"{sent.card['system']} {sent.card['version']}"
    with pytest.raises(ProtocolError, match="did not read the corpus other"):
        anchor_of(files, "first-system", dataclasses.replace(under.corpus, name="other"))
    for name in ("nobody", "../first-system", ""):
        with pytest.raises(ProtocolError, match="is not published here"):
            anchor_of(files, name, under.corpus)
