"""Sites that several tests look at; each is published once, through the real publisher."""

from pathlib import Path

import pytest

from leaderboard.context import Context
from tests.leaderboard import nine as nine_dimensions
from tests.leaderboard.cast import EVIL, HOSTILE, SIX, make_site


@pytest.fixture(scope="session")
def six(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site with six systems."""
    return make_site(tmp_path_factory.mktemp("six"), SIX)


@pytest.fixture(scope="session")
def lone(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site with one system."""
    return make_site(tmp_path_factory.mktemp("lone"), SIX[:1])


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site whose first system's card is full of markup and formulas."""
    return make_site(tmp_path_factory.mktemp("hostile"), (HOSTILE, SIX[0]))


@pytest.fixture(scope="session")
def nine(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A site whose board measures all nine dimensions, with cards and labels of people."""
    return nine_dimensions.make_site(tmp_path_factory.mktemp("nine"))


@pytest.fixture(scope="session")
def hostile_nine(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A nine-dimension site whose judge, cards and first system are full of markup."""
    parts = (HOSTILE, *SIX[:2])
    return nine_dimensions.make_site(tmp_path_factory.mktemp("hostile-nine"), parts, n_items=12, evil=EVIL)


@pytest.fixture
def empty(tmp_path: Path) -> Context:
    """A site without a system."""
    return make_site(tmp_path, ())
