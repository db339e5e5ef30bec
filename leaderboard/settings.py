"""The only reader of the environment; everything else is handed what it needs.

| variable            | meaning                                                        | default     |
|---------------------|----------------------------------------------------------------|-------------|
| CASTBOARD_HOME      | folder that holds everything Castboard keeps                   | ./data      |
| CASTBOARD_HOST      | address to listen on                                           | 127.0.0.1, on a Space 0.0.0.0 |
| CASTBOARD_PORT      | port to listen on                                              | 7860        |
| CASTBOARD_PROCESSES | evaluator processes of one thread each                         | number of cores |
| CASTBOARD_DEMO      | demo systems for an empty home: 0 none, 1 quick engines, all   | 1, on a Space 0 |
| CASTBOARD_PROTOCOL  | protocol of new submissions: a shipped name, an id or a JSON file | lite     |
| CASTBOARD_CORPUS    | corpus file that the protocol pins, <name>.forms.json beside it | the packaged benchmark_v1 |
| CASTBOARD_MODELS    | folder of hub models, one folder each                          | models below the home |
| CASTBOARD_NON_COMMERCIAL | 1 allows models whose licence forbids commercial use      | 0           |
| CASTBOARD_JUDGE_URL | address of the judge's endpoint                                | the provider's own |
| CASTBOARD_JUDGE_KEY | key of the judge's endpoint; never shown                       | none        |
| CASTBOARD_JUDGE_PARALLEL | calls to the judge at once                                | 4           |
| CASTBOARD_JUDGE_PER_MINUTE | calls to the judge in a minute, 0 for no limit          | 0           |
| CASTBOARD_JUDGE_BUDGET | most that one submission may spend, USD                     | no limit    |
| CASTBOARD_JUDGE_DAY_BUDGET | most that all may spend in a UTC day, USD               | no limit    |
| CASTBOARD_JUDGE_PRICES | price file that replaces the shipped one                    | the shipped one |
| CASTBOARD_HUB_BOARD | public dataset repo of the published board, org/name            | a folder of the home |
| CASTBOARD_HUB_WORK  | private dataset repo of the work, org/name; goes with the board's | a folder of the home |
| CASTBOARD_HUB_TOKEN, else HF_TOKEN | token that may write to both; never shown       | none        |
| CASTBOARD_HUB_SPOOL | 1: the disk outlives a restart; it keeps submissions if the hub is away | 1, on a Space 0 |
| HF_ENDPOINT         | address of the hub                                             | the public one |
| CASTBOARD_HUB_CACHE | most that copies of the hub's files may take here, GiB         | 8           |
| OAUTH_CLIENT_ID, OAUTH_CLIENT_SECRET | people sign in as this client; set by a Space that asks for it | no sign-in |
| OAUTH_SCOPES        | what a sign-in asks for                                        | openid profile |
| OPENID_PROVIDER_URL | who vouches for people                                         | https://huggingface.co |
| CASTBOARD_USER      | who submits where nobody can sign in                           | local       |
| CASTBOARD_ORGANISATIONS | organisations of that user, separated by commas            | any that the form names |
| CASTBOARD_WEEKLY_PERSON | submissions that a person may send in seven days, 0 for no limit | 0, on a Space 3 |
| CASTBOARD_WEEKLY_ORGANISATION | the same for an organisation                         | 0, on a Space 6 |
| CASTBOARD_ROOM      | what must stay free on the disk for a zip to be kept, GiB      | 2           |
| CASTBOARD_OPERATORS | account names of the operators, separated by commas            | none        |
| CASTBOARD_BEHIND_PROXY | 1: a proxy of yours stands before the site and appends X-Forwarded-For | 0, on a Space 1 |
| CASTBOARD_SITE_URL  | address that visitors know the site by                         | the one it listens on |
| CASTBOARD_OPERATOR_KEY | unlocks the operator's buttons, 12 signs or more; never shown | the buttons are not there |
"""

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from evaluation.errors import CastboardError
from leaderboard.outside import HubSettings, OAuthSettings
from leaderboard.secret import Secret

Demo = Literal["0", "1", "all"]

