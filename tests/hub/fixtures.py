"""Fixtures that give a hub double; a test module imports those it uses: `from tests.hub.fixtures import hub`.

Whoever talks to a double through the real client without a `HubRepo` needs `hub_client` too: it lets the client of
this process go online, and without Xet, whatever the environment said when it was imported.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hub.double import HubDouble
from tests.hub.remote import RemoteHub


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[HubDouble]:
    """A hub in a thread, with an account `ohm` and its token."""
    with HubDouble(tmp_path / "hub") as double:
        yield double


@pytest.fixture
def remote_hub(tmp_path: Path) -> Iterator[RemoteHub]:
    """A hub in a process of its own."""
    with RemoteHub(tmp_path / "hub") as double:
        yield double


@pytest.fixture
def hub_client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the real client go online in this process."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf-cache"))


def client_environ(endpoint: str, home: Path) -> dict[str, str]:
    """Return what a process that is to talk to a double needs in its environment; HF_HUB_OFFLINE must not be there."""
    return {
        "HF_ENDPOINT": endpoint,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(home),
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
