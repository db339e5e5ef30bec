"""A text that may be used and never shown: keys of judges and of the operator."""

import hmac


class Secret:
    """Holds a text; printing, formatting, logging or comparing a record that holds it shows nothing of it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Hold `text`, which is not empty."""
        self._text = text

    def reveal(self) -> str:
        """Return the text, for the one call that needs it."""
        return self._text

    def matches(self, given: str) -> bool:
        """Tell whether `given` is the text, in a time that tells nothing of where they part."""
        return hmac.compare_digest(self._text.encode(), given.encode())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self.matches(other._text)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return "Secret(...)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a Secret is not written to any file; hand over what it reveals where that is meant")