_KNOWN = (
    "CASTBOARD_HOME",
    "CASTBOARD_HOST",
    "CASTBOARD_PORT",
    "CASTBOARD_PROCESSES",
    "CASTBOARD_DEMO",
    "CASTBOARD_PROTOCOL",
    "CASTBOARD_CORPUS",
    "CASTBOARD_MODELS",
    "CASTBOARD_NON_COMMERCIAL",
    "CASTBOARD_JUDGE_URL",
    "CASTBOARD_JUDGE_KEY",
    "CASTBOARD_JUDGE_PARALLEL",
    "CASTBOARD_JUDGE_PER_MINUTE",
    "CASTBOARD_JUDGE_BUDGET",
    "CASTBOARD_JUDGE_DAY_BUDGET",
    "CASTBOARD_JUDGE_PRICES",
    "CASTBOARD_HUB_BOARD",
    "CASTBOARD_HUB_WORK",
    "CASTBOARD_HUB_TOKEN",
    "CASTBOARD_HUB_SPOOL",
    "CASTBOARD_HUB_CACHE",
    "CASTBOARD_USER",
    "CASTBOARD_ORGANISATIONS",
    "CASTBOARD_WEEKLY_PERSON",
    "CASTBOARD_WEEKLY_ORGANISATION",
    "CASTBOARD_ROOM",
    "CASTBOARD_OPERATORS",
    "CASTBOARD_BEHIND_PROXY",
    "CASTBOARD_SITE_URL",
    "CASTBOARD_OPERATOR_KEY",
)
_PORTS = range(65_536)
_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_MICRO = 1_000_000
_MOST_USD = 1_000_000
_LEAST_OPERATOR_KEY = 12


class SettingsError(CastboardError):
    """A variable of the environment is unknown or malformed; the program refuses to start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How this process was asked to run."""

    home: Path
    """Folder that holds everything Castboard keeps; absolute."""
    host: str
    """Address to listen on."""
    port: int
    """Port to listen on; 0 lets the system choose."""
    n_processes: int
    """Evaluator processes, at least 1."""
    demo: Demo
    """Which demo systems an empty home gets."""
    protocol: str
    """Name of a shipped protocol, id of a known one, or path of a protocol file."""
    corpus: Path | None
    """Corpus file; None for the packaged one."""
    models: Path
    """Folder of hub models; absolute, need not exist."""
    allows_non_commercial: bool = False
    """Whether models whose licence forbids commercial use may run."""
    judge_url: str | None = None
    """Address of the judge's endpoint; None for the provider's own."""
    judge_key: Secret | None = None
    """Key of the judge's endpoint; None if it needs none."""
    judge_n_parallel: int = 4
    """Calls to the judge at once, >= 1."""
    judge_per_minute: int = 0
    """Calls to the judge in a minute; 0 for no limit."""
    judge_budget_micro_usd: int | None = None
    """Most that one submission may spend on the judge, millionths of a USD; None for no limit."""
    judge_day_budget_micro_usd: int | None = None
    """Most that all submissions may spend on the judge in a UTC day, millionths of a USD; None for no limit."""
    judge_prices: Path | None = None
    """Price file; None for the shipped one."""
    operator_key: Secret | None = None
    """Unlocks the operator's buttons; None: there are none."""
    hub: HubSettings | None = None
    """Where on the hub work and publications are kept; None: in the home."""
    oauth: OAuthSettings | None = None
    """How people sign in, as on a Space that asks for it; None: nobody can."""
    user: str = "local"
    """Who submits where nobody can sign in."""
    organisations: tuple[str, ...] | None = None
    """Organisations of that user; None: any that the form names."""
    weekly_person: int = 0
    """Submissions that a person may send in seven days; 0 for no limit."""
    weekly_organisation: int = 0
    """Submissions that may be sent for an organisation in seven days; 0 for no limit."""
    room_bytes: int = 2 << 30
    """What must stay free on the disk for a zip to be kept in the home, bytes."""
    operators: tuple[str, ...] = ()
    """Account names of the operators."""
    site_url: str = ""
    """Address that visitors know the site by, without a slash at the end."""
    is_on_space: bool = False
    """Whether a hub runs this as a Space, where anybody may come."""
    is_behind_proxy: bool = False
    """Whether visitors come through a proxy that names their address, as on a Space."""
    space: str = ""
    """The Space that this runs in, "org/name"; empty anywhere else."""

    @property
    def has_oauth(self) -> bool:
        """Whether people sign in."""
        return self.oauth is not None


