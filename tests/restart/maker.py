"""A maker at a browser: uploads a zip, presses Submit, and does it again until there is a receipt."""

import json
import re
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

CARD = {
    "card-version": "1",
    "card-organisation": "Marsh",
    "card-contact": "a@b.example",
    "card-licence": "MIT",
    "card-open_weights": "not said",
}
"""What is written into the form, by the id of the field."""
PAUSE_S = 0.1
N_PIECES, PIECE_S = 20, 0.05
"""Pieces in which a zip comes over the maker's line, and the time before each, s."""
PATIENCE_S = 120.0
_RECEIPT = re.compile(r'id="receipt-id"[^>]*>([a-z0-9-]+)<')


class Maker(threading.Thread):
    """One maker with one zip; `stage` tells what it waits for."""

    def __init__(self, zip_path: Path, system: str, url: str) -> None:
        """Prepare to send `zip_path` as `system` to the Space at `url`."""
        super().__init__(name=f"maker-{system}", daemon=True)
        self.system = system
        self.stage = "away"
        self.receipts: list[str] = []
        self.refusals: list[str] = []
        self.n_sent = 0
        self._zip = zip_path
        self._url = url
        self._until_s = time.monotonic() + PATIENCE_S

    def run(self) -> None:
        """Send until there is a receipt, or patience ends."""
        while not self.receipts and time.monotonic() < self._until_s:
            try:
                with httpx.Client(base_url=self._url, timeout=30.0, trust_env=False) as client:
                    self._send(client)
            except (httpx.HTTPError, json.JSONDecodeError):  # the Space has died; a person loads the page again
                self.stage = "away"
            if not self.receipts:
                time.sleep(PAUSE_S)
        self.stage = "done"

    def _send(self, client: httpx.Client) -> None:
        config = client.get("/config").raise_for_status().json()
        self.n_sent += 1
        self.stage = "upload"
        (path,) = self._upload(client).raise_for_status().json()
        self.stage = "check"
        answer = self._press(client, config, {"path": path, "meta": {"_type": "gradio.FileData"}})
        found = _RECEIPT.search(answer)
        if found:
            self.receipts.append(found[1])
        else:
            self.refusals.append(answer)

    def _upload(self, client: httpx.Client) -> httpx.Response:
        files = {"files": (f"{self.system}.zip", self._zip.read_bytes())}
        whole = client.build_request("POST", "/gradio_api/upload", files=files)
        body = whole.read()

        def pieces() -> Iterator[bytes]:
            step = -(-len(body) // N_PIECES)
            for at in range(0, len(body), step):
                time.sleep(PIECE_S)
                yield body[at : at + step]

        headers = {name: whole.headers[name] for name in ("Content-Type", "Content-Length")}
        return client.post("/gradio_api/upload", content=pieces(), headers=headers)

    def _press(self, client: httpx.Client, config: dict[str, Any], upload: dict[str, Any]) -> str:
        button = next(one for one in config["dependencies"] if one["api_name"] == "on_send")
        components = {one["id"]: one["props"] for one in config["components"]}
        texts = {**CARD, "card-system": self.system}
        places = [components[number].get("elem_id") for number in button["inputs"]]
        data = [upload if place == "submit-zip" else texts.get(place, "") for place in places]
        session = uuid.uuid4().hex
        body = {"data": data, "fn_index": button["id"], "session_hash": session}
        client.post("/gradio_api/queue/join", json=body).raise_for_status()
        with client.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as lines:
            for line in lines.iter_lines():
                message = json.loads(line.removeprefix("data:")) if line else {}
                if message.get("msg") == "process_completed":
                    return json.dumps(message["output"]).replace('\\"', '"')
        raise httpx.ReadError("the answer broke off")
