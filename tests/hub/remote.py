"""A double in a process of its own, commanded over HTTP: it survives killed clients, and can be killed."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Self

from tests.hub.double import TOKEN
from tests.hub.failures import Failure, Seen, to_json

ROOT = Path(__file__).resolve().parents[2]


class RemoteHub:
    """`with RemoteHub(tmp_path / "hub") as hub`: as `HubDouble`, but a process; `kill` and `start` keep the address."""

    def __init__(self, folder: Path) -> None:
        """Keep repos in `folder`."""
        self._folder = folder
        self._port = 0
        self._process: subprocess.Popen[str] | None = None
        self.token = TOKEN
        self.endpoint = ""

    def start(self) -> Self:
        """Start the process and wait until it listens."""
        command = [sys.executable, "-m", "tests.hub", "--port", str(self._port), "--folder", str(self._folder)]
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=dict(os.environ)
        )
        assert self._process.stdout is not None
        self.endpoint = self._process.stdout.readline().strip()
        self._port = int(self.endpoint.rpartition(":")[2])
        return self

    def kill(self) -> None:
        """Kill the process at once; repos stay on the disk, accounts and planned failures do not."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
        self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.kill()

    def fail(self, pattern: str, **how: Any) -> None:
        """Let requests fail; see `failures.Failure`."""
        self._call("POST", "fail", to_json(Failure(pattern=pattern, **how)))

    def calm(self) -> None:
        """Forget every planned failure and be up."""
        self._call("POST", "calm", {})

    def down(self) -> None:
        """Cut every connection at once, until `calm`."""
        self._call("POST", "down", {})

    def add_user(self, name: str, token: str, *, organisations: tuple[str, ...] = (), can_write: bool = True) -> None:
        """Add an account."""
        asked = {"name": name, "token": token, "organisations": organisations, "can_write": can_write}
        self._call("POST", "user", asked)

    def sign_in_as(self, name: str) -> None:
        """Let this account consent when a site asks who is there."""
        self._call("POST", "consent", {"name": name})

    def switch(self, **values: Any) -> None:
        """Set tree_page, commits_page, has_cdn or multipart_bytes."""
        self._call("POST", "switch", values)

    def create(self, repo_id: str, *, kind: str = "dataset", private: bool = False) -> None:
        """Create a repo."""
        self._call("POST", "repo", {"kind": kind, "id": repo_id, "private": private})

    def seen(self, kind: str | None = None, repo: str | None = None) -> list[Seen]:
        """Return the requests until now, of a kind and of a repo."""
        found = [Seen(**one) for one in self._call("GET", "seen")]
        wanted = (one for one in found if kind is None or one.kind == kind)
        return [one for one in wanted if repo is None or one.repo.partition(":")[2] == repo]

    def forget_seen(self) -> None:
        """Count from zero again."""
        self._call("DELETE", "seen")

    def history(self, repo_id: str, kind: str = "dataset") -> list[dict[str, Any]]:
        """Return id, title and files of all commits, the newest first."""
        found: list[dict[str, Any]] = self._call("GET", f"history?kind={kind}&id={repo_id}")
        return found

    def _call(self, method: str, name: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.endpoint}/_double/{name}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
