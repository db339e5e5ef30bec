"""The environment is read once, strictly: a typo never changes what runs in silence."""

import pickle
from argparse import Namespace
from pathlib import Path

import pytest

from leaderboard import settings
from leaderboard.verbs.operator import name_of_worker


def test_defaults_need_no_variable() -> None:
    """An empty environment gives a local server with its data beside it."""
    found = settings.from_env({})
    assert (found.host, found.port, found.demo) == ("127.0.0.1", 7860, "1")
    assert found.home == Path("data").absolute()
    assert found.n_processes >= 1


def test_space_listens_outside_and_starts_empty() -> None:
    """On a Space the proxy must reach it, and nobody asked for demo systems."""
    found = settings.from_env({"SPACE_ID": "org/castboard"})
    assert (found.host, found.demo, found.space) == ("0.0.0.0", "0", "org/castboard")


def test_the_worker_of_a_space_has_a_name_of_its_own() -> None:
    """It is the same after every restart, and no other's: so it may go on at once with what that name held."""

    def name(space: str, *words: str) -> tuple[str, bool]:
        environ = {"SPACE_ID": space} if space else {}
        options = Namespace(child="--child" in words, name="x" if "--name" in words else None, repo=None)
        return name_of_worker(options, settings.from_env(environ))

    first, is_sole = name("org/one", "--child")
    assert (first[:6], is_sole) == ("space-", True)
    assert name("org/one", "--child") == (first, True)
    assert name("org/two", "--child") != (first, True)
    assert [name("org/one"), name("", "--child"), name("org/one", "--name")] == [
        ("local", False),
        ("local", False),
        ("x", False),
    ]


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"CASTBOARD_HOEM": "/x"}, "unknown settings CASTBOARD_HOEM; known are CASTBOARD_HOME"),
        ({"CASTBOARD_PORT": "http"}, "CASTBOARD_PORT must be a whole number from 0 to 65535, got 'http'"),
        ({"CASTBOARD_PORT": "65536"}, "got '65536'"),
        ({"CASTBOARD_PROCESSES": "0"}, "from 1 to 256, got '0'"),
        ({"CASTBOARD_NON_COMMERCIAL": "yes"}, "CASTBOARD_NON_COMMERCIAL must be a whole number from 0 to 1, got 'yes'"),
        ({"CASTBOARD_JUDGE_PARALLEL": "0"}, "CASTBOARD_JUDGE_PARALLEL must be a whole number from 1 to 256, got '0'"),
        ({"CASTBOARD_JUDGE_BUDGET": "free"}, "CASTBOARD_JUDGE_BUDGET must be an amount of USD .* got 'free'"),
        ({"CASTBOARD_JUDGE_BUDGET": "NaN"}, "got 'NaN'"),
        ({"CASTBOARD_JUDGE_BUDGET": "-1"}, "got '-1'"),
        ({"CASTBOARD_JUDGE_DAY_BUDGET": "0.0000001"}, "CASTBOARD_JUDGE_DAY_BUDGET .* at most six decimals"),
        ({"CASTBOARD_JUDGE_DAY_BUDGET": "Infinity"}, "got 'Infinity'"),
        ({"CASTBOARD_JUDGE_URL": "judge.example"}, "CASTBOARD_JUDGE_URL must be an address"),
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


KEY = "sk-Rh4t-not-a-key"


def test_judge_and_models_are_set_by_the_environment_alone() -> None:
    """Without a word no money can be spent unseen, and no model with a licence that forbids it runs."""
    bare = settings.from_env({"CASTBOARD_HOME": "/somewhere"})
    assert (bare.models, bare.allows_non_commercial) == (Path("/somewhere/models"), False)
    assert (bare.judge_url, bare.judge_key, bare.judge_prices, bare.operator_key) == (None, None, None, None)
    assert (bare.judge_n_parallel, bare.judge_per_minute) == (4, 0)
    assert (bare.judge_budget_micro_usd, bare.judge_day_budget_micro_usd) == (None, None)
    found = settings.from_env(
        {
            "CASTBOARD_MODELS": "/models",
            "CASTBOARD_NON_COMMERCIAL": "1",
            "CASTBOARD_JUDGE_URL": "http://127.0.0.1:8000/v1/",
            "CASTBOARD_JUDGE_KEY": KEY,
            "CASTBOARD_JUDGE_PARALLEL": "2",
            "CASTBOARD_JUDGE_PER_MINUTE": "30",
            "CASTBOARD_JUDGE_BUDGET": "2.5",
            "CASTBOARD_JUDGE_DAY_BUDGET": "0",
            "CASTBOARD_JUDGE_PRICES": "/prices.json",
        }
    )
    assert (found.models, found.allows_non_commercial) == (Path("/models"), True)
    assert (found.judge_url, found.judge_prices) == ("http://127.0.0.1:8000/v1", Path("/prices.json"))
    assert (found.judge_n_parallel, found.judge_per_minute) == (2, 30)
    assert (found.judge_budget_micro_usd, found.judge_day_budget_micro_usd) == (2_500_000, 0)
    assert found.judge_key is not None
    assert found.judge_key.reveal() == KEY


def test_keys_are_never_shown() -> None:
    """Neither the settings' own text nor a refusal tells a key, wherever it was put."""
    found = settings.from_env({"CASTBOARD_JUDGE_KEY": KEY, "CASTBOARD_OPERATOR_KEY": KEY})
    assert KEY not in f"{found} {found!r} {found.judge_key} {found.judge_key!r} {[found.operator_key]:}"
    assert found.operator_key is not None
    assert found.operator_key.matches(KEY)
    assert not found.operator_key.matches(KEY + " ")
    assert found.judge_key == found.operator_key
    with pytest.raises(TypeError, match="not written"):
        pickle.dumps(found.judge_key)
    for environ in (
        {"CASTBOARD_JUDGE_KEY": KEY + "\n"},
        {"CASTBOARD_OPERATOR_KEY": KEY[:11]},
        {"CASTBOARD_JUDGE_URL": f"https://user:{KEY}@judge.example"},
        {"CASTBOARD_JUDGE_URL": f"https://judge.example/v1?key={KEY}"},
        {"CASTBOARD_JUDGE_URL": KEY},
        {"CASTBOARD_JUDGE_URL": f"https://[{KEY}"},
    ):
        with pytest.raises(settings.SettingsError, match="not shown") as refused:
            settings.from_env(environ)
        assert KEY[:11] not in str(refused.value)
