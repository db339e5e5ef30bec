"""The one player of the listen page: its bar and its keys; hidden until its script has taken over."""

from leaderboard import words
from leaderboard.markup import Markup, el, join

BAR = "listen-player"


def bar() -> Markup:
    """Return the player's bar, hidden until its script has taken over."""
    place = {"min": "0", "max": "1", "step": "0.01", "value": "0"}
    return el(
        "section",
        el(
            "div",
            el(
                "button",
                "▶ Play",
                type="button",
                id="player-toggle",
                cls="cb-button cb-strong",
                aria_keyshortcuts="Space",
            ),
            el("div", id="player-voices", role="group", aria_label="Voices"),
            el("b", id="player-voice"),
            el("input", type="range", id="player-seek", aria_label="Position in the clip", **place),
            el("span", "0.0 s", id="player-time"),
            cls="cb-playbar-line",
        ),
        el(
            "div",
            _box("player-matched", "Same level", "m", is_on=True),
            _box("player-loop", "Repeat", "l"),
            el("button", "Keys ?", type="button", id="player-keys", cls="cb-button cb-quiet", aria_keyshortcuts="?"),
            el("span", id="player-note", cls="cb-small"),
            el("span", id="player-error", role="alert", cls="cb-bad-text"),
            el("button", "Try again", type="button", id="player-retry", cls="cb-button", hidden=True),
            cls="cb-playbar-line",
        ),
        id=BAR,
        cls="cb-playbar",
        aria_label="Player",
        hidden=True,
    )


def keys() -> Markup:
    """Return the list of keys, as a dialog that a script opens."""
    lines = (join(el("dt", el("kbd", key)), el("dd", told)) for key, told in words.LISTEN_KEYS)
    shut = el("form", el("button", "Close", cls="cb-button", value="close"), method="dialog")
    return el("dialog", el("h2", "Keys"), el("dl", *lines, cls="cb-facts"), shut, id="listen-keys", aria_label="Keys")


def _box(name: str, label: str, key: str, *, is_on: bool = False) -> Markup:
    field = el("input", type="checkbox", id=name, checked=is_on, aria_keyshortcuts=key)
    return el("label", field, label, " ", el("kbd", key, aria_hidden="true"), cls="cb-check")
