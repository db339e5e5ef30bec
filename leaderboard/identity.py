"""Who somebody is, as the session vouches for it, and for which organisations that person may speak.

With a sign-in a person is what the identity provider said of the account; without one, whoever comes is the user that
the settings name. Forms and zips are never asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.errors import CastboardError
from leaderboard.settings import Settings
from submissions.ownership import Sender
from submissions.records import Person

ALONE = ""
"""What a form sends for nobody but the person."""
SIGN_IN = "Sign in first: what is sent, taken back or renamed here belongs to somebody."
NO_SIGN_IN = (
    "Nobody can submit here yet: this Space has no sign-in. Its keeper puts `hf_oauth: true` into the front matter of "
    "its README and restarts it."
)
_N_MOST_CHARS = 96
_HERE = ("127.0.0.1", "localhost", "::1")


class NotAllowed(CastboardError):
    """Who is signed in, or is not, may not do this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """How a site knows its people."""

    has_sign_in: bool = False
    """Whether people sign in; else whoever comes is the configured user."""
    user: str = "local"
    """Configured user."""
    organisations: tuple[str, ...] | None = None
    """Organisations of the configured user; None: any that a form names, vouched for by nobody."""
    is_private: bool = True
    """Without a sign-in: whether only this machine reaches the site, so that its visitor is that user indeed."""

    lacks_sign_in: bool = False
    """Whether people should sign in here and cannot: strangers come, and none of them is the configured user."""

    def person(self, profile: Mapping[str, object] | None) -> Person | None:
        """Return who somebody is.

        Args:
            profile: what the session holds of the account, as Gradio hands it to a handler; None if there is none.

        Returns:
            The person; None if nobody is signed in where people sign in.
        """
        if self.has_sign_in:
            return None if profile is None else _vouched(profile)
        names = tuple(sorted(self.organisations or ()))
        return Person(account=self.user, name=self.user, organisations=names)

    def manager(self, profile: Mapping[str, object] | None) -> Person | None:
        """Return who may change submissions of before through a page; None for a visitor whom nothing vouches for."""
        return self.person(profile) if self.has_sign_in or (self.is_private and not self.lacks_sign_in) else None

    @property
    def takes_any_organisation(self) -> bool:
        """Whether the organisation is what the form says."""
        return not self.has_sign_in and self.organisations is None

    def choices(self, person: Person | None) -> tuple[tuple[str, str], ...]:
        """Return for whom a person may send, each as label and value."""
        if person is None:
            return ()
        return ((f"{person.name} (on my own)", ALONE), *((name, name) for name in person.organisations))

    def sender(self, person: Person | None, chosen: object) -> Sender:
        """Return for whom a person sends.

        Args:
            person: who is signed in; None for nobody.
            chosen: what the form says; anything.

        Raises:
            NotAllowed: if nobody is signed in, or the person does not belong to what was chosen.
        """
        if self.lacks_sign_in:
            raise NotAllowed(NO_SIGN_IN)
        if person is None:
            raise NotAllowed(SIGN_IN)
        if self.takes_any_organisation:
            return Sender(person=person, organisation=None, named=None)
        if chosen in (None, ALONE):
            return Sender(person=person, organisation=None, named=person.name)
        if not isinstance(chosen, str) or chosen not in person.organisations:
            told = ", ".join((person.name, *person.organisations))
            raise NotAllowed(f"{person.name} may send for {told}, got {str(chosen)[:80]!r}. Choose one of these.")
        return Sender(person=person, organisation=chosen, named=chosen)


def local_identity(settings: Settings) -> Identity:
    """Return how the command line knows its person: as the configured user, wherever people of the site sign in."""
    return Identity(user=settings.user, organisations=settings.organisations)


def identity_of(settings: Settings) -> Identity:
    """Return how a site with these settings knows its people."""
    return Identity(
        has_sign_in=settings.has_oauth,
        user=settings.user,
        organisations=settings.organisations,
        is_private=settings.host in _HERE and not settings.site_url,
        lacks_sign_in=settings.is_on_space and not settings.has_oauth,
    )


def _vouched(profile: Mapping[str, object]) -> Person | None:
    account, name, orgs = profile.get("sub"), profile.get("preferred_username"), profile.get("orgs")
    if not _is_name(account) or not _is_name(name):
        return None
    listed = orgs.split() if isinstance(orgs, str) else []
    return Person(account=str(account), name=str(name), organisations=tuple(sorted({*filter(_is_name, listed)})))


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _N_MOST_CHARS
