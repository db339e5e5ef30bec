"""Events about more than a run: what operators do and should look at, and what makers ask of them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """An operator ends it without a row, whatever it waited for or whoever ran it."""

    reason: str
    """Why, in one sentence; it is public."""
    operator: str
    """Account name of the operator; never public."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """An operator takes its rows off the board; they can come back."""

    reason: str
    """Why, in one sentence; it is public."""
    operator: str
    """Account name of the operator; never public."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unhidden:
    """An operator lets its rows back onto the board."""

    reason: str
    """Why, in one sentence; it is public."""
    operator: str
    """Account name of the operator; never public."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flagged:
    """Something about it is for an operator to look at; nothing follows by itself."""

    kind: str
    """Short code, for example "duplicate_audio"."""
    other: str
    """Id of the submission that it is about as well; empty for none."""
    message: str
    """One sentence for the operator, with the figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameAsked:
    """Its maker asks for other names on the board."""

    system: str
    """Name that the system is to have."""
    organisation: str
    """Organisation that the board is to name."""
    reason: str
    """Why, in one sentence; for the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """An operator granted other names; rows and files stay as they are, the new names stand beside them."""

    system: str
    """Name that the system has now."""
    organisation: str
    """Organisation that the board names now."""
    reason: str
    """Why, in one sentence; it is public."""
    operator: str
    """Account name of the operator; never public."""
