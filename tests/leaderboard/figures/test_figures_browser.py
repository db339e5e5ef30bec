"""Figures in a real browser: each is drawn at both widths and in both themes, and the policy of the page holds."""

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard import words
from leaderboard.context import Context
from leaderboard.site import mount
from tests.leaderboard.gates.serving import served
from tests.leaderboard.test_nine_browser import ARGUMENTS, CHROMIUM
from tests.leaderboard.waiting import until

pytestmark = [pytest.mark.browser]

DRAWN = "document.querySelector('[data-drawn] .main-svg') !== null && !document.querySelector('[aria-busy]')"
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def site(nine: Context) -> Iterator[str]:
    """A served site of nine dimensions."""
    with served(mount(nine)) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all."""
    from playwright import sync_api

    with sync_api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


def _page(browser: Any, told: list[str], width: int, scheme: str) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.on("console", lambda one: told.append(one.text) if one.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: told.append(str(error)))
    return page


@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (390, "dark")])
def test_every_figure_is_drawn(site: str, browser: Any, width: int, scheme: str) -> None:
    """One after the other, by their links, without a word on the console and without anything too wide."""
    told: list[str] = []
    page = _page(browser, told, width, scheme)
    page.goto(f"{site}/figures")
    for name, (label, _) in words.FIGURES.items():
        page.locator(".cb-fig-tabs a", has_text=label).first.click()
        until(page, f"document.querySelector('#figure-{name}') !== null && {DRAWN}")
        assert page.evaluate(WIDTH) <= width, name
        assert page.evaluate("document.querySelectorAll('.js-plotly-plot').length") == 1, name
    assert page.url.endswith("figure=size")
    page.close()
    assert not told


def test_a_choice_changes_the_figure_in_its_place(site: str, browser: Any) -> None:
    """Theme and dimension change what is drawn; Back brings back what was there; an image can be saved."""
    told: list[str] = []
    page = _page(browser, told, 1200, "light")
    page.goto(f"{site}/figures?figure=forest")
    until(page, DRAWN)
    ink = "getComputedStyle(document.querySelector('.ytick text')).fill"
    before = page.evaluate(ink)
    page.locator("[data-theme-turn]").click()
    until(page, f"{ink} !== '{before}'")
    page.select_option("#figures-trait", "pitch")
    until(page, "document.querySelector('[data-drawn]')?.dataset.drawn.includes('trait=pitch')")
    assert "trait=pitch" in page.url
    with page.expect_download() as saved:
        page.locator("[data-figure-image=svg]").click()
    assert saved.value.suggested_filename == "castboard-forest.svg"
    with page.expect_download() as numbers:
        page.locator(".cb-fig-acts a", has_text="CSV").click()
    assert numbers.value.suggested_filename == "castboard-forest.csv"
    page.close()
    assert not told


def test_a_system_s_page_draws_its_profile_when_it_comes_into_view(site: str, browser: Any, nine: Context) -> None:
    """The library is not fetched before."""
    told: list[str] = []
    page = _page(browser, told, 1200, "light")
    row = nine.published.board("").rows[1]
    page.goto(f"{site}/system?id={row.submission}")
    page.locator("#system-figure").scroll_into_view_if_needed()
    until(page, DRAWN)
    page.close()
    assert not told
