"""The web border: whatever goes wrong in a page becomes a page that says so. The one place that catches everything."""

import logging
import secrets
from collections.abc import Callable

from evaluation.errors import CastboardError
from leaderboard import shell, words
from leaderboard.markup import Markup, el, join
from leaderboard.redaction import clean

log = logging.getLogger(__name__)


def guarded(make: Callable[[], Markup], *, here: str) -> str:
    """Return the page that `make` gives, or one that says what went wrong.

    Args:
        make: builds the page.
        here: path of the page, for the navigation.
    """
    try:
        return make()
    except CastboardError as error:
        log.warning("page.refused", extra={"page": here, "reason": str(error)})
        return failure(clean(str(error)), here=here)
    except Exception:  # the border: a visitor gets an id, the log the traceback
        reference = secrets.token_hex(6)
        log.exception("page.bug", extra={"page": here, "reference": reference})
        return failure(f"This page has failed by our fault. The log knows it as {reference}.", here=here)


def failure(text: str, *, here: str) -> Markup:
    """Return a page that says what went wrong."""
    back = el("p", el("a", "Try again", href=here, cls="cb-button"))
    body = join(shell.title(words.FAILED_TITLE), shell.notice(text, look="bad"), back)
    return shell.page("page-failure", body, here=here)
