"""Who may act as an operator: an account that the settings name and the sign-in vouches for, or whoever has the key.

Asked inside every handler, since what a page hides can still be called.
"""

import logging
from collections.abc import Mapping

from leaderboard.context import Context
from leaderboard.identity import NotAllowed

log = logging.getLogger(__name__)

KEY_HOLDER = "key"
"""What is written in the place of an account's name for whoever came with the key; no account has it by itself."""
NOBODY = "There is no operator here."
NO_OPERATOR = "This is for the operators of this site: sign in as one of them."
NEITHER = "This is for the operators of this site: sign in as one of them, or give the operator's key."


def has_operators(context: Context) -> bool:
    """Return whether anybody can be an operator on the pages of this site."""
    return context.operator is not None or (context.identity.has_sign_in and bool(context.operators))


def signed_in_operator(context: Context, profile: Mapping[str, object] | None) -> str | None:
    """Return the name of the operator who is signed in; None for anybody else, and where nobody signs in."""
    person = context.identity.person(profile) if context.identity.has_sign_in else None
    return person.name if person is not None and person.name in context.operators else None


def operator_of(context: Context, profile: Mapping[str, object] | None, key: str) -> str:
    """Return who acts, as events name the operator.

    Args:
        context: the site.
        profile: what the session holds; None for nobody.
        key: what was typed for the operator's key; may be empty.

    Raises:
        NotAllowed: if it is no operator.
    """
    name = signed_in_operator(context, profile)
    if name is not None:
        return name
    if not has_operators(context):
        raise NotAllowed(NOBODY)
    if context.operator is None:
        raise NotAllowed(NO_OPERATOR)
    if not key:
        raise NotAllowed(NEITHER)
    refusal = context.operator.refusal(key)
    if refusal is not None:
        log.warning("operator.refused")
        raise NotAllowed(refusal)
    return KEY_HOLDER
