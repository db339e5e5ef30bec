"""Accounts of the double, their tokens, and who may see and write what."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An account."""

    name: str
    full_name: str = ""
    organisations: tuple[str, ...] = ()
    """Names of the organisations it belongs to."""
    email: str = ""
    can_write: bool = True
    """Whether its token may write to its own and its organisations' repos."""


@dataclass(slots=True)
class People:
    """Who has which token, and who is signed in where somebody is asked for consent."""

    by_token: dict[str, User] = field(default_factory=dict)
    consenting: str = ""
    """Account that agrees at once when it is asked; empty: whoever asks is refused."""

    def add(self, user: User, token: str) -> None:
        """Add, or replace, an account with a token."""
        self.by_token[token] = user

    def named(self, name: str) -> User | None:
        """Return an account by name."""
        return next((user for user in self.by_token.values() if user.name == name), None)


def may_see(user: User | None, namespace: str) -> bool:
    """Return whether somebody sees private repos of a namespace."""
    return user is not None and namespace in (user.name, *user.organisations)


def claims_of(user: User, endpoint: str) -> dict[str, Any]:
    """Return what the hub tells of an account to a site that it signed in to."""
    orgs = [
        {"sub": f"id-of-{name}", "name": name, "preferred_username": name, "picture": f"{endpoint}/avatars/{name}.svg"}
        | {"isEnterprise": False, "canPay": False, "roleInOrg": "contributor"}
        for name in user.organisations
    ]
    claims = {
        "sub": f"id-of-{user.name}",
        "name": user.full_name or user.name,
        "preferred_username": user.name,
        "profile": f"{endpoint}/{user.name}",
        "picture": f"{endpoint}/avatars/{user.name}.svg",
        "website": "",
        "isPro": False,
        "canPay": False,
        "orgs": orgs,
    }
    return claims | ({"email": user.email, "email_verified": True} if user.email else {})


def whoami_of(user: User) -> dict[str, Any]:
    """Return what `whoami` tells."""
    orgs = [{"type": "org", "id": f"id-of-{name}", "name": name, "fullname": name} for name in user.organisations]
    role = "write" if user.can_write else "read"
    return {
        "type": "user",
        "id": f"id-of-{user.name}",
        "name": user.name,
        "fullname": user.full_name or user.name,
        "isPro": False,
        "canPay": False,
        "email": user.email or None,
        "orgs": [org | {"roleInOrg": "contributor", "isEnterprise": False} for org in orgs],
        "auth": {"type": "access_token", "accessToken": {"displayName": "test", "role": role}},
    }
