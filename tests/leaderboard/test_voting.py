"""Blind tests: nobody votes for what they were not given, twice, or unasked; and nothing tells a name beforehand."""

import io
import re
from collections import Counter
from datetime import timedelta
from html import unescape
from pathlib import Path
from random import Random

import numpy as np
import pyarrow.parquet as pq
import pytest
import soundfile
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx import Response

from evaluation.probes.acoustic import active_power, frame_powers
from leaderboard import look, vote_pairing, vote_routes, vote_words, voting
from leaderboard.api.app import build as build_api
from leaderboard.context import VOTES, Context
from leaderboard.pages import votes as votes_pages
from leaderboard.reading import votes as reading
from leaderboard.reading.router import router as reading_router
from leaderboard.vote_clips import LISTENING_DBFS, levelled
from leaderboard.voting import Booth, Given, Heard, TicketRefused
from submissions.votes import Vote, VoteJournal
from tests.leaderboard import cast

SECRET = "0123456789abcdef" * 2


@pytest.fixture(scope="module")
def board_home(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site of four systems that nobody changes."""
    return cast.make_site(tmp_path_factory.mktemp("votes"), cast.SIX[:3] + cast.SIX[4:5])


class Clock:
    """A clock that a test turns."""

    def __init__(self) -> None:
        """Begin at noon."""
        self.now = cast.NOW


@pytest.fixture
def clock() -> Clock:
    """Give a clock."""
    return Clock()


@pytest.fixture
def booth(board_home: Context, tmp_path: Path, clock: Clock) -> Booth:
    """A booth with an empty journal and draws that are the same each time."""
    return Booth(
        published=board_home.published,
        files=board_home.files,
        corpus=board_home.corpus,
        clips=board_home.clips,
        journal=VoteJournal(tmp_path),
        clock=lambda: clock.now,
        rng=Random(5),
    )


def given(booth: Booth, context: Context, *, catch: str | None = "", kind: str | None = None) -> Given:
    """Return the first trial of such a sort."""
    for _ in range(400):
        found = booth.give(context.published.board(""), kind)  # type: ignore[arg-type]
        assert found is not None
        if catch is None or found.trial.catch == catch:
            return found
    raise AssertionError("no such trial came")


def agreed(choice: str = "1", secret: str = SECRET) -> Heard:
    """Return an answer that may be kept."""
    return Heard(choice=choice, has_agreed=True, secret=secret, n_plays=2, listened_s=3.0)  # type: ignore[arg-type]


def votes_of(booth: Booth, context: Context) -> tuple[Vote, ...]:
    """Return what is kept."""
    return booth.votes(context.published.board(""))


def test_an_answer_is_kept_as_it_was_given(booth: Booth, board_home: Context, clock: Clock) -> None:
    """The vote names the clip that stood where the listener pointed, how long it took, and a hash of the number."""
    found = given(booth, board_home, kind="preference")
    clock.now += timedelta(seconds=20)
    taken = booth.take(found.ticket, agreed("2"))
    assert taken.is_kept and taken.secret == SECRET
    (vote,) = votes_of(booth, board_home)
    chosen = {"a": vote.a, "b": vote.b}[vote.answer]
    assert chosen == found.trial.submissions()[1]
    assert (vote.seconds, vote.n_plays, vote.day) == (20.0, 2, "2026-03-02")
    assert SECRET not in str(vote)


def test_a_ticket_is_answered_once(booth: Booth, board_home: Context) -> None:
    """A second answer is refused, kept or not."""
    for has_agreed in (True, False):
        found = given(booth, board_home, kind="preference")
        heard = Heard(choice="1", has_agreed=has_agreed)
        booth.take(found.ticket, heard)
        with pytest.raises(TicketRefused, match="already"):
            booth.take(found.ticket, heard)
    assert len(votes_of(booth, board_home)) == 1


def test_without_consent_nothing_is_kept(booth: Booth, board_home: Context, tmp_path: Path) -> None:
    """The answer is told, the disk stays empty, and no number is handed out."""
    taken = booth.take(given(booth, board_home).ticket, Heard(choice="1", has_agreed=False))
    assert not taken.is_kept and taken.secret == "" and taken.why_not == vote_words.NOT_AGREED
    assert votes_of(booth, board_home) == () and list(tmp_path.iterdir()) == []


def test_a_ticket_runs_out(booth: Booth, board_home: Context, clock: Clock) -> None:
    """After half an hour it is worth nothing."""
    found = given(booth, board_home)
    clock.now += timedelta(seconds=voting.TICKET_S + 1)
    with pytest.raises(TicketRefused, match="half an hour"):
        booth.take(found.ticket, agreed())


def test_nobody_makes_a_ticket(booth: Booth, board_home: Context, tmp_path: Path) -> None:
    """Nonsense, a changed ticket, one of another server, and the sealed address of a clip are refused."""
    found = given(booth, board_home)
    sealed = found.addresses[0].rsplit("/", 1)[1].removesuffix(".flac")
    middle = len(found.ticket) // 2
    changed = found.ticket[:middle] + ("A" if found.ticket[middle] != "A" else "B") + found.ticket[middle + 1 :]
    for ticket in ("", "x", "\u1234", changed, sealed):
        with pytest.raises(TicketRefused):
            booth.take(ticket, agreed())
    other = board_home.booth.give(board_home.published.board(""))
    assert other is not None
    with pytest.raises(TicketRefused):
        booth.take(other.ticket, agreed())


def test_an_abx_answer_names_a_clip(booth: Booth, board_home: Context) -> None:
    """X is one of the two; "no difference" is no answer to which, and does not use the ticket up."""
    found = given(booth, board_home, kind="abx")
    assert len(found.addresses) == len(set(found.addresses)) == 3
    with pytest.raises(TicketRefused, match="Choose"):
        booth.take(found.ticket, agreed("none"))
    right = "1" if found.trial.expected == found.trial.first else "2"
    taken = booth.take(found.ticket, agreed(right))
    assert taken.answer == found.trial.expected
    sounds = [booth.clips.read(*meant) for address in found.addresses if (meant := _meant(booth, address))]
    assert sounds[2] == sounds[int(right) - 1]
    assert sounds[0] != sounds[1] and len({len(sound) for sound in sounds}) == 1
    assert len({soundfile.info(io.BytesIO(sound)).frames for sound in sounds}) == 1


def test_one_clip_against_itself_expects_no_difference(booth: Booth, board_home: Context) -> None:
    """A check with equal clips is right only with no difference."""
    found = given(booth, board_home, catch="identical", kind="preference")
    assert found.trial.a == found.trial.b
    taken = booth.take(found.ticket, agreed("none"))
    assert taken.is_kept and taken.answer == taken.trial.expected == "none"


def test_a_vetoed_clip_is_known_to_be_worse(booth: Booth, board_home: Context) -> None:
    """A check with a clip that says other words expects the other one."""
    found = given(booth, board_home, catch="vetoed", kind="preference")
    samples = board_home.published.samples(board_home.published.board(""), [found.trial.a, found.trial.b])
    good = found.trial.a if found.trial.expected == "a" else found.trial.b
    bad = found.trial.b if good == found.trial.a else found.trial.a
    assert samples[good][found.trial.item].passed_gate and not samples[bad][found.trial.item].passed_gate


def test_a_day_has_an_end(booth: Booth, board_home: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """One number, and everybody together, are kept so often a day and no more."""
    monkeypatch.setattr(voting, "DAILY_RATER", 2)
    monkeypatch.setattr(voting, "DAILY_ALL", 3)
    told = [booth.take(given(booth, board_home).ticket, agreed()).why_not for _ in range(3)]
    assert told == ["", "", vote_words.ENOUGH_TODAY]
    others = [booth.take(given(booth, board_home).ticket, agreed(secret=f"{n:032x}")).why_not for n in range(2)]
    assert others == ["", vote_words.FULL_TODAY]


def test_a_listener_takes_everything_back(booth: Booth, board_home: Context) -> None:
    """What a number sent goes; nonsense takes nothing away."""
    booth.take(given(booth, board_home).ticket, agreed())
    assert booth.forget("nonsense") is None and booth.forget("") is None
    assert len(votes_of(booth, board_home)) == 1
    assert booth.forget(SECRET) == 1
    assert votes_of(booth, board_home) == ()


def test_held_out_items_are_never_played(booth: Booth, board_home: Context) -> None:
    """Every trial plays a public item of which both clips exist."""
    held_out = {item.id for item in board_home.corpus.items if item.split == "held_out"}
    trials = [given(booth, board_home, catch=None).trial for _ in range(120)]
    assert held_out and not {trial.item for trial in trials} & held_out
    assert {trial.kind for trial in trials} == {"abx", "preference"}
    assert {trial.first for trial in trials} == {"a", "b"}
    assert all(trial.a <= trial.b for trial in trials)


def test_what_was_heard_often_comes_later(board_home: Context) -> None:
    """A pair with many votes is drawn less than one with none, and a tie before a win."""
    board = board_home.published.board("")
    names = [row.submission for row in board.rows]
    pair = vote_pairing.ordered(names[0], names[1])
    heard = [_vote_on(board.protocol_id, pair, n) for n in range(50)]
    drawn = Counter(vote_pairing.choose_pair(board, heard, Random(n)) for n in range(60))
    assert drawn[pair] < 5
    assert vote_pairing.weight(board, pair, 0) > vote_pairing.weight(board, pair, 1)


def test_a_board_with_one_system_has_no_pair(tmp_path: Path) -> None:
    """There is nothing to compare, and that is told."""
    context = cast.make_site(tmp_path, cast.SIX[:1])
    assert context.booth.give(context.published.board("")) is None
    answer = client_of(context).get("/vote")
    assert answer.status_code == 200 and vote_words.NO_PAIR in unescape(answer.text)


def test_clips_are_brought_to_one_level() -> None:
    """Faint and loud come out alike, without offset, and never beyond full scale."""
    rng = np.random.default_rng(1)
    noise = rng.standard_normal(16_000).astype(np.float32)
    for gain in (0.001, 0.1, 0.3):
        made = levelled(gain * noise / np.abs(noise).max() + np.float32(0.01), 16_000)
        level = 10 * np.log10(active_power(frame_powers(made.astype(np.float64), 16_000)))
        assert level == pytest.approx(LISTENING_DBFS, abs=0.3)
    clicks = np.zeros(16_000, dtype=np.float32)
    clicks[::4_000] = 1.0
    assert np.abs(levelled(clicks, 16_000)).max() <= 0.98
    assert not levelled(np.zeros(10, dtype=np.float32), 16_000).any()


def client_of(context: Context) -> TestClient:
    """Return the routes of a site that a listener meets."""
    app = FastAPI()
    app.include_router(look.router())
    app.include_router(vote_routes.router(context))
    app.include_router(reading_router(context, (reading.PAGE,)))
    return TestClient(app)


@pytest.fixture
def site(tmp_path: Path) -> Context:
    """A site of three systems that a test may vote on."""
    return cast.make_site(tmp_path / "site", cast.SIX[:3])


def fields_of(page: Response) -> dict[str, str]:
    """Return the hidden fields of the form."""
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page.text))


def test_a_trial_names_no_system_and_its_answer_does(site: Context) -> None:
    """Neither page, addresses nor clips tell who speaks before the answer; then the page does."""
    client = client_of(site)
    page = client.get("/vote?kind=preference")
    assert page.headers["cache-control"] == "no-store" and "'unsafe" not in page.headers["content-security-policy"][:60]
    for row in site.published.board("").rows:
        assert row.submission not in page.text and row.system not in page.text
    sources = re.findall(r'<audio src="([^"]+)"', page.text)
    assert len(sources) == 2
    for source in sources:
        answer = client.get(source)
        assert answer.headers["content-type"] == "audio/flac" and answer.headers["cache-control"].startswith("private")
        assert "s0000" not in str(answer.headers)
        soundfile.read(io.BytesIO(answer.content))
    told = client.post("/vote", data={**fields_of(page), "answer": "1"})
    assert told.status_code == 200 and "/system?id=s0000" in told.text


def test_consent_decides_what_is_stored(site: Context) -> None:
    """Without it there is no cookie and no vote; with it there are both, until they are taken back."""
    client = client_of(site)
    page = client.get("/vote")
    told = client.post("/vote", data={**fields_of(page), "answer": "1"})
    assert "set-cookie" not in told.headers and not (site.home / VOTES).exists()
    told = client.post("/vote", data={**fields_of(client.get("/vote")), "answer": "1", "consent": "yes"})
    assert vote_words.KEPT in told.text and "HttpOnly" in told.headers["set-cookie"]
    assert 'value="yes" checked' in client.get("/vote").text
    assert len(site.booth.votes(site.published.board(""))) == 1
    assert "1</dd>" in client.get("/votes").text
    gone = client.post("/vote", data={"forget": "yes"})
    assert vote_words.FORGOTTEN in gone.text and site.booth.votes(site.published.board("")) == ()
    assert vote_words.NO_VOTES in client.get("/votes").text
    assert vote_words.NOTHING_KEPT in client.post("/vote", data={"forget": "yes"}).text


def test_the_second_use_of_a_page_is_refused(site: Context) -> None:
    """Going back and sending again is no second vote."""
    client = client_of(site)
    fields = {**fields_of(client.get("/vote")), "answer": "2", "consent": "yes"}
    assert client.post("/vote", data=fields).status_code == 200
    again = client.post("/vote", data=fields)
    assert again.status_code == 422 and vote_words.USED in again.text
    assert len(site.booth.votes(site.published.board(""))) == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"answer=1",
        b"answer=9&ticket=x",
        b"ticket=" + b"x" * 5_000 + b"&answer=1",
        b"a=1&" * 5_000,
        b"answer=1&ticket=%00%ff",
        b'{"answer": "1"}',
    ],
)
def test_nonsense_is_told_in_a_sentence(site: Context, body: bytes) -> None:
    """Whatever is sent gets a page that says what to do."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    answer = client_of(site).post("/vote", content=body, headers=headers)
    assert answer.status_code == 422 and "cb-notice" in answer.text


def test_addresses_are_read_leniently(site: Context) -> None:
    """Another kind, another protocol and far too much are the default; no clip of a made-up address is sent."""
    client = client_of(site)
    for asked in ("kind=<b>", "protocol=nothing", "kind=" + "x" * 9_000, "protocol=%00"):
        assert client.get(f"/vote?{asked}").status_code == 200
        assert client.get(f"/votes?{asked}").status_code == 200
    assert client.get("/media/vote/nonsense.flac").status_code == 404
    assert client.get("/media/vote/" + "%C3%A9" * 10 + ".flac").status_code == 404


def test_one_address_is_slowed_down(site: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many answers in a row it is told when to come again."""
    monkeypatch.setattr(vote_routes, "ANSWERS", vote_routes.Budget(burst=2, per_s=0.01))
    client = client_of(site)
    codes = [client.post("/vote", data={"answer": "1"}) for _ in range(3)]
    assert [code.status_code for code in codes] == [422, 422, 429]
    assert int(codes[-1].headers["retry-after"]) > 0


def test_one_address_never_fills_the_day_of_all() -> None:
    """Dropping the cookie gives a new number, not a new budget: what an address may send is a small share."""
    a_day = vote_routes.ANSWERS.burst + vote_routes.ANSWERS.per_s * 86_400
    assert voting.DAILY_RATER <= a_day < voting.DAILY_ALL / 6


def test_a_pair_is_told_honestly(site: Context) -> None:
    """Without votes there is a way to vote, with few the bound, with many the share and whether the board agrees."""
    board = site.published.board("")
    pair = vote_pairing.ordered(board.rows[0].submission, board.rows[2].submission)
    section = votes_pages.pair_section(reading.evidence_of_pair(site, board, *pair), board)
    assert vote_words.PAIR_NONE in section
    journal = VoteJournal(site.home / VOTES)
    for number in range(30):
        journal.add(_vote_on(board.protocol_id, pair, number))
        if number == 4:
            few = votes_pages.pair_section(reading.evidence_of_pair(site, board, *pair), board)
            assert vote_words.NOT_ENOUGH.format(n=5, least=20) in few
    many = votes_pages.pair_section(reading.evidence_of_pair(site, board, *pair), board)
    assert "100%" in many and "n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}30" in many


def test_programs_read_votes_and_what_they_say(site: Context) -> None:
    """Every vote as it is published, cut to what is asked, in three forms; and the same figures as the page."""
    board = site.published.board("")
    one, two, three = (row.submission for row in board.rows)
    journal = VoteJournal(site.home / VOTES)
    pair = vote_pairing.ordered(one, three)
    for number in range(25):
        journal.add(_vote_on(board.protocol_id, pair, number))
    api = TestClient(build_api(site))
    listed = api.get("/votes?limit=10").json()
    assert (listed["n_total"], len(listed["rows"])) == (25, 10)
    assert api.get(f"/votes?a={two}").json()["n_total"] == api.get("/votes?kind=abx").json()["n_total"] == 0
    table = pq.read_table(io.BytesIO(api.get(f"/votes?a={three}&b={one}&format=parquet").content))
    assert table.num_rows == 25 and table["rater"][3].as_py() == f"{3:016x}"
    assert len(api.get("/votes?format=csv").text.splitlines()) == 26
    (row,) = api.get("/votes/pairs").json()["rows"]
    assert (row["a"], row["n_for_a"], row["prefers_a"], row["preferred"]) == (pair[0], 25, 1.0, pair[0])
    assert row["prefers_a_low"] > 0.8 and row["is_enough"] and row["d_prime"] is None
    assert api.get("/votes?kind=nonsense").status_code == 422


def _vote_on(protocol: str, pair: tuple[str, str], number: int) -> Vote:
    return Vote(
        id=f"{number:032x}",
        day="2026-03-01",
        protocol=protocol,
        kind="preference",
        question="naturalness",
        catch="",
        item="it-001",
        a=pair[0],
        b=pair[1],
        first="a",
        expected="",
        answer="a",
        seconds=5.0,
        n_plays=None,
        listened_s=None,
        rater=f"{number:016x}",
    )


def _meant(booth: Booth, address: str) -> tuple[str, str, str] | None:
    return booth.clips.meant(address.rsplit("/", 1)[1].removesuffix(".flac"))
