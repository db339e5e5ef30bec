"""What an operator may do about a submission or a person: every act has a reason, and may be repeated.

Each writes its event first and settles what is published after it, so one that is killed in between is finished by
the next who settles.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from evaluation.errors import CastboardError
from submissions import bans, queue
from submissions.bans import Account
from submissions.card import TEXT_FIELDS
from submissions.hostile_text import BadText, regular
from submissions.operator_events import Hidden, Renamed, Stopped, Unhidden
from submissions.records import Payload, Requeued, SubmissionId
from submissions.settling import settle, settle_bans
from submissions.state import State, SubmissionState
from submissions.store.base import PublishedFiles, StoreUnavailable, WorkStore

MAX_REASON = 300
"""Longest reason, code points."""

_UNDER_WAY = (State.RECEIVED, State.QUEUED, State.RUNNING)
_LENGTHS = {field.name: field.max_chars for field in TEXT_FIELDS}


class OperatorError(CastboardError):
    """An act that cannot be done, with what to do instead."""


class Undone(CastboardError):
    """An act that is decided, and that what is published does not show yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warrant:
    """Who acts, why and when; made by `for_reason` alone."""

    operator: str
    """Account name of the operator; never public."""
    reason: str
    """Why, one line; it is public."""
    at: datetime
    """When, aware."""

    @classmethod
    def for_reason(cls, reason: str, *, operator: str, at: datetime) -> Self:
        """Return a warrant.

        Raises:
            OperatorError: without a reason that can be shown.
        """
        return cls(operator=operator, reason=_line(reason, "a reason", MAX_REASON), at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where an operator acts."""

    store: WorkStore
    """The work state."""
    published: PublishedFiles
    """The published layout."""

    def hide(self, submission: SubmissionId, warrant: Warrant) -> bool:
        """Take all rows, clips, replies and duels of a submission off the board, to come back as they were.

        A run of it goes on and its row waits in private; one that waits for a worker is not taken up.

        Returns:
            Whether it was not hidden before.

        Raises:
            IllegalEvent: if it is unknown.
            OperatorError: if it was taken back.
            Undone: if it is decided and the board cannot be reached; so for every act.
        """

        def wish(state: SubmissionState) -> Payload | None:
            if state.hidden is not None:
                return None
            if state.state is State.WITHDRAWN:
                raise OperatorError(f"{submission} was taken back, so there is nothing to hide")
            return Hidden(reason=warrant.reason, operator=warrant.operator)

        return self._act(submission, warrant, wish)

    def unhide(self, submission: SubmissionId, warrant: Warrant) -> bool:
        """Bring back what `hide` took away, the same bytes, without an evaluation; returns whether it was hidden.

        Raises:
            IllegalEvent: if it is unknown.
        """
        shown = Unhidden(reason=warrant.reason, operator=warrant.operator)
        return self._act(submission, warrant, lambda state: None if state.hidden is None else shown)

    def fail(self, submission: SubmissionId, warrant: Warrant) -> bool:
        """End what waits or runs, without a row; rows that it has under other protocols stay.

        Returns:
            Whether anything was under way.

        Raises:
            IllegalEvent: if it is unknown.
            OperatorError: if it ended already, but not so.
        """

        def wish(state: SubmissionState) -> Payload | None:
            if state.state in _UNDER_WAY:
                return Stopped(reason=warrant.reason, operator=warrant.operator)
            if state.reason is not None and state.reason.code == "stopped":
                return None
            raise OperatorError(
                f"{submission} is {state.state}, so nothing is under way that could be ended; to take its row off the "
                "board, hide it"
            )

        return self._act(submission, warrant, wish)

    def requeue(self, submission: SubmissionId, warrant: Warrant) -> bool:
        """Let a failed or rejected submission run again from its kept zip; returns whether it did not wait or run.

        Raises:
            IllegalEvent: if it is unknown.
            OperatorError: if it has ended otherwise, or its zip is gone.
        """

        def wish(state: SubmissionState) -> Payload | None:
            if state.state in _UNDER_WAY:
                return None
            if state.state not in (State.FAILED, State.REJECTED):
                raise OperatorError(
                    f"{submission} is {state.state}; only a failed or rejected one runs again. For a row under another "
                    "protocol, re-evaluate it"
                )
            if not self.store.has_upload(submission):
                raise OperatorError(f"the zip of {submission} is no longer kept; its maker must send it again")
            wanted = state.wanted if state.state is State.FAILED else None
            return Requeued(
                claim=None, reason="operator", message=warrant.reason, trace_id=None, not_before=None, protocol=wanted
            )

        return self._act(submission, warrant, wish)

    def rename(self, submission: SubmissionId, warrant: Warrant, *, system: str, organisation: str) -> bool:
        """Let the board show other names; rows and files stay as they are.

        Returns:
            Whether it was not called so before.

        Raises:
            IllegalEvent: if it is unknown.
            OperatorError: if it was taken back, or a name cannot be shown.
        """
        names = {
            "system": _line(system, "a system's name", _LENGTHS["system"]),
            "organisation": _line(organisation, "an organisation's name", _LENGTHS["organisation"]),
        }

        def wish(state: SubmissionState) -> Payload | None:
            now = state.renamed or state.received.card
            if state.state is State.WITHDRAWN:
                raise OperatorError(f"{submission} was taken back, so there is no name to change")
            is_asked = state.rename_asked is not None  # an answered wish is no wish any more
            if not is_asked and (now.system, now.organisation) == (names["system"], names["organisation"]):
                return None
            return Renamed(**names, reason=warrant.reason, operator=warrant.operator)

        return self._act(submission, warrant, wish)

    def ban(self, account: Account, warrant: Warrant) -> bool:
        """Let an account send nothing any more; what it sent stays. Returns whether it was not banned before."""
        has_acted = bans.ban(self.store, account, at=warrant.at, reason=warrant.reason, operator=warrant.operator)
        settle_bans(self.store, self.published)
        return has_acted

    def unban(self, account: Account, warrant: Warrant) -> bool:
        """Let a banned account send again; returns whether it was banned."""
        has_acted = bans.unban(self.store, account, at=warrant.at, reason=warrant.reason, operator=warrant.operator)
        settle_bans(self.store, self.published)
        return has_acted

    def _act(
        self, submission: SubmissionId, warrant: Warrant, wish: Callable[[SubmissionState], Payload | None]
    ) -> bool:
        """Append what `wish` gives, settle, and return whether it gave anything the last time it was asked."""
        asked: list[bool] = []

        def noted(state: SubmissionState) -> Payload | None:
            payload = wish(state)
            asked.append(payload is not None)
            return payload

        queue.append(self.store, submission, warrant.at, noted)
        try:
            settle(self.store, self.published, submission)
        except StoreUnavailable as error:
            raise Undone(
                f"it is decided and written down, but what is published could not be changed: {error}. A worker does "
                "it when the store can be reached, and so does asking for it again"
            ) from error
        return asked[-1]


def _line(text: str, what: str, max_chars: int) -> str:
    clean = regular(text, is_prose=False, max_chars=max_chars)
    if isinstance(clean, BadText):
        raise OperatorError(f"{what} must be {clean.allowed}, got {clean.got}")
    if not clean:
        raise OperatorError(f"{what} is needed, up to {max_chars} characters")
    return clean
