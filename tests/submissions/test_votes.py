"""Votes are kept whole or not at all, published in batches, taken back at once, and counted as they were given."""

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.errors import SchemaError
from evaluation.records import Decision
from submissions import layout, votes
from submissions.belongings import belongings, take_away
from submissions.store.folder import FolderStore, PublishedFolder
from submissions.verify import verify
from submissions.vote_publishing import publish_votes
from submissions.vote_summary import ENOUGH, d_prime, evidence, pair_evidence
from submissions.votes import Vote, VoteJournal, VotesFull, decode_votes, encode_votes, rater_of, read_votes
from tests.submissions import published_example as example

FIRST, SECOND, _ = example.SUBMISSIONS
ID = example.protocol().id


def a_vote(number: int = 0, **more: object) -> Vote:
    """Return a preference for the first system."""
    vote = Vote(
        id=f"{number:032x}",
        day="2026-03-01",
        protocol=ID,
        kind="preference",
        question="instruction",
        catch="",
        item="it-001",
        a=FIRST,
        b=SECOND,
        first="b",
        expected="",
        answer="a",
        seconds=12.5,
        n_plays=3,
        listened_s=7.0,
        rater=rater_of("one"),
    )
    return dataclasses.replace(vote, **more)  # type: ignore[arg-type]


def abx(number: int, *, is_right: bool, **more: object) -> Vote:
    """Return an answer to which clip a third one was."""
    answer = "a" if is_right else "b"
    return a_vote(number, kind="abx", question="apart", expected="a", answer=answer, **more)


def catch(number: int, *, is_right: bool, rater: str) -> Vote:
    """Return an answer to a trial with a known answer."""
    return a_vote(number, catch="vetoed", expected="a", answer="a" if is_right else "none", rater=rater)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with two published rows."""
    files = PublishedFolder(tmp_path / "published")
    for name in (FIRST, SECOND):
        example.send(files, example.submission(tmp_path / name, name), example.protocol())
    return tmp_path


def publish(home: Path) -> bool:
    """Publish what the home's journal holds."""
    return publish_votes(FolderStore(home), PublishedFolder(home / "published"), VoteJournal(home / "votes"))


def published(home: Path) -> Sequence[Vote]:
    """Return the published votes."""
    return read_votes(PublishedFolder(home / "published"), ID)


def test_a_vote_is_kept_once_and_survives_a_restart(tmp_path: Path) -> None:
    """The second of an id is none; another process reads the first."""
    journal = VoteJournal(tmp_path)
    assert journal.add(a_vote()) and not journal.add(a_vote(answer="b"))
    assert VoteJournal(tmp_path).votes() == {a_vote().id: a_vote()}


def test_a_half_written_line_costs_nothing_else(tmp_path: Path) -> None:
    """What a killed writer left is no vote, and what follows is read."""
    journal = VoteJournal(tmp_path)
    journal.add(a_vote(1))
    with (tmp_path / votes.JOURNAL).open("ab") as file:
        file.write(b'{"schema_version": 1, "vo')
    later = VoteJournal(tmp_path)
    assert later.add(a_vote(2))
    assert set(VoteJournal(tmp_path).votes()) == {a_vote(1).id, a_vote(2).id}
    assert set(later.votes()) == {a_vote(1).id, a_vote(2).id}


def test_a_first_line_that_is_torn_is_no_vote(tmp_path: Path) -> None:
    """Even where nothing whole came before it."""
    (tmp_path / votes.JOURNAL).write_bytes(b"{")
    assert VoteJournal(tmp_path).add(a_vote(1))
    assert set(VoteJournal(tmp_path).votes()) == {a_vote(1).id}


def test_one_reads_what_another_adds(tmp_path: Path) -> None:
    """The worker follows the site's journal without being told."""
    site, worker = VoteJournal(tmp_path), VoteJournal(tmp_path)
    assert worker.votes() == {} and worker.revision() == "0"
    site.add(a_vote(1))
    assert set(worker.votes()) == {a_vote(1).id}
    site.forget(a_vote(1).rater)
    assert worker.votes() == {} and worker.forgotten() == {a_vote(1).rater}


