"""Sites whose numbers are worked out again."""

import pytest

from leaderboard.context import Context
from tests.leaderboard import cast, nine


@pytest.fixture(scope="session")
def nine_site(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A board of six systems in all nine dimensions, with a judge."""
    return nine.make_site(tmp_path_factory.mktemp("why-nine"))


@pytest.fixture(scope="session")
def lite_site(tmp_path_factory: pytest.TempPathFactory) -> Context:
    """A board of six systems under the shipped recipe."""
    return cast.make_site(tmp_path_factory.mktemp("why-lite"), cast.SIX)
