"""The read API of sites that several tests look at."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from leaderboard.api.app import build
from leaderboard.context import Context

Ask = Callable[[str], dict[str, object]]


@pytest.fixture(scope="session")
def api(six: Context) -> TestClient:
    """The API of the site with six systems."""
    return TestClient(build(six))


@pytest.fixture(scope="session")
def nine_api(nine: Context) -> TestClient:
    """The API of the site that measures nine dimensions."""
    return TestClient(build(nine))


@pytest.fixture(scope="session")
def hostile_api(hostile_nine: Context) -> TestClient:
    """The API of a site whose first system and judge are full of markup and formulas."""
    return TestClient(build(hostile_nine))