def test_a_full_journal_takes_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a bound."""
    monkeypatch.setattr(votes, "MOST_VOTES", 2)
    journal = VoteJournal(tmp_path)
    journal.add(a_vote(1))
    journal.add(a_vote(2))
    with pytest.raises(VotesFull):
        journal.add(a_vote(3))


def test_votes_are_published_and_verify(home: Path) -> None:
    """They appear sorted beside the board, nothing is written twice, and the whole folder still verifies."""
    journal = VoteJournal(home / "votes")
    for number in (5, 1, 3):
        journal.add(a_vote(number))
    assert publish(home)
    assert [vote.id for vote in published(home)] == [a_vote(number).id for number in (1, 3, 5)]
    assert not publish(home)
    report = verify(home / "published")
    assert report.is_identical and report.notes == ()


def test_what_was_published_outlives_the_journal(home: Path) -> None:
    """A machine that lost its disk adds to what is published."""
    VoteJournal(home / "votes").add(a_vote(1))
    publish(home)
    (home / "votes" / votes.JOURNAL).unlink()
    VoteJournal(home / "votes").add(a_vote(2))
    assert publish(home)
    assert [vote.id for vote in published(home)] == [a_vote(1).id, a_vote(2).id]


def test_a_rater_takes_all_back(home: Path) -> None:
    """Published and waiting votes go, those of others stay, and the last one takes the file along."""
    journal = VoteJournal(home / "votes")
    mine, other = rater_of("mine"), rater_of("other")
    journal.add(a_vote(1, rater=mine))
    journal.add(a_vote(2, rater=other))
    publish(home)
    journal.add(a_vote(3, rater=mine))
    assert journal.forget(mine) == 2
    assert publish(home)
    assert [vote.rater for vote in published(home)] == [other]
    journal.forget(other)
    assert publish(home)
    assert PublishedFolder(home / "published").paths("votes/") == ()
    assert not publish(home)


def test_votes_on_a_system_that_goes_go_too(home: Path) -> None:
    """Whoever is on the board no more is not voted on."""
    VoteJournal(home / "votes").add(a_vote(1))
    publish(home)
    files = PublishedFolder(home / "published")
    take_away(files, belongings(files, SECOND))
    assert publish(home)
    assert files.paths("votes/") == ()


@pytest.mark.parametrize(
    "change",
    [
        {"id": "short"},
        {"rater": "Jane Doe"},
        {"day": "yesterday"},
        {"a": SECOND, "b": FIRST},
        {"a": "../x"},
        {"a": FIRST, "b": FIRST},
        {"question": "apart"},
        {"kind": "abx"},
        {"expected": "a"},
        {"answer": "c"},
        {"seconds": -1.0},
        {"n_plays": 10**9},
        {"protocol": "another"},
    ],
)
def test_a_forged_vote_is_refused_by_its_line(home: Path, change: dict[str, object]) -> None:
    """A published file with such a line is a difference of its own, and is shown nowhere."""
    path = layout.votes_path(ID)
    PublishedFolder(home / "published").write(path, encode_votes([a_vote(1, **change)]))
    with pytest.raises(SchemaError, match="line 1"):
        published(home)
    assert {one.path for one in verify(home / "published").differences} == {path}


def test_order_and_copies_are_checked() -> None:
    """Votes stand sorted, each once."""
    data = encode_votes([a_vote(1), a_vote(2)]).splitlines(keepends=True)
    path = layout.votes_path(ID)
    assert len(decode_votes(b"".join(data), path)) == 2
    for wrong in (data[::-1], [data[0], data[0]]):
        with pytest.raises(SchemaError, match="line 2"):
            decode_votes(b"".join(wrong), path)


def test_a_damaged_file_is_left_to_whoever_mends_it(home: Path) -> None:
    """Publishing neither fails nor overwrites it."""
    files = PublishedFolder(home / "published")
    files.write(layout.votes_path(ID), b"nonsense\n")
    VoteJournal(home / "votes").add(a_vote(1))
    assert not publish(home)
    assert files.read(layout.votes_path(ID)) == b"nonsense\n"


def test_a_rater_is_no_secret() -> None:
    """The published name does not hold the number that its owner keeps."""
    assert "one" not in rater_of("one") and len(rater_of("one")) == 16
    assert rater_of("one") != rater_of("two")


def test_few_votes_say_nothing_yet() -> None:
    """Below the bound a share names nobody, however clear it looks."""
    found = pair_evidence([a_vote(n) for n in range(ENOUGH - 1)], FIRST, SECOND)
    assert found.n_for_a == ENOUGH - 1 and not found.prefers_a.is_enough and found.preferred() is None


def test_a_clear_preference_is_held_against_the_decision() -> None:
    """Thirty of forty prefer the first: that agrees with a win of it, and with nothing else."""
    cast = [a_vote(n, answer="a" if n < 30 else "b") for n in range(40)]
    found = pair_evidence(cast, SECOND, FIRST)
    assert found.prefers_a.value == 0.75 and found.preferred() == FIRST
    assert (found.prefers_a.low or 0) == pytest.approx(0.598, abs=0.002)
    win = decision(FIRST, SECOND, is_win=True)
    assert found.agrees(win) is True
    assert found.agrees(decision(SECOND, FIRST, is_win=True)) is False
    assert found.agrees(decision(FIRST, SECOND, is_win=False)) is None
    assert found.agrees(None) is None


def test_no_difference_is_told_and_not_counted_as_half() -> None:
    """Answers of no difference stand beside the share."""
    cast = [a_vote(n, answer="none") for n in range(10)] + [a_vote(10 + n) for n in range(20)]
    found = pair_evidence(cast, FIRST, SECOND)
    assert (found.n_none, found.prefers_a.n, found.n_preferences) == (10, 20, 30)


def test_abx_answers_become_a_sensitivity() -> None:
    """Fifteen of twenty right is a d' of 1.9; guessing is 0; what is too little is none."""
    found = pair_evidence([abx(n, is_right=n < 15) for n in range(20)], FIRST, SECOND)
    assert found.told_apart.value == 0.75
    assert found.d_prime == pytest.approx(1.84, abs=0.1)
    assert pair_evidence([abx(n, is_right=n < 10) for n in range(20)], FIRST, SECOND).d_prime == 0.0
    assert pair_evidence([abx(0, is_right=True)], FIRST, SECOND).d_prime is None


