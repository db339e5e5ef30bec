"""HTML that escapes by default: every plain string that becomes a child or an attribute goes through `display.escape`.

A page is built with `el`; only what `el` and `join` return counts as markup, so no page needs to remember to escape.
"""

from leaderboard.display import escape

Attribute = str | int | float | bool | None

_VOID = frozenset({"br", "hr", "img", "input", "wbr", "link", "meta"})


class Markup(str):
    """Text that is already safe HTML. Made by `el` and `join` alone."""

    __slots__ = ()


Child = str | int | float | None


def el(tag: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Return one HTML element.

    Args:
        tag: tag name, ours.
        children: markup as it is; anything else escaped; None is left out.
        attributes: `cls` is class; an underscore becomes a hyphen, one at the end falls away; True gives a bare
            attribute; None and False leave it out.

    Example:
        >>> el("a", "<b>", href="/x", cls="name")
        '<a href="/x" class="name">&lt;b&gt;</a>'
    """
    opened = f"<{tag}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    if tag in _VOID:
        return Markup(opened)
    return Markup(f"{opened}{join(*children)}</{tag}>")


def join(*children: Child, by: str = "") -> Markup:
    """Return children one after another with the escaped text `by` between them; None is left out."""
    parts = [child if isinstance(child, Markup) else escape(child) for child in children if child is not None]
    return Markup(escape(by).join(parts))


def _attribute(key: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = "class" if key == "cls" else key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(value)}"'
