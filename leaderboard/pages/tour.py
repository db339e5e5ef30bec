"""The tour as a page: what stands on the board and how to read it. A script shows the same steps on the board."""

from leaderboard import shell, words
from leaderboard.markup import Markup, el, join

HERE = "/tour"
STEPS = "tour-steps"


def build() -> Markup:
    """Return the whole page."""
    go = el("p", el("a", "To the board", href="/", cls="cb-button cb-strong"))
    body = join(shell.title(words.TOUR_TITLE, words.TOUR_LEAD), steps(), go)
    return shell.page("page-tour", el("div", body, cls="cb-prose"), here=HERE)


def steps() -> Markup:
    """Return the steps, each with what it points at on the board."""
    lines = (
        el("li", el("h2", title), el("p", text), id=f"tour-{key}", data_target=target)
        for key, title, text, target in words.TOUR
    )
    return el("ol", *lines, id=STEPS, cls="cb-tour-steps")