@given(st.floats(min_value=0.0, max_value=1.0), st.floats(min_value=0.0, max_value=1.0))
def test_sensitivity_rises_with_the_share(one: float, other: float) -> None:
    """More right answers never mean less, and it stays within its bounds."""
    low, high = sorted((one, other))
    assert 0.0 <= d_prime(low) <= d_prime(high) <= 6.0


def test_raters_who_fail_their_checks_are_left_out() -> None:
    """Two failed checks take all votes of a rater away, one does not; checks are no votes."""
    careless, careful = rater_of("careless"), rater_of("careful")
    cast = [a_vote(n, rater=careless, answer="b") for n in range(30)]
    cast += [a_vote(100 + n, rater=careful) for n in range(25)]
    cast += [catch(200, is_right=False, rater=careful), catch(201, is_right=False, rater=careless)]
    assert evidence(cast).n_left_out == 0
    cast += [catch(202, is_right=False, rater=careless), catch(203, is_right=True, rater=careful)]
    found = evidence(cast)
    assert (found.n_votes, found.n_left_out, found.n_raters) == (59, 32, 2)
    assert (found.pairs[0].n_for_a, found.pairs[0].n_for_b) == (25, 0)
    assert (found.catches.n, found.catches.n_hits) == (4, 1)


def test_votes_are_held_against_the_scores_of_the_clips() -> None:
    """A vote agrees if it chose the clip that the board scores higher; equal clips say nothing."""
    cast = [a_vote(0, item="x"), a_vote(1, item="y"), a_vote(2, item="z"), a_vote(3, item="w")]
    scores = {(FIRST, "x"): 0.9, (SECOND, "x"): 0.1, (FIRST, "y"): 0.1, (SECOND, "y"): 0.9}
    scores |= {(FIRST, "z"): 0.5, (SECOND, "z"): 0.5}
    found = evidence(cast, scores)
    assert (found.with_scores.n, found.with_scores.n_hits) == (2, 1)
    assert found.systems[FIRST].n_hits == 4 and found.systems[SECOND].n_hits == 0


def decision(challenger: str, incumbent: str, *, is_win: bool) -> Decision:
    """Return a decision."""
    return Decision(
        challenger=challenger,
        incumbent=incumbent,
        n_items=8,
        challenger_score=0.7,
        incumbent_score=0.5,
        lcb=0.1,
        margin=0.05,
        is_win=is_win,
    )
