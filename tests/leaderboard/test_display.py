"""Text made from numbers and from foreign words."""

import csv
import html
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard import display
from leaderboard.markup import Markup, el, join


@given(st.text())
def test_escaped_text_holds_no_sign_that_html_or_a_template_obeys(text: str) -> None:
    """Whatever comes, nothing in it can open a tag, an attribute or a template."""
    assert not set("<>\"'`${}") & set(display.escape(text))


@given(st.text(st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="\ufeff")))
def test_escaped_text_reads_as_it_was(text: str) -> None:
    """Escaping changes nothing that a reader sees."""
    assert html.unescape(display.escape(text)) == text


def test_direction_overrides_and_controls_do_not_reach_a_page() -> None:
    """A name cannot turn the text around it, nor hide bytes."""
    assert display.escape("a\u202egnp.exe\x00\x1b[31m") == "agnp.exe\ufffd\ufffd[31m"


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "  =1", "=cmd|' /C calc'!A0"])
def test_a_formula_in_csv_becomes_text(text: str) -> None:
    """No cell begins with a sign by which a spreadsheet knows a formula."""
    assert display.csv_cell(text) == "'" + text


@pytest.mark.parametrize("value", [-1.5, -0.25, 3, 0.000012, -3e-7, "-1.5"])
def test_numbers_in_csv_stay_numbers(value: object) -> None:
    """A negative number is no formula."""
    assert float(display.csv_cell(value)) == float(str(value))


@given(st.text())
def test_csv_cells_survive_a_reader_and_run_nothing(text: str) -> None:
    """A written cell reads back as it was, but for the apostrophe that defuses it."""
    out = io.StringIO()
    csv.writer(out).writerow([display.csv_cell(text), "end"])
    cell = next(csv.reader(io.StringIO(out.getvalue(), newline="")))[0]
    assert cell in (text, "'" + text)
    assert not cell.startswith(("=", "@", "\t", "\r"))


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("https://example.org/a?b=1", True),
        ("HTTP://example.org", True),
        ("javascript:alert(1)", False),
        ("java\nscript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("https://", False),
        ("http://[", False),
        ("", False),
    ],
)
def test_only_web_addresses_become_links(text: str, is_kept: bool) -> None:
    """A link leads to http or https, or is no link."""
    assert (display.web_address(text) is not None) is is_kept


def test_only_a_whole_share_reads_as_whole() -> None:
    """Almost all is not all, and almost none is not none."""
    shares = [display.percent(share) for share in (1.0, 0.99999, 0.5, 0.00001, 0.0, None)]
    assert shares == ["100%", "99.9%", "50.0%", "0.1%", "0%", "–"]


def test_numbers_in_words() -> None:
    """Bands, intervals, quantities, times and sizes as a page shows them."""
    assert display.band(1, 3) == "1–3"
    assert display.band(2, 2) == "2"
    assert display.interval(0.1, None) == "–"
    assert display.quantity("pitch", -4.52) == "−4.5 st"
    assert display.quantity("loudness", 3.0) == "+3.0 dB"
    assert display.quantity("gender", 0.973) == "p = 0.97"
    assert display.when("2026-03-01T13:00:00.000+01:00") == "2026-03-01 12:00 UTC"
    assert display.when("yesterday") == "yesterday"
    assert [display.span(s) for s in (0, 59.6, 61, 3600, 90_061)] == ["0 s", "1 min", "1 min 1 s", "1 h", "1 d 1 h"]
    assert [display.size(n) for n in (5, 2048, 50 << 20, 2 << 30)] == ["5 bytes", "2.0 KiB", "50.0 MiB", "2.0 GiB"]
    assert [display.count(n, "clip") for n in (0, 1, 1200)] == ["0 clips", "1 clip", "1,200 clips"]


def test_elements_escape_what_is_not_markup() -> None:
    """A plain string is text wherever it stands; an element stays an element."""
    inner = el("b", "<i>")
    built = el("a", inner, "&", None, href='"x"', cls="n", hidden=True, title=None, data_v=3)
    assert built == '<a href="&quot;x&quot;" class="n" hidden data-v="3"><b>&lt;i&gt;</b>&amp;</a>'
    assert isinstance(join("<", inner, by=">"), Markup)
    assert join("<", inner, by=">") == "&lt;&gt;<b>&lt;i&gt;</b>"
    assert el("input", value="x", checked=False) == '<input value="x">'
