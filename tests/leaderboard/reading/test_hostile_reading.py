"""Every reading page, every part of one and every figure of a hostile board, asked for by a hostile stranger."""

import ast
import csv
import io
import json
import random
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from leaderboard import figure_files, vote_routes, why_downloads, words
from leaderboard.context import Context
from leaderboard.reading.pages import PAGES
from leaderboard.reading.router import router
from tests.leaderboard.cast import EVIL, HOSTILE, SIX
from tests.leaderboard.page_reader import Page

ONE, OTHER = HOSTILE.id, SIX[0].id
TARGETS = [
    *((page.path, part) for page in PAGES for part in ("", *page.parts, "page-stamp")),
    *((f"/figure/{name}.{kind}", "") for name in words.FIGURES for kind in figure_files.KINDS),
    ("/vote", ""),
]
STATES: tuple[dict[str, str], ...] = (
    {},
    {"system": ONE, "id": ONE, "a": ONE, "b": OTHER, "systems": f"{ONE},{OTHER}", "row": ONE, "facts": "1"},
    {"system": ONE, "number": "emotion", "item": "it-004", "systems": ONE, "trait": "emotion", "walk": "dispute"},
    {"embed": "1", "path": "x", "self": "x", "state": "x", "here": "x", "cls": "x", "protocol": "x"},
    {"q": EVIL, "org": EVIL, "licence": EVIL, "find": EVIL, "protocol": EVIL, "a": EVIL, "system": EVIL, "id": EVIL},
    {"pick": f"age:{EVIL}", "value": EVIL, "item": EVIL, "systems": EVIL, "row": EVIL, "number": EVIL, "trait": EVIL},
    {"from": "9" * 190, "page": "9" * 190, "cols": "9" * 190, "coverage": "1e999", "size": ">1e999", "since": "٣٣٣٣"},
    {"from": "-1", "page": "nan", "coverage": "nan", "size": "nan", "q": "score:>nan", "until": "-inf", "tier": "²"},
    {"cols": ",".join(f"c{at}" for at in range(400)), "systems": f"{ONE},{OTHER}," * 70, "sort": "-score," * 300},
    {
        "q": '"' * 200,
        "find": "(" * 200,
        "pick": ":" * 200,
        "value": "\u202e" * 200,
        "item": "\x00",
        "id": "\ud7ff\uffff",
    },
    {"q": "a" * 199 + "!", "id": "\r\nSet-Cookie: x=1", "system": "//evil.example", "a": "javascript:alert(1)"},
)
_OUR_IMAGE = re.compile(r"/badge/[A-Za-z0-9_-]+\.svg(\?protocol=[0-9a-f]{12})?")
_PLACES = ("href", "src", "action", "formaction", "data-href", "data-later", "data-src", "poster")
_PLOTLY_TAG = re.compile(r"<(?!/?(?:b|br|i|extra)>)")
"""Plotly makes elements of a few tags in its texts, of `a` with an address too: none but these are ours."""


@pytest.fixture(scope="module")
def client(hostile_nine: Context) -> Iterator[TestClient]:
    """A stranger, who is told of a bug as a status."""
    app = FastAPI()
    app.include_router(router(hostile_nine, PAGES))
    app.include_router(figure_files.router(hostile_nine))
    app.include_router(why_downloads.router(hostile_nine))
    app.include_router(vote_routes.router(hostile_nine))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def _assert_inert(text: str) -> None:
    for element in Page(text).elements:
        assert element.tag not in ("iframe", "object", "style", "embed", "base")
        at = {name: value or "" for name, value in element.attributes.items()}
        assert element.tag != "script" or at["src"].startswith("/look/")
        assert element.tag != "img" or _OUR_IMAGE.fullmatch(at["src"])
        assert not any(name.startswith("on") or name == "srcdoc" for name in at)
        for name in _PLACES:
            place = at.get(name, "").lower().strip()
            assert not place.startswith(("javascript:", "data:", "vbscript:", "//", "/\\")), (name, place)
        if "data-swap" in at:
            assert at.get("href", at.get("action", "/")).startswith(("/", "?", "#"))
    assert "{{" not in text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


@pytest.mark.parametrize("state", STATES, ids=range(len(STATES)))
def test_whatever_an_address_says_nothing_breaks_and_nothing_runs(client: TestClient, state: dict[str, str]) -> None:
    """Pages, parts and figures answer in one of their ways; no element, handler or address is a stranger's."""
    for path, part in TARGETS:
        answer = client.get(path, params=state | ({"part": part} if part else {}))
        assert answer.status_code in (200, 404), (path, part, answer.text[:300])
        assert "set-cookie" not in answer.headers and len(answer.content) < 1_500_000
        kind = answer.headers["content-type"]
        if kind.startswith("text/html"):
            _assert_inert(answer.text)
            assert "'unsafe-eval'" not in answer.headers["content-security-policy"]
        elif path.endswith(".csv"):
            cells = [cell for line in csv.reader(io.StringIO(answer.text)) for cell in line]
            assert not any(re.match(r"[=+@\t\r]|-(?![\d.])", cell) for cell in cells)
        elif not path.endswith((".data.json", ".parquet")):
            figure = json.loads(answer.text)
            told = [figure[name] for name in ("data", "layout", "phone")]
            assert not [text for text in _texts(told) if _PLOTLY_TAG.search(text)]


def test_words_in_any_place_of_an_address_break_nothing(client: TestClient) -> None:
    """Names of arguments of our own, values that another key takes, in any mixture."""
    rng = random.Random(7)
    keys = [*{key for state in STATES for key in state}, "open", "newest", "style", "blind", "reveal", "show", "figure"]
    values = [
        *{value for state in STATES for value in state.values()},
        "1",
        "2",
        "-score",
        "vetoed",
        "widest",
        "it-001",
    ]
    for path, part in TARGETS:
        for _ in range(3):
            asked = {key: rng.choice(values) for key in rng.sample(keys, 6)} | ({"part": part} if part else {})
            assert client.get(path, params=asked).status_code in (200, 404), (path, asked)


def test_programs_that_people_paste_are_programs_of_ours(client: TestClient) -> None:
    """Whatever a system is called and an address says: imports, and readers of one text each."""
    n_seen = 0
    for state in STATES:
        for path in ("/", "/system", "/matrix", "/listen", "/data", "/why"):
            page = client.get(path, params=state).text
            for text in re.findall(r'<code id="code-[0-9a-f]+"[^>]*>(.*?)</code>', page, re.DOTALL):
                program = unescape(re.sub("<[^>]*>", "", text))
                if program.startswith("[!["):
                    continue
                n_seen += 1
                for line in ast.parse(program).body:
                    if isinstance(line, ast.Assign):
                        assert isinstance(line.value, ast.Call)
                        given = [*line.value.args, *(one.value for one in line.value.keywords)]
                        assert all(isinstance(one, ast.Constant) for one in given)
                    else:
                        assert isinstance(line, (ast.Import, ast.ImportFrom))
    assert n_seen > 10


def test_a_citation_of_a_hostile_system_is_one_entry(client: TestClient) -> None:
    """Its braces are balanced and it is the only entry, on any page."""
    for path in ("/system", "/why"):
        page = Page(client.get(path, params={"id": ONE, "system": ONE, "q": "}\n@misc{x, title={y"}).text)
        entry = page.by_id("cite-bibtex").text
        depth = 0
        for sign in entry:
            depth += {"{": 1, "}": -1}.get(sign, 0)
            assert depth >= 0
        assert depth == 0 and entry.count("\n@") == 0 and entry.startswith("@misc{castboard-")
