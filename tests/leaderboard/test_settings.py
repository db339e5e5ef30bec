"""The environment is read once, strictly: a typo never changes what runs in silence."""

from pathlib import Path

import pytest

from leaderboard import settings


def test_defaults_need_no_variable() -> None:
    """An empty environment gives a local server with its data beside it."""
    found = settings.from_env({})
    assert (found.host, found.port, found.demo) == ("127.0.0.1", 7860, "1")
    assert found.home == Path("data").absolute()
    assert found.n_processes >= 1


def test_space_listens_outside_and_starts_empty() -> None:
    """On a Space the proxy must reach it, and nobody asked for demo systems."""
    found = settings.from_env({"SPACE_ID": "org/castboard"})
    assert (found.host, found.demo) == ("0.0.0.0", "0")


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"CASTBOARD_HOEM": "/x"}, "unknown settings CASTBOARD_HOEM; known are CASTBOARD_HOME"),
        ({"CASTBOARD_PORT": "http"}, "CASTBOARD_PORT must be a whole number from 0 to 65535, got 'http'"),
        ({"CASTBOARD_PORT": "65536"}, "got '65536'"),
        ({"CASTBOARD_PROCESSES": "0"}, "from 1 to 256, got '0'"),
        ({"CASTBOARD_DEMO": "yes"}, "CASTBOARD_DEMO must be 0, 1 or all, got 'yes'"),
    ],
)
def test_malformed_value_is_refused(environ: dict[str, str], message: str) -> None:
    """The message names the variable, what is allowed and what came."""
    with pytest.raises(settings.SettingsError, match=message):
        settings.from_env(environ)


def test_children_never_ask_a_hub_and_use_one_thread() -> None:
    """Evaluator processes inherit the environment with the hub switched off."""
    env = settings.child_environ({"PATH": "/bin", "OMP_NUM_THREADS": "8"})
    assert env["PATH"] == "/bin"
    assert env["OMP_NUM_THREADS"] == "1"
    assert env["HF_HUB_OFFLINE"] == "1"
