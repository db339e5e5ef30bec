"""The operator's page: rights inside each handler, every act with its reason, and nothing for anybody else."""

import dataclasses
from pathlib import Path

import pytest

from leaderboard import words
from leaderboard.context import Context
from leaderboard.identity import Identity
from leaderboard.operator_acts import Request, told_act, told_view
from leaderboard.operator_door import N_TRIES, OperatorDoor
from leaderboard.operator_form import head, request_of
from leaderboard.operator_rights import KEY_HOLDER, has_operators
from leaderboard.reading.system import system_page
from leaderboard.secret import Secret
from leaderboard.words import NAVIGATION
from submissions import bans, queue
from submissions.operator_events import Flagged, RenameAsked
from submissions.records import Event, Person, Queued, SubmissionId, timestamp
from submissions.state import State
from tests.leaderboard.cast import EVIL, SIX, make_site
from tests.leaderboard.page_reader import Page
from tests.submissions.test_hiding import finish
from tests.submissions.work_examples import NOON, later, put, received

KEY = "correct-horse-battery"
ONE, OTHER = (SubmissionId(part.id) for part in SIX[:2])
KEEPER = {"sub": "00aa", "preferred_username": "keeper", "orgs": ""}
VISITOR = {"sub": "5f1e", "preferred_username": "polly", "orgs": ""}


@pytest.fixture
def site(tmp_path: Path) -> Context:
    """Give a site with two rows, a key, and a sign-in with one operator."""
    made = make_site(tmp_path / "home", SIX[:2])
    for name in (ONE, OTHER):
        put(made.store, name)  # type: ignore[arg-type]
        finish(made.store, name, made.protocols[0].id)  # type: ignore[arg-type]
    return dataclasses.replace(
        made, operator=OperatorDoor(Secret(KEY)), identity=Identity(has_sign_in=True), operators=("keeper",)
    )


def wish(act: str, target: str = ONE, reason: str = "Asked for.", *, is_sure: bool = True, **more: str) -> Request:
    """Return what a filled form holds."""
    return Request(act=act, target=target, reason=reason, is_sure=is_sure, **more)


@pytest.mark.parametrize("act", list(words.ACTS))
@pytest.mark.parametrize("profile", [None, VISITOR, {"sub": "00aa"}, {"preferred_username": "keeper"}])
@pytest.mark.parametrize("key", ["", "wrong"])
def test_nobody_else_does_anything(tmp_path: Path, act: str, profile: dict[str, object] | None, key: str) -> None:
    """Called directly, signed out, as a stranger, with half an account or a wrong key: refused, nothing written."""
    made = make_site(tmp_path / "home", ())
    put(made.store, ONE)  # type: ignore[arg-type]
    site = dataclasses.replace(
        made, operator=OperatorDoor(Secret(KEY)), identity=Identity(has_sign_in=True), operators=("keeper",)
    )
    before = site.store.events(ONE)
    for told, may in (told_act(site, profile, key, wish(act)), told_view(site, profile, key)):
        assert not may and ("operator" in told.lower()) and ONE not in told
    assert site.store.events(ONE) == before and bans.entries(site.store) == ()


def test_a_site_without_a_key_asks_for_none(site: Context) -> None:
    """Who is no operator is told what to do that can be done."""
    keyless = dataclasses.replace(site, operator=None)
    for profile in (None, VISITOR):
        told, may = told_view(keyless, profile, KEY)
        assert not may and "sign in as one of them." in told and "key" not in told
    assert told_view(keyless, KEEPER, "")[1]


def test_a_systems_page_leads_operators_to_it(site: Context) -> None:
    """From a phone nobody types an id; where nobody is an operator there is no such link."""
    link = f'href="/operator?id={ONE}"'
    assert link in system_page(site, {"id": ONE})
    assert link not in system_page(dataclasses.replace(site, operator=None, operators=()), {"id": ONE})


