"""Accepted ways to say one thing, as a small expression in which alternatives share what they have in common. Pure.

A form is
- words, separated by spaces; "" says nothing;
- a tuple of forms, said one after the other;
- `AnyOf` of forms, one of which is said;
- a `Graph`, for what branches and meets again (the groups in which digits can be read).

Everywhere the first alternative is the plain reading: what is said when nothing else is known.
"""

from dataclasses import dataclass
from typing import Union

Form = Union[str, tuple["Form", ...], "AnyOf", "Graph"]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Alternatives, the plain one first."""

    forms: tuple[Form, ...]
    """At least one form."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A directed graph without cycles; one of its walks from node 0 to the last node is said."""

    n_nodes: int
    """Nodes are 0 .. n_nodes - 1."""
    edges: tuple[tuple[int, int, Form], ...]
    """From, to, and what is said on the way; the first edge of each node belongs to the plain reading."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as text."""
    return frozenset(text.split())


def any_of(*forms: Form) -> Form:
    """Return a form that accepts each of `forms`, equal ones once."""
    flat: dict[Form, None] = {}
    for form in forms:
        flat.update(dict.fromkeys(form.forms if isinstance(form, AnyOf) else (form,)))
    return next(iter(flat)) if len(flat) == 1 else AnyOf(tuple(flat))


def maybe(form: Form) -> Form:
    """Return `form` as something that may be left out, and is in the plain reading."""
    return any_of("", form)


def plain(form: Form) -> list[str]:
    """Return the words of the plain reading."""
    if isinstance(form, str):
        return form.split()
    if isinstance(form, AnyOf):
        return plain(form.forms[0])
    if isinstance(form, Graph):
        said: list[str] = []
        node = 0
        while node != form.n_nodes - 1:
            node, words = next((to, words) for at, to, words in form.edges if at == node)
            said += plain(words)
        return said
    return [word for part in form for word in plain(part)]


_ONE = ("one", "a")


def without_one(form: Form) -> Form:
    """Return a number that a word such as "the" stands before: "the (one) thousand seats"."""
    if isinstance(form, AnyOf):
        return any_of(*form.forms, "") if form.forms == _ONE else AnyOf(tuple(without_one(way) for way in form.forms))
    return (without_one(form[0]), *form[1:]) if isinstance(form, tuple) and form else form
