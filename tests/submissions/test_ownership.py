"""Whose a submission is, and what it is a new version of: by what a sign-in vouches for, never by typed names."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.codec import sha256_of_file
from submissions import bans, queue
from submissions.bans import Account
from submissions.operator_events import Renamed
from submissions.ownership import Sender, is_owner, owner_of
from submissions.quota import Limits, QuotaSpent
from submissions.reception import NotTaken, Receipt, Upload, enter, receive
from submissions.records import Person, Received
from submissions.state import State
from submissions.store.folder import FolderStore
from tests.submissions.small_evaluation import make_corpus, tones, write_zip
from tests.submissions.test_quota import PETER, POLLY
from tests.submissions.test_reception import FORM
from tests.submissions.work_examples import CARD, NOON, later, received

STRANGER = Person(account="id-of-mallory", name="mallory", organisations=())
ONE, TWO = Limits(person=1), Limits(person=2, organisation=2)


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    """Give an empty store."""
    return FolderStore(tmp_path / "home")


def alone(person: Person) -> Sender:
    """Return a person on its own."""
    return Sender(person=person, organisation=None, named=person.name)


def member(person: Person, organisation: str = "aviary") -> Sender:
    """Return a person that sends for an organisation."""
    return Sender(person=person, organisation=organisation, named=organisation)


def send(store: FolderStore, sender: Sender, at_s: float, quota: Limits | None = None, **card: str) -> Receipt:
    """Let a zip that was found clean enter; of the card, some is changed."""
    given = {"system": "Parrot", "organisation": sender.named or "Aviary", **card}
    with tempfile.TemporaryDirectory() as name:
        zip_path = Path(name) / "one.zip"
        zip_path.write_bytes(b"found clean")
        came = replace(
            received(),
            card=replace(CARD, **given),  # type: ignore[arg-type]
            zip_sha256=sha256_of_file(zip_path),
            person=sender.person,
            organisation=sender.organisation,
        )
        return enter(came, zip_path, sender, store=store, now=later(at_s), quota=quota or Limits())


def first_event(store: FolderStore, receipt: Receipt) -> Received:
    """Return what came."""
    return queue.load(store, receipt.submission).received


def test_neither_form_nor_zip_sets_the_organisation(store: FolderStore, tmp_path: Path) -> None:
    """It follows from whom the sender sends for; account, name and organisation are kept."""
    corpus = make_corpus(tmp_path, 1)
    evil = {"organisation": "evil-corp", "contact": "c@d.example"}
    receipt = receive(
        Upload(
            zip_path=write_zip(tmp_path / "one.zip", tones(corpus), system=evil),
            card_fields={**FORM, "organisation": "another"},
            submitter="polly",
            sender=member(POLLY),
        ),
        corpus=corpus,
        store=store,
        work_dir=tmp_path,
        now=later(0),
        code_version="0.1.0",
        decoder_processes=1,
    )
    kept = first_event(store, receipt)
    assert (kept.person, kept.organisation, kept.submitter) == (POLLY, "aviary", "polly")
    assert kept.card.organisation == "aviary"


def test_owners_are_the_sender_and_its_organisation() -> None:
    """Not whoever has the same user name, nor the members of an organisation that was only typed."""
    mine = replace(received(), person=POLLY, organisation="Aviary")
    assert is_owner(POLLY, mine) and is_owner(PETER, mine)
    assert not is_owner(STRANGER, mine) and not is_owner(None, mine)
    assert not is_owner(replace(STRANGER, name="polly"), mine)
    typed = replace(received(), person=POLLY, card=replace(CARD, organisation="aviary"))
    assert is_owner(POLLY, typed) and not is_owner(PETER, typed)
    assert not is_owner(POLLY, received()) and owner_of(received()) is None


def test_a_new_version_supersedes_the_newest_of_the_same_owner(store: FolderStore) -> None:
    """In whatever case the name is written, and whichever member sends it."""
    one = send(store, member(POLLY), 0)
    two = send(store, member(PETER), 1, version="3", system="PARROT")
    three = send(store, member(POLLY), 2, version="4")
    other = send(store, member(POLLY), 3, system="Heron")
    found = [first_event(store, receipt).supersedes for receipt in (one, two, three, other)]
    assert found == [None, one.submission, two.submission, None]


def test_a_granted_name_goes_on_with_its_system(store: FolderStore) -> None:
    """The next version comes under the new name, or still under the old one."""
    one = send(store, member(POLLY), 0)
    names = Renamed(system="Macaw", organisation="aviary", reason="A better name.", operator="keeper")
    queue.append(store, one.submission, later(1), lambda _: names)
    two = send(store, member(POLLY), 2, system="MACAW", version="3")
    three = send(store, member(POLLY), 3, version="4")
    assert first_event(store, two).supersedes == first_event(store, three).supersedes == one.submission


def test_nobody_else_supersedes(store: FolderStore) -> None:
    """Neither a stranger under the same names, nor the same person for another organisation, nor one on its own."""
    send(store, member(POLLY), 0)
    for at, sender in enumerate((alone(STRANGER), alone(POLLY), member(POLLY, "marsh-lab")), start=1):
        assert first_event(store, send(store, sender, at, version=f"{at}.1")).supersedes is None
    typed = Sender(person=STRANGER, organisation=None, named=None)
    assert first_event(store, send(store, typed, 9, organisation="aviary")).supersedes is None


def test_typed_organisations_keep_a_local_user_s_systems_apart(store: FolderStore) -> None:
    """The configured user sends for many; only the same typed one continues a system, in whatever case."""
    kim = Sender(person=Person(account="kim", name="kim", organisations=()), organisation=None, named=None)
    one = send(store, kim, 0, organisation="Aviary")
    other = send(store, kim, 1, organisation="Marsh")
    two = send(store, kim, 2, organisation="AVIARY", version="3")
    assert first_event(store, other).supersedes is None
    assert first_event(store, two).supersedes == one.submission


def test_a_version_that_was_taken_back_is_passed_over(store: FolderStore) -> None:
    """The one before it is superseded."""
    one = send(store, alone(POLLY), 0)
    two = send(store, alone(POLLY), 1, version="3")
    queue.withdraw(store, two.submission, later(2), "mistake")
    assert first_event(store, send(store, alone(POLLY), 3, version="4")).supersedes == one.submission


def test_the_last_try_is_the_last(store: FolderStore) -> None:
    """Nothing of what is refused is kept; the same zip still gets its receipt; a free one is given back."""
    one = send(store, alone(POLLY), 0, ONE)
    with pytest.raises(QuotaSpent, match="polly has used all 1"):
        send(store, alone(POLLY), 1, ONE, version="3")
    assert store.submissions() == (one.submission,)
    again = send(store, alone(POLLY), 2, ONE)
    assert again.is_repeat and again.submission == one.submission
    queue.withdraw(store, one.submission, later(3), "mistake")
    send(store, alone(POLLY), 4, ONE, version="3")
    with pytest.raises(QuotaSpent):
        send(store, alone(POLLY), 5, ONE)
    assert queue.load(store, one.submission).state is State.WITHDRAWN


def test_an_organisation_s_quota_is_of_all_members(store: FolderStore) -> None:
    """Two members, two tries; a third is for nobody, and each may still send alone."""
    send(store, member(POLLY), 0, TWO)
    send(store, member(PETER), 1, TWO, version="3")
    with pytest.raises(QuotaSpent, match=r"aviary .all its members together. has used all 2"):
        send(store, member(PETER), 2, TWO, version="4")
    send(store, alone(PETER), 3, TWO, version="4")


class Twin(FolderStore):
    """A store into which another process writes at the very instant between the decision and the event."""

    def __init__(self, home: Path, between: list[object]) -> None:
        super().__init__(home)
        self._between = between

    def receive(self, *arguments: object) -> None:
        if self._between:
            action = self._between.pop()
            action()  # type: ignore[operator]
        super().receive(*arguments)  # type: ignore[arg-type]


def test_two_processes_do_not_share_the_last_try(tmp_path: Path) -> None:
    """The later one is taken back and told so; the earlier one stays."""
    import submissions.reception as desk

    store = FolderStore(tmp_path / "home")

    def other() -> None:
        desk._DESK.release()  # another process has a desk of its own
        send(store, alone(POLLY), 0, ONE, version="3")
        desk._DESK.acquire()

    with pytest.raises(QuotaSpent, match="at the same moment"):
        send(Twin(tmp_path / "home", [other]), alone(POLLY), 1, ONE)
    states = {state.received.card.version: state.state for state in queue.load_all(store)}
    assert states == {"3": State.QUEUED, "2": State.WITHDRAWN}


def test_the_banned_send_nothing(store: FolderStore) -> None:
    """They are told why; others of their organisation still may."""
    account = Account(account=POLLY.account, name="polly")
    bans.ban(store, account, at=NOON, reason="Sent another's voice.", operator="op")
    with pytest.raises(NotTaken, match="Sent another's voice"):
        send(store, member(POLLY), 1)
    assert store.submissions() == ()
    send(store, member(PETER), 2)


def test_nobody_brings_back_what_another_took_back(store: FolderStore) -> None:
    """Not with the very same zip and card."""
    typed = Sender(person=POLLY, organisation=None, named=None)
    receipt = send(store, typed, 0, organisation="Aviary")
    queue.withdraw(store, receipt.submission, later(1), "mistake")
    with pytest.raises(NotTaken, match="belongs to somebody else"):
        send(store, Sender(person=STRANGER, organisation=None, named=None), 2, organisation="Aviary")
    assert queue.load(store, receipt.submission).state is State.WITHDRAWN
    send(store, typed, 3, organisation="Aviary")
    assert queue.load(store, receipt.submission).state is State.QUEUED