def test_a_name_without_a_sign_in_is_no_right(site: Context) -> None:
    """Where nobody signs in, the configured user is vouched for by nobody: only the key opens."""
    local = dataclasses.replace(site, identity=Identity(user="keeper"))
    assert not told_act(local, None, "", wish("hide"))[1] and not told_act(local, KEEPER, "", wish("hide"))[1]
    assert told_act(local, None, KEY, wish("hide"))[1]


def test_guessing_the_key_closes_the_door_for_the_key_alone(site: Context) -> None:
    """After some wrong keys the right one is not looked at; an operator who is signed in still acts."""
    for _ in range(N_TRIES + 1):
        told_view(site, None, "wrong key of somebody")
    assert "Too many" in told_view(site, None, KEY)[0]
    assert told_act(site, KEEPER, "", wish("hide"))[1]


def test_each_act_does_what_it_says_and_twice_is_once(site: Context) -> None:
    """Hide, show again, end, run again, rename, look at, ban and its end; each event names who acted."""
    waiting = put(site.store, "s-waits-long", later(5))  # type: ignore[arg-type]
    for act, target, more in (
        ("hide", ONE, {}),
        ("unhide", ONE, {}),
        ("fail", waiting, {}),
        ("rename", OTHER, {"system": "Lark", "organisation": "Ohm"}),
    ):
        told, has_acted = told_act(site, KEEPER, "", wish(act, target, **more))
        assert has_acted and words.ACTS[act].done in told
        assert "already" in told_act(site, None, KEY, wish(act, target, **more))[0]
    states = {state.submission: state for state in queue.load_all(site.store)}
    assert states[waiting].state is State.FAILED and states[ONE].hidden is None
    renamed = states[OTHER].renamed
    assert renamed is not None and (renamed.system, renamed.operator) == ("Lark", "keeper")
    told_act(site, None, KEY, wish("hide", OTHER))
    hidden = queue.load(site.store, OTHER).hidden
    assert hidden is not None and hidden.operator == KEY_HOLDER


def test_reason_and_confirmation_are_needed(site: Context) -> None:
    """Without either nothing happens, and the page says which is missing."""
    assert "reason" in told_act(site, KEEPER, "", wish("hide", reason=" "))[0]
    assert "tick" in told_act(site, KEEPER, "", wish("hide", is_sure=False))[0].lower()
    assert queue.load(site.store, ONE).hidden is None


@pytest.mark.parametrize("target", ["", "../../x", "s-unknown-1", EVIL, "x" * 5000, "\x00"])
@pytest.mark.parametrize("act", [*words.ACTS, "", EVIL, "__class__"])
def test_rubbish_is_refused_in_a_sentence(empty: Context, act: str, target: str) -> None:
    """Unknown acts, ids that nobody has, markup: no error of ours, nothing unescaped, nothing written."""
    site = dataclasses.replace(empty, operator=OperatorDoor(Secret(KEY)))
    told, has_acted = told_act(site, None, KEY, wish(act, target, system="a", organisation="b"))
    assert not has_acted and "<img" not in told and "<script" not in told
    assert site.store.submissions() == () and bans.entries(site.store) == ()


def test_the_form_takes_anything(site: Context) -> None:
    """A program in the place of the page may send any JSON."""
    asked = request_of((None, 3, [], {}, True, "yes"))
    assert asked == Request(act="", target="", system="", organisation="", reason="", is_sure=False)
    assert not told_act(site, None, KEY, asked)[1]


def test_ban_by_a_submission_and_its_end_by_the_account(site: Context) -> None:
    """The sender of a submission is banned; the page lists the ban with its button."""
    sent = SubmissionId("s-by-polly")
    first = dataclasses.replace(received(), person=Person(account="5f1e", name="polly", organisations=()))
    site.store.create_event(sent, Event(n=1, at=timestamp(NOON), payload=first))
    site.store.create_event(sent, Event(n=2, at=timestamp(NOON), payload=Queued()))
    assert told_act(site, KEEPER, "", wish("ban", sent))[1] and bans.refusal(site.store, "5f1e")
    page = Page(told_view(site, KEEPER, "")[0])
    assert "polly" in page.by_id("operator-bans").text
    assert [one.attributes["data-target"] for one in page.all("button", data_operate="unban")] == ["5f1e"]
    assert told_act(site, KEEPER, "", wish("unban", "5f1e"))[1] and not bans.refusal(site.store, "5f1e")


