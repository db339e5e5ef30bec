"""Hostile text inside a line of Markdown: the only way by which a maker's words reach a page of Markdown. Pure.

Signs that Markdown or HTML could obey become numeric entities, which every renderer shows as the plain sign.
"""

import re
from urllib.parse import quote, urlsplit

from submissions.hostile_text import BadText, web_link

_OBEYED = re.compile(r"""[\\`*_{}\[\]<>#|~$&@^]|:(?=/)|\.(?=[^\W\d])""")
"""Also a colon before a slash and a dot before a letter, of which renderers would make links by themselves."""
_UNSHOWN = re.compile("[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u061c\ufeff\u00ad]")


def inert(text: str, *, max_chars: int) -> str:
    """Return any text as Markdown that shows it inside a line or a cell, and does nothing else.

    Args:
        text: anything; white space becomes single spaces, what does not print becomes U+FFFD, direction marks go.
        max_chars: longer text is cut, code points.
    """
    line = " ".join(_UNSHOWN.sub("", text[: 4 * max_chars]).split())
    cut = line if len(line) <= max_chars else line[: max_chars - 1] + "…"
    printable = "".join(sign if sign.isprintable() else "\ufffd" for sign in cut)
    return _OBEYED.sub(lambda found: f"&#{ord(found[0])};", printable)


def link(text: str, address: str, *, max_chars: int) -> str:
    """Return hostile `text` as a link to a hostile `address`, or alone if that is no plain http or https address."""
    shown = inert(text, max_chars=max_chars)
    checked = web_link(address) if address else BadText(allowed="", got="")
    if isinstance(checked, BadText) or not shown or not urlsplit(checked).hostname:
        return shown
    return f"[{shown}](<{quote(checked, safe=_ADDRESS_SIGNS)}>)"


_ADDRESS_SIGNS = "%/:?#@!,;=&~+-._"
"""Signs of an address that are left as they are; brackets, stars and the like are percent-encoded."""


def table_row(*cells: str) -> str:
    """Return one row of a table; the cells are Markdown already."""
    return f"| {' | '.join(cell or ' ' for cell in cells)} |"