def from_env(environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from `environ` (the process's own by default).

    Raises:
        SettingsError: naming the variable, what is allowed and what came.
    """
    env = os.environ if environ is None else environ
    unknown = sorted(name for name in env if name.startswith("CASTBOARD_") and name not in _KNOWN)
    if unknown:
        raise SettingsError(f"unknown settings {', '.join(unknown)}; known are {', '.join(_KNOWN)}")
    on_space = "SPACE_ID" in env
    home = Path(env.get("CASTBOARD_HOME") or "data").absolute()
    return Settings(
        home=home,
        host=env.get("CASTBOARD_HOST") or ("0.0.0.0" if on_space else "127.0.0.1"),  # noqa: S104 - a Space is reached through its proxy
        port=_whole(env, "CASTBOARD_PORT", 7860, _PORTS),
        n_processes=_whole(env, "CASTBOARD_PROCESSES", os.cpu_count() or 1, range(1, 257)),
        demo=_demo(env.get("CASTBOARD_DEMO") or ("0" if on_space else "1")),
        protocol=env.get("CASTBOARD_PROTOCOL") or "lite",
        corpus=_path(env, "CASTBOARD_CORPUS"),
        models=_path(env, "CASTBOARD_MODELS") or home / "models",
        allows_non_commercial=_whole(env, "CASTBOARD_NON_COMMERCIAL", 0, range(2)) == 1,
        judge_url=_url(env, "CASTBOARD_JUDGE_URL"),
        judge_key=_secret(env, "CASTBOARD_JUDGE_KEY", 1),
        judge_n_parallel=_whole(env, "CASTBOARD_JUDGE_PARALLEL", 4, range(1, 257)),
        judge_per_minute=_whole(env, "CASTBOARD_JUDGE_PER_MINUTE", 0, range(1_000_001)),
        judge_budget_micro_usd=_micro_usd(env, "CASTBOARD_JUDGE_BUDGET"),
        judge_day_budget_micro_usd=_micro_usd(env, "CASTBOARD_JUDGE_DAY_BUDGET"),
        judge_prices=_path(env, "CASTBOARD_JUDGE_PRICES"),
        operator_key=_secret(env, "CASTBOARD_OPERATOR_KEY", _LEAST_OPERATOR_KEY),
        hub=_hub(env, may_spool=not on_space),
        oauth=_oauth(env, is_framed=on_space),
        user=env.get("CASTBOARD_USER") or "local",
        organisations=_names(env, "CASTBOARD_ORGANISATIONS"),
        weekly_person=_whole(env, "CASTBOARD_WEEKLY_PERSON", 3 if on_space else 0, range(1_001)),
        weekly_organisation=_whole(env, "CASTBOARD_WEEKLY_ORGANISATION", 6 if on_space else 0, range(1_001)),
        room_bytes=_whole(env, "CASTBOARD_ROOM", 2, range(10_001)) << 30,
        operators=_names(env, "CASTBOARD_OPERATORS") or (),
        site_url=_url(env, "CASTBOARD_SITE_URL") or _space_url(env),
        is_on_space=on_space,
        is_behind_proxy=_whole(env, "CASTBOARD_BEHIND_PROXY", int(on_space), range(2)) == 1,
        space=env.get("SPACE_ID", ""),
    )


def from_env_elsewhere(work: str, board: str, home: Path, environ: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of a worker beside no site: repos as given, and the home too unless the environment names one.

    Raises:
        SettingsError: as `from_env`.
    """
    env = dict(os.environ if environ is None else environ)
    repos = {"CASTBOARD_HUB_WORK": work, "CASTBOARD_HUB_BOARD": board}
    return from_env({**env, **repos, "CASTBOARD_HOME": env.get("CASTBOARD_HOME") or str(home)})


def child_environ(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment for processes we start: no hub, one thread for each numeric library."""
    env = dict(os.environ if environ is None else environ)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return env | threads | {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1"}


def require_home(settings: Settings) -> None:
    """Make the home folder, and see that it can be written.

    Raises:
        SettingsError: naming the folder and why it cannot be used.
    """
    try:
        settings.home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=settings.home):
            pass
    except OSError as error:
        raise SettingsError(
            f"CASTBOARD_HOME must be a folder that can be written, got {settings.home!s:.200}: {error.strerror}. "
            "Name another folder, or mend this one."
        ) from error


def keep_uploads_in(folder: Path) -> None:
    """Make Gradio keep files on their way in `folder`; only works before it is imported."""
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"


def _hub(env: Mapping[str, str], *, may_spool: bool) -> HubSettings | None:
    board, work = _repo(env, "CASTBOARD_HUB_BOARD"), _repo(env, "CASTBOARD_HUB_WORK")
    token = _secret(env, "CASTBOARD_HUB_TOKEN", 1) or _secret(env, "HF_TOKEN", 1)
    if board is None and work is None:
        return None
    if board is None or (work is not None and token is None) or board == work:
        raise SettingsError(
            "CASTBOARD_HUB_BOARD must name the public dataset repo, CASTBOARD_HUB_WORK another, private one, and "
            "CASTBOARD_HUB_TOKEN a token that may write to both; the board's repo alone only shows it. Got "
            f"board {board!r}, work {work!r} and {'a' if token else 'no'} token"
        )
    return HubSettings(
        board=board,
        work=work,
        token=token,
        may_spool=_whole(env, "CASTBOARD_HUB_SPOOL", int(may_spool), range(2)) == 1,
        cache_bytes=_whole(env, "CASTBOARD_HUB_CACHE", 8, range(1, 10_001)) << 30,
        endpoint=_url(env, "HF_ENDPOINT"),
    )


def _oauth(env: Mapping[str, str], *, is_framed: bool) -> OAuthSettings | None:
    client, secret = env.get("OAUTH_CLIENT_ID"), _secret(env, "OAUTH_CLIENT_SECRET", 1)
    if not client:
        return None
    if secret is None:
        raise SettingsError("OAUTH_CLIENT_ID is set, so OAUTH_CLIENT_SECRET must be too; got none")
    return OAuthSettings(
        client=client,
        secret=secret,
        scopes=env.get("OAUTH_SCOPES") or "openid profile",
        provider=_url(env, "OPENID_PROVIDER_URL") or "https://huggingface.co",
        is_framed=is_framed,
    )


def _repo(env: Mapping[str, str], name: str) -> str | None:
    text = env.get(name)
    if text and not _REPO.fullmatch(text):
        raise SettingsError(f"{name} must be a repo such as org/name, got {text!r:.80}")
    return text or None


def _names(env: Mapping[str, str], name: str) -> tuple[str, ...] | None:
    text = env.get(name)
    return tuple(part.strip() for part in text.split(",") if part.strip()) if text else None


def _space_url(env: Mapping[str, str]) -> str:
    host = env.get("SPACE_HOST", "").split(",")[0].strip()  # with a domain of one's own it names both
    return f"https://{host}" if host else ""


def _whole(env: Mapping[str, str], name: str, default: int, allowed: range) -> int:
    text = env.get(name) or str(default)
    if not text.isdecimal() or int(text) not in allowed:
        raise SettingsError(f"{name} must be a whole number from {allowed[0]} to {allowed[-1]}, got {text!r}")
    return int(text)


def _path(env: Mapping[str, str], name: str) -> Path | None:
    return Path(env[name]).absolute() if env.get(name) else None


def _micro_usd(env: Mapping[str, str], name: str) -> int | None:
    text = env.get(name)
    if not text:
        return None
    try:
        micro = Decimal(text) * _MICRO
    except InvalidOperation:
        micro = Decimal("NaN")
    if not micro.is_finite() or micro != micro.to_integral_value() or not 0 <= micro <= _MOST_USD * _MICRO:
        raise SettingsError(
            f"{name} must be an amount of USD from 0 to {_MOST_USD} with at most six decimals, got {text!r:.40}"
        )
    return int(micro)


def _url(env: Mapping[str, str], name: str) -> str | None:
    text = env.get(name)
    if not text:
        return None
    try:
        parts = urlsplit(text)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or any(sign.isspace() for sign in text) or parts.username is not None or parts.query:
        # What came is not repeated: it may hold a key.
        raise SettingsError(
            f"{name} must be an address such as https://host/v1 without a user or a query, got something else, "
            "which is not shown; a key has a setting of its own"
        )
    return text.rstrip("/")


def _secret(env: Mapping[str, str], name: str, n_least: int) -> Secret | None:
    text = env.get(name)
    if not text:
        return None
    if len(text) < n_least or not text.isascii() or not text.isprintable() or " " in text:
        raise SettingsError(
            f"{name} must be {n_least} or more printable ASCII signs without a space, got something else "
            f"of {len(text)} signs, which is not shown"
        )
    return Secret(text)


def _demo(text: str) -> Demo:
    if text == "0":
        return "0"
    if text == "1":
        return "1"
    if text == "all":
        return "all"
    raise SettingsError(f"CASTBOARD_DEMO must be 0, 1 or all, got {text!r}")