def test_flags_bring_both_systems_to_the_ear_until_they_are_looked_at(site: Context) -> None:
    """A pair that is on the board can be heard side by side; looked at, the flag is gone, and a new one comes back."""
    flag = Flagged(kind="duplicate_audio", other=OTHER, message="12 of 12 clips are the same.")
    queue.append(site.store, ONE, later(50), lambda _: flag)
    page = Page(told_view(site, KEEPER, "")[0])
    desk = page.by_id("operator-flags")
    assert "12 of 12 clips" in desk.text
    heard = [one.attributes["href"] for one in desk.inside if one.tag == "a" and "listen" in one.attributes["href"]]
    assert heard == [f"/listen?systems={ONE},{OTHER}"]
    assert told_act(site, KEEPER, "", wish("seen"))[1]
    assert "Nothing has been flagged" in told_view(site, KEEPER, "")[0]
    assert "already" in told_act(site, KEEPER, "", wish("seen"))[0]
    again = dataclasses.replace(flag, message="Again.")
    queue.append(site.store, ONE, later(60), lambda _: again)
    assert "Again." in told_view(site, KEEPER, "")[0] and "12 of 12" not in told_view(site, KEEPER, "")[0]


def test_wishes_and_failures_stand_with_what_answers_them(site: Context) -> None:
    """Asked names fill the form; a failed one shows its trace."""
    names = RenameAsked(system="Lark" + EVIL[:20], organisation="Ohm", reason="Sold.")
    queue.append(site.store, ONE, later(50), lambda _: names)
    waiting = put(site.store, "s-waits-long", later(5))  # type: ignore[arg-type]
    told_act(site, KEEPER, "", wish("fail", waiting, "Broken zip of a robot."))
    page = Page(told_view(site, KEEPER, "")[0])
    (grant,) = page.all("button", data_operate="rename")
    assert grant.attributes["data-system"].startswith("Lark<img") and grant.attributes["data-target"] == ONE
    assert "Broken zip of a robot." in page.by_id("operator-failed").text
    assert page.all("button", data_operate="requeue", data_target=waiting)


def test_re_evaluate_under_the_sites_protocol(site: Context) -> None:
    """A row that is there is enough; one that cannot be made says why."""
    assert "already" in told_act(site, KEEPER, "", wish("reevaluate"))[0]
    waiting = put(site.store, "s-waits-long", later(5))  # type: ignore[arg-type]
    told_act(site, KEEPER, "", wish("fail", waiting))
    told, has_acted = told_act(site, KEEPER, "", wish("reevaluate", waiting))
    assert not has_acted and ("another corpus" in told or "no kept zip" in told)


def test_the_page_is_in_nobodys_way(site: Context, empty: Context) -> None:
    """It is not in the navigation, shows nothing by itself, and says where an operator acts if there is none here."""
    assert "/operator" not in NAVIGATION and has_operators(site)
    assert ONE not in head(site)
    assert not has_operators(empty) and "command line" in head(empty)
    assert not told_act(empty, None, "", wish("hide"))[1]


def test_hiding_a_judges_anchor_says_what_that_means(tmp_path: Path) -> None:
    """It is done, since an operator may have to; the page says what visitors lose."""
    from tests.leaderboard import nine

    made = nine.make_site(tmp_path / "home", SIX[:2], n_items=4)
    judge = made.published.board("").protocol.judge
    assert judge is not None
    anchor = put(made.store, judge.anchor.submission)  # type: ignore[arg-type]
    site = dataclasses.replace(made, operator=OperatorDoor(Secret(KEY)))
    told, has_acted = told_act(site, None, KEY, wish("hide", anchor))
    assert has_acted and "anchor of a judge" in told
