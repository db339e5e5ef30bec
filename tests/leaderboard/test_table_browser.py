"""The board's table in a real browser, on a desk and on a phone: every act of a reader, with a script and without."""

from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.context import Context
from leaderboard.pages import board_table
from leaderboard.site import mount
from leaderboard.table import view
from tests.leaderboard.gates.serving import served
from tests.leaderboard.test_nine_browser import ARGUMENTS, CHROMIUM
from tests.leaderboard.waiting import until

pytestmark = [pytest.mark.browser]

WIDTHS = (1440, 390)
NAMES = "[...document.querySelectorAll('#board-rows > tr[data-submission]')].map(row => row.dataset.submission)"
QUERY = "location.search"
IS_NARROW = "document.documentElement.scrollWidth <= window.innerWidth"


@pytest.fixture(scope="module")
def address(six: Context) -> Iterator[str]:
    """Serve the site of six systems."""
    with served(mount(six)) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return one browser."""
    from playwright import sync_api

    with sync_api.sync_playwright() as play:
        found = play.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture(params=WIDTHS)
def page(request: pytest.FixtureRequest, browser: Any, address: str) -> Iterator[Any]:
    """Return the board, of a width; a mistake of a script fails the test."""
    found = browser.new_page(viewport={"width": request.param, "height": 900})
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.goto(address)
    until(found, "document.querySelector('#board-table') !== null")
    yield found
    assert wrong == []
    found.close()


def test_heads_sort_and_shift_adds_a_key_and_back_undoes(page: Any) -> None:
    """A click sorts, a second one turns; Shift adds a key; the address says it, and Back and Forward follow."""
    published = page.evaluate(NAMES)
    head = page.locator("[data-sort='pace']")
    head.click()
    until(page, f"{QUERY}.includes('sort=-pace')")
    until(page, "document.querySelector('th.cb-pace').ariaSort === 'descending'")
    head.click()
    until(page, f"{QUERY}.includes('sort=pace')")
    page.locator("[data-sort='system']").click(modifiers=["Shift"])
    until(page, f"{QUERY}.includes('sort=pace,system')")
    assert page.locator("th.cb-pace").get_attribute("aria-sort") == "ascending"
    assert "key 2" in page.locator("th.cb-system[scope='col']").inner_text()
    page.go_back()
    until(page, f"!{QUERY}.includes('system')")
    page.go_back()
    page.go_back()
    until(page, f"{QUERY} === '' && JSON.stringify({NAMES}) === '{_json(published)}'")
    page.go_forward()
    until(page, "document.querySelector('th.cb-pace').ariaSort === 'descending'")
    assert page.evaluate(IS_NARROW)


def test_search_and_filters_find_and_a_wrong_field_is_answered(page: Any) -> None:
    """Fields work while typing; a wrong one is answered with those that there are; a filter goes with them."""
    page.locator("#board-search").fill('org:"ohm lab" -larkspur')
    until(page, f"{NAMES}.length > 0 && {NAMES}.length < 6")
    assert "s00000000001" not in page.evaluate(NAMES)
    page.locator("#board-search").fill("colour:red")
    until(page, "document.querySelector('#board-problems') !== null")
    assert "licence:" in page.locator("#board-problems").inner_text()
    page.locator("#board-search").fill("")
    until(page, f"{NAMES}.length === 6")
    page.locator("#board-open").check()
    until(page, f"{QUERY}.includes('open=1') && {NAMES}.length === 5")
    page.locator("#board-tier").select_option("2")
    until(page, f"{QUERY}.includes('tier=2')")
    until(page, "document.querySelector('#board-view').textContent.includes('worked out on the hard items alone')")
    page.locator("[data-key='reset']").click()
    until(page, f"{QUERY} === '' && {NAMES}.length === 6 && !document.querySelector('#board-open').checked")
    until(page, "document.querySelector('#board-tier').value === 'all'")


def test_columns_are_chosen_and_pinned(page: Any) -> None:
    """A tick shows a column, a pin holds it at the left; a preset brings its own, and the form follows."""
    page.locator("#board-columns > summary").click()
    page.locator("#col-date").check()
    until(page, "document.querySelector('th.cb-date') !== null")
    page.locator("#pin-score").check()
    until(page, f"{QUERY}.includes('pin=')")
    until(page, "document.querySelector('#board-table').dataset.pins === '3'")
    assert page.locator("#board-columns").get_attribute("open") is not None
    page.locator("[data-key='preset-pace']").click()
    until(page, f"{QUERY} === '?trait=pace'")
    until(page, "document.querySelector('#col-style').checked && !document.querySelector('#col-gender').checked")
    assert page.locator("[data-key='preset-pace']").get_attribute("aria-current") == "true"


def test_the_plain_way_to_sort_is_a_list(page: Any) -> None:
    """Without a head to press, an order is chosen from lists."""
    page.locator("#board-order > summary").click()
    page.locator("#board-sort-1").select_option("-pitch")
    until(page, f"{QUERY} === '?sort=-pitch'")
    page.locator("#board-sort-2").select_option("system")
    until(page, f"{QUERY} === '?sort=-pitch,system'")


def test_a_row_opens_in_place_by_key_and_by_click(page: Any) -> None:
    """Enter opens, arrows walk, Escape closes and focus comes back; the address keeps what is open."""
    first = page.locator(".cb-opens").first
    first.focus()
    page.keyboard.press("ArrowDown")
    second = page.locator(".cb-opens").nth(1)
    assert page.evaluate("document.activeElement.id") == second.get_attribute("id")
    page.keyboard.press("Enter")
    page.locator(".cb-open").wait_for()
    assert second.get_attribute("aria-expanded") == "true"
    assert page.locator(".cb-open audio").count() == 2 and page.locator(".cb-open a.cb-why").count() > 5
    assert "row=" in page.evaluate(QUERY) and page.evaluate(IS_NARROW)
    page.keyboard.press("Escape")
    until(page, "document.querySelector('.cb-opened') === null")
    assert second.get_attribute("aria-expanded") == "false" and "row=" not in page.evaluate(QUERY)
    assert page.evaluate("document.activeElement.id") == second.get_attribute("id")
    first.click()
    page.locator(".cb-open").wait_for()
    page.locator(".cb-open .cb-closes").click()
    until(page, "document.querySelector('.cb-opened') === null")


def test_picked_systems_stay_picked(page: Any) -> None:
    """What is picked for listening outlives another order."""
    page.locator("[data-pick]").nth(2).check()
    picked = page.locator("[data-pick]").nth(2).get_attribute("value")
    page.locator("[data-sort='system']").click()
    until(page, f"{QUERY}.includes('sort=system')")
    assert page.locator(f"[data-pick][value='{picked}']").is_checked()
    assert f"systems={picked}" in page.locator("#board-compare").get_attribute("href")


def test_what_stands_below_comes_by_itself(page: Any) -> None:
    """Notes and instrument cards load when they come near."""
    page.evaluate("document.querySelector('#board-notes')?.scrollIntoView()")
    until(page, "document.querySelector('#unranked') !== null && document.querySelector('#board-cards') !== null")


def test_more_rows_follow(page: Any, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows beyond the first ones come when their end is near, each once, and say their place."""
    monkeypatch.setattr(view, "N_ROWS", 2)
    monkeypatch.setattr(view, "N_MORE", 2)
    monkeypatch.setattr(board_table, "N_MORE", 2)
    page.goto(f"{address}/?sort=-score&q=e")
    page.evaluate("document.querySelector('#board-end')?.scrollIntoView()")
    until(page, "document.querySelector('#board-more') === null")
    names = page.evaluate(NAMES)
    total = int(page.locator("#board-table").get_attribute("aria-rowcount")) - 1
    assert len(names) == len(set(names)) == total > 2
    places = page.evaluate("[...document.querySelectorAll('#board-rows > tr')].map(row => row.ariaRowIndex)")
    assert places == [str(at + 2) for at in range(total)]


@pytest.mark.parametrize("width", WIDTHS)
def test_without_a_script_everything_works(browser: Any, address: str, width: int) -> None:
    """Links sort and open, the form filters and chooses columns, and what is below has a link."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(address)
    page.locator("[data-sort='pace']").click()
    assert "sort=-pace" in page.url
    page.locator("#board-columns > summary").click()
    page.locator("#col-date").check()
    page.locator("#board-search").fill("larkspur")
    page.locator(".cb-no-script").click()
    assert page.locator("#board-rows > tr").count() == 2 and page.locator("thead th.cb-date").count() == 1
    page.locator(".cb-opens").first.click()
    assert page.locator(".cb-open").count() == 1 and page.locator("thead th.cb-date").count() == 1
    page.locator("#board-notes a").click()
    assert page.locator("#unranked").count() == 1
    context.close()


def _json(names: list[str]) -> str:
    return "[" + ",".join(f'"{name}"' for name in names) + "]"
