"""Protocols are found by name, id or file, wherever this machine keeps them."""

import dataclasses
from pathlib import Path

import pytest

from evaluation.errors import ProtocolError
from evaluation.protocol import Protocol, encode, load_shipped
from leaderboard import protocols, settings
from leaderboard.published import Published
from leaderboard.settings import Settings
from submissions.store.folder import PublishedFolder
from tests.submissions.published_example import protocol as example_protocol
from tests.submissions.published_example import send, submission


@pytest.fixture
def home(tmp_path: Path) -> Settings:
    """Return settings of an empty home."""
    return settings.from_env({"CASTBOARD_HOME": str(tmp_path / "home")})


def named(name: str) -> Protocol:
    """Return a protocol of that name."""
    return dataclasses.replace(load_shipped("lite"), name=name)


def test_shipped_protocol_is_found_by_name_and_id(home: Settings) -> None:
    """The id of what ships works like any other."""
    lite = load_shipped("lite")
    for name in ("lite", lite.id, lite.id[:6]):
        assert protocols.find(home, name) == lite


def test_frozen_protocol_is_found_by_id_prefix_name_and_path(home: Settings) -> None:
    """What was frozen here is a protocol of this machine from then on."""
    mine = named("mine")
    path = protocols.keep(home, mine)
    assert path == home.home / "protocols" / f"{mine.id}.json"
    for name in (mine.id, mine.id[:6], "mine", str(path)):
        assert protocols.find(home, name) == mine


def test_published_protocol_is_known_with_its_rows(home: Settings, tmp_path: Path) -> None:
    """A season whose recipe is on the board alone is found by its id."""
    files = PublishedFolder(home.home / "published")
    old = example_protocol()
    send(files, submission(tmp_path / "clips", "first-system"), old)
    assert protocols.find(home, old.id) == old
    assert [(one.protocol.name, one.source, one.n_rows) for one in protocols.known(home)] == [
        ("lite", "shipped", 0),
        ("lite", "published", 1),
    ]


def test_season_appears_on_the_board_with_its_first_row(home: Settings, tmp_path: Path) -> None:
    """A frozen protocol without rows is no season yet; with one it is offered, and the old season stays."""
    files = PublishedFolder(home.home / "published")
    first, second = example_protocol(), dataclasses.replace(example_protocol(), name="second")
    protocols.keep(home, second)
    one = submission(tmp_path / "clips", "first-system")
    send(files, one, first)
    board = Published(files, [first])
    assert [season.protocol.name for season in board.boards()] == ["lite"]
    send(files, one, second)
    seasons = board.boards()
    assert [(season.protocol.name, len(season.rows)) for season in seasons] == [("lite", 1), ("second", 1)]
    assert board.board(second.id).protocol == second


def test_keeping_twice_is_keeping_once_and_never_overwrites(home: Settings) -> None:
    """A file of that id that holds something else is left alone."""
    mine = named("mine")
    path = protocols.keep(home, mine)
    assert protocols.keep(home, mine) == path
    path.write_bytes(b"precious")
    with pytest.raises(ProtocolError, match="holds something else"):
        protocols.keep(home, mine)
    assert path.read_bytes() == b"precious"


def test_known_protocol_is_not_kept_again(home: Settings) -> None:
    """A worker finds what ships without a copy in the home; what came as a file it would not find."""
    protocols.keep_known(home, load_shipped("lite"))
    assert not protocols.folder(home).exists()
    protocols.keep_known(home, named("mine"))
    assert protocols.find(home, named("mine").id) == named("mine")


def test_name_that_means_nothing_or_several_is_refused(home: Settings) -> None:
    """The message lists what there is, or what it could mean."""
    with pytest.raises(ProtocolError, match=r"no protocol is called 'nine'; .* known are 00343e71819c \(lite\)"):
        protocols.find(home, "nine")
    one = named("twin")
    other = dataclasses.replace(one, track="other")
    for protocol in (one, other):
        protocols.keep(home, protocol)
    with pytest.raises(ProtocolError, match="'twin' means 2 protocols"):
        protocols.find(home, "twin")
    with pytest.raises(ProtocolError, match="no protocol is called '00343'"):
        protocols.find(home, "00343")
    with pytest.raises(ProtocolError, match="no protocol is called"):
        protocols.find(home, "../../lite")


def test_file_that_is_not_what_its_name_says_is_refused(home: Settings) -> None:
    """A recipe cannot be changed under its id."""
    path = protocols.keep(home, named("mine"))
    path.write_bytes(encode(named("yours")))
    with pytest.raises(ProtocolError, match="the file's name must be the id of its content"):
        protocols.find(home, named("mine").id)
