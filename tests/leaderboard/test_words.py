"""The one file of words: each head, state and figure that a page shows has its sentence there, and none lies idle."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

import leaderboard
from leaderboard import words
from leaderboard.context import Context
from leaderboard.figures.asked import CONTROLS
from leaderboard.reading.figures import figures_page
from leaderboard.reading.pages import PAGES
from submissions.state import State
from tests.leaderboard.page_reader import Element, Page

A, B = "s00000000001", "s00000000006"
STATES: tuple[tuple[str, str], ...] = (
    ("/", "facts=1&trait=gender"),
    ("/", "facts=1&trait=age"),
    ("/", "facts=1&trait=tone"),
    ("/matrix", f"a={A}&b={B}"),
    ("/listen", f"systems={A},{B}"),
    ("/system", f"id={A}"),
    ("/why", f"system={A}&number=score"),
    ("/why", f"system={A}&number=gender"),
    ("/why", f"system={A}&item=it-004"),
    *(("/figures", f"figure={name}") for name in CONTROLS),
    *((page.path, "") for page in PAGES),
)
"""Pages and states whose tables are looked at."""
NAMES_A_THING = ("cb-matrix", "pair-dimensions", "pair-items")
"""Tables among whose heads are systems or values: these name things, and are not told in words."""
SOURCES = Path(leaderboard.__file__).parent


def _tables(page: Page) -> list[tuple[Element, list[Element]]]:
    heads = [
        (one, [head for head in one.inside if head.attributes.get("scope") == "col" and head.text.strip()])
        for one in page.all("table")
    ]
    return [(table, found) for table, found in heads if found]


def _tip(head: Element) -> str:
    tips = [one.attributes["data-tip"] for one in (head, *head.inside) if "data-tip" in one.attributes]
    return tips[0] if tips else ""


@pytest.mark.parametrize(("path", "query"), STATES)
def test_every_head_of_every_table_has_a_sentence(nine: Context, path: str, query: str) -> None:
    """Whatever stands at the head of a column is told in one sentence, by pointer and keyboard, but for names."""
    page = next(one for one in PAGES if one.path == path)
    untold = []
    for table, heads in _tables(Page(str(page.make(nine, dict(parse_qsl(query)))))):
        of = f"{table.attributes.get('class', '')} {table.attributes.get('id', '')}"
        if "↓" in heads[0].text or any(name in of.split() for name in NAMES_A_THING):
            assert any(_tip(head) for head in heads), of
            continue
        untold += [f"{of}: {head.text}" for head in heads if not _tip(head)]
    assert untold == []


def test_every_state_and_figure_has_a_sentence(nine: Context) -> None:
    """States that a submission can be in, and figures that can be asked for, are all told; each figure on its page."""
    assert {one.value for one in State} <= set(words.STATES)
    assert set(CONTROLS) == set(words.FIGURES)
    for name, (label, told) in words.FIGURES.items():
        assert told.endswith(".")
        shown = str(figures_page(nine, {"figure": name}))
        assert label in shown
        assert told.replace("'", "&#39;").replace("’", "’") in shown or told.replace("'", "&#x27;") in shown


def test_no_sentence_lies_idle() -> None:
    """Every name of the file is used by a page or another module; every sentence ends as one."""
    used = "\n".join(path.read_text() for path in SOURCES.rglob("*.py"))
    idle = [name for name in vars(words) if name.isupper() and len(re.findall(rf"\b{name}\b", used)) < 2]
    assert idle == []
    told = [*words.COLUMNS.values(), *words.FIGURE_COLUMNS.values(), *(one.tip for one in words.HEADERS.values())]
    told += [one.meaning for one in (*words.STATES.values(), *words.LOG_ACTS.values())]
    told += [*words.VOTE_TIPS.values(), *words.VOTE_AGREES.values(), words.VOTE_LEFT_OUT]
    assert [one for one in told if not one.endswith(".")] == []


def test_no_head_in_the_file_is_idle() -> None:
    """Each head of COLUMNS stands literally in a module that shows tables."""
    shown = "\n".join(path.read_text() for path in (SOURCES / "pages").glob("*.py")) + repr(words.HEADERS)
    texts = {text.removesuffix(" ↓ Measured →") for text in words.COLUMNS}
    assert [text for text in texts if not re.search(rf"[\"']{re.escape(text)}[\"',]", shown)] == []
