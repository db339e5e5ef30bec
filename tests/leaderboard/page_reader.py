"""A built page taken apart, so that tests look at elements and not at strings."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"br", "hr", "img", "input", "wbr", "link", "meta"})


@dataclass
class Element:
    """One element of a page."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    inside: list["Element"] = field(default_factory=list)


class Page(HTMLParser):
    """Every element of a page, in order; refuses markup that does not nest."""

    def __init__(self, markup: str) -> None:
        """Take `markup` apart."""
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(markup)
        self.close()
        assert not self._open, f"never closed: {[element.tag for element in self._open]}"

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Return the elements of a tag with these attributes; `cls` is one of its classes."""
        return [element for element in self.elements if element.tag == tag and _fits(element, attributes)]

    def by_id(self, name: str) -> Element:
        """Return the one element of an id."""
        found = [element for element in self.elements if element.attributes.get("id") == name]
        assert len(found) == 1, f"{len(found)} elements have the id {name}"
        return found[0]

    def text(self) -> str:
        """Return all text of the page."""
        return " ".join(
            element.text for element in self.elements if element.tag == "div" and element is self.elements[0]
        )

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        element = Element(tag=tag, attributes={name: value or "" for name, value in attrs})
        self.elements.append(element)
        for outer in self._open:
            outer.inside.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be of that tag."""
        assert self._open and self._open[-1].tag == tag, f"</{tag}> closes {[element.tag for element in self._open]}"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Text belongs to every open element."""
        for element in self._open:
            element.text += data


def _fits(element: Element, attributes: dict[str, str]) -> bool:
    for name, value in attributes.items():
        if name == "cls":
            if value not in element.attributes.get("class", "").split():
                return False
        elif element.attributes.get(name.rstrip("_").replace("_", "-")) != value:
            return False
    return True
