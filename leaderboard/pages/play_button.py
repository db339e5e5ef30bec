"""The button that hears one voice in the page's one player. Pure."""

from leaderboard.markup import Markup, el


def play_button(track: str, label: str) -> Markup:
    """Return the button of a track; it shows once the player's script has taken over.

    Args:
        track: "0" (the anchor) to "12", or the letter of a clip; what is one character is its key too.
        label: what is heard.
    """
    key = track if len(track) == 1 else None
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
