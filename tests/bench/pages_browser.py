"""A browser that measures a site from inside: from what a reader does until what it changes is painted."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
PATIENCE_MS = 20_000
QUIET_S = 0.5
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")

# Runs in every document before its own scripts. Times are absolute, so that one can be taken in a page that is left
# and the other in the page that comes; a change counts as painted in the frame after the one in which it is there.
_WATCH = """
(() => {
  const now = () => performance.timeOrigin + performance.now();
  const find = () => {
    const table = document.querySelector("#board-table, #trait-table, #page-trait table");
    const rows = table ? Array.from(table.querySelectorAll("tbody tr")) : [];
    if (!rows.length) return "";
    const shown = rows.filter((row) => !row.hidden && row.style.display !== "none");
    const name = (row) => row.id || row.dataset.submission || (row.querySelector("a[href]") || row).textContent;
    const head = table.querySelector("thead") ? table.querySelector("thead").textContent : "";
    const cells = shown.slice(0, 3).map((row) => row.textContent).join("|");
    return [table.dataset.protocol, location.search, head, shown.length, shown.slice(0, 40).map(name), cells].join("~");
  };
  window.castboardBench = { now, find };
  const watch = () => {
    const wanted = sessionStorage.getItem("bench-before");
    if (wanted === null) return;
    const found = find();
    const isBusy = document.querySelector("[aria-busy='true']");
    if (!found || found === wanted || isBusy) { requestAnimationFrame(watch); return; }
    requestAnimationFrame(() => {
      sessionStorage.removeItem("bench-before");
      sessionStorage.setItem("bench-painted", String(now()));
    });
  };
  window.castboardBench.watch = watch;
  if (!location.protocol.startsWith("http")) return;
  if (sessionStorage.getItem("bench-before") === null) {
    sessionStorage.setItem("bench-before", "");
    sessionStorage.removeItem("bench-painted");
  }
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", watch); else watch();
  requestAnimationFrame(watch);
})();
"""
_ACT = """
(act) => {
  const bench = window.castboardBench;
  sessionStorage.removeItem("bench-painted");
  sessionStorage.setItem("bench-before", bench.find());
  const at = bench.now();
  new Function(act)();
  bench.watch();
  return at;
}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What one page took to load, without audio."""

    n_requests: int
    """Requests."""
    n_encoded: int
    """Bytes on the wire."""
    n_decoded: int
    """Bytes after unpacking."""


class Reader:
    """One page of a browser with empty caches."""

    def __init__(self, page: Any, address: str) -> None:
        """Read the site at `address` in `page`."""
        self._page, self._address = page, address
        self._load = [0, 0, 0]
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        kinds: dict[str, str] = {}
        self._changed_s = time.monotonic()

        def came(event: dict[str, Any]) -> None:
            kinds[event["requestId"]] = event["type"]
            self._changed_s = time.monotonic()
            self._load[0] += event["type"] != "Media"

        def ended(event: dict[str, Any]) -> None:
            self._changed_s = time.monotonic()
            self._load[1] += int(event["encodedDataLength"]) if kinds.get(event["requestId"]) != "Media" else 0

        def data(event: dict[str, Any]) -> None:
            self._load[2] += int(event["dataLength"]) if kinds.get(event["requestId"]) != "Media" else 0

        session.on("Network.responseReceived", came)
        session.on("Network.loadingFinished", ended)
        session.on("Network.dataReceived", data)

    def open(self, path: str) -> float:
        """Go to a page with a table, and return the milliseconds until its first row was painted."""
        self._page.goto(self._address + path, wait_until="commit")
        painted = self._painted()
        began = self._page.evaluate("performance.timeOrigin")
        return float(painted - began)

    def look(self, path: str) -> int:
        """Go to any page, wait until it is quiet, and return the status of the answer."""
        answer = self._page.goto(self._address + path, wait_until="load")
        self.settle()
        return int(answer.status)

    def weigh(self, path: str) -> Weight:
        """Go to a page, wait until it is quiet, and return what it took."""
        self._load[:] = [0, 0, 0]
        self.look(path)
        return Weight(n_requests=self._load[0], n_encoded=self._load[1], n_decoded=self._load[2])

    def has(self, selector: str) -> bool:
        """Say whether the page has such an element."""
        return bool(self._page.evaluate("one => document.querySelector(one) !== null", selector))

    def act(self, script: str) -> float:
        """Do something to the page, and return the milliseconds until the changed table was painted."""
        at = float(self._page.evaluate(_ACT, script))
        return self._painted() - at

    def settle(self) -> None:
        """Wait until no request begins or ends for a while; one that stays open, as a framework's may, is no matter."""
        until_s = time.monotonic() + PATIENCE_MS / 1e3
        self._changed_s = time.monotonic()
        while time.monotonic() < min(until_s, self._changed_s + QUIET_S):
            self._page.wait_for_timeout(50)

    def _painted(self) -> float:
        wait = "() => sessionStorage.getItem('bench-painted')"
        # Asked for seldom, since each asking takes time from what is measured; the page notes the moment itself.
        return float(self._page.wait_for_function(wait, timeout=PATIENCE_MS, polling=100).json_value())


@contextmanager
def opened_browser() -> Iterator[Callable[[str], "Reader"]]:
    """Give what opens a page with empty caches at a site's address."""
    from playwright import sync_api

    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_ARGUMENTS))
        contexts: list[Any] = []

        def fresh(address: str) -> Reader:
            while contexts:
                contexts.pop().close()
            # The policy of the pages forbids scripts such as ours; nothing else about them changes.
            context = browser.new_context(viewport={"width": 1440, "height": 900}, bypass_csp=True)
            contexts.append(context)
            context.add_init_script(_WATCH)
            page = context.new_page()
            page.set_default_timeout(PATIENCE_MS)
            return Reader(page, address)

        yield fresh
        browser.close()
