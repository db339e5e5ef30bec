"""The button that hears one voice in the page's one player. Pure."""

from leaderboard.markup import Markup, el

N_KEYS = 9
"""Voices that have a key of their own."""


def play_button(track: str, label: str) -> Markup:
    """Return the button of a track, "0" (the anchor) to "12"; it shows once the player's script has taken over."""
    key = track if int(track) <= N_KEYS else None
    return el(
        "button",
        el("span", "▶", cls="cb-play-sign", aria_hidden="true"),
        el("span", "Play", cls="cb-play-word"),
        el("kbd", key, aria_hidden="true") if key else None,
        type="button",
        cls="cb-button cb-play",
        data_play=track,
        data_key=f"play-{track}",
        aria_pressed="false",
        aria_label=f"Hear {label}",
        aria_keyshortcuts=key,
    )
