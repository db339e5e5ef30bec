"""How instructions reach a system, sorted into a few kinds from what its card says in free words. Pure."""

import re
from typing import Literal, get_args

Style = Literal["prompt", "controls", "reference", "ignored", "other", "unknown"]
STYLES: tuple[Style, ...] = get_args(Style)

# The first kind whose words occur counts: who ignores instructions may well speak of prompts.
_SIGNS: tuple[tuple[Style, re.Pattern[str]], ...] = (
    ("ignored", re.compile(r"\bignor|\bnot (passed|used|read)|\bunused|\bdeaf\b|\bdisregard|\bdropped\b")),
    (
        "reference",
        re.compile(r"\breference|\bclon(e|ed|ing)\b|\baudio prompt|\bvoice sample|\bspeaker embedding|\benrol"),
    ),
    (
        "controls",
        re.compile(
            r"\bmapp?(ed|ing|s)?\b|\bcontrol|\btags?\b|\bssml\b|\bpresets?\b|\bsliders?\b|\bparameters?\b|\btokens?\b"
            r"|\bis chosen\b|\bare chosen\b|\bpicked\b|\blook.?up\b|\bsettings?\b|\bparsed\b|\brules?\b"
        ),
    ),
    (
        "prompt",
        re.compile(
            r"\bprompt|\bnatural.?language|\bdescri(be|ption)|\bverbatim|\bfree.?text|\bcaption|\bas (a |the )?text"
            r"|\bas it (is|stands)|\bas is\b|\bunchanged|\binstruction"
        ),
    ),
)


def style(told: str) -> Style:
    """Return the kind of what a card says about how instructions are passed; "unknown" if it says nothing."""
    text = told.casefold()
    if not text.strip():
        return "unknown"
    return next((kind for kind, sign in _SIGNS if sign.search(text)), "other")
