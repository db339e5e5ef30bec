"""Who somebody is comes from the session, or from the settings where nobody signs in; never from a form."""

import pytest

from leaderboard import settings
from leaderboard.identity import ALONE, Identity, NotAllowed, identity_of, local_identity

POLLY = {"sub": "id-of-polly", "preferred_username": "polly", "name": "Polly", "orgs": "marsh-lab aviary"}
SIGNED = Identity(has_sign_in=True)


def test_a_session_vouches_for_account_name_and_organisations() -> None:
    """The lasting id is the account; what else a profile says is left alone."""
    person = SIGNED.person(POLLY)
    assert person is not None
    assert (person.account, person.name, person.organisations) == ("id-of-polly", "polly", ("aviary", "marsh-lab"))
    assert [value for _, value in SIGNED.choices(person)] == [ALONE, "aviary", "marsh-lab"]
    assert SIGNED.manager(POLLY) == person


@pytest.mark.parametrize(
    "profile",
    [None, {}, {**POLLY, "sub": ""}, {**POLLY, "sub": 7}, {**POLLY, "preferred_username": None}, {"sub": "x" * 97}],
)
def test_a_profile_without_account_or_name_is_nobody(profile: dict[str, object] | None) -> None:
    """Nobody may send, and there is nothing to choose."""
    person = SIGNED.person(profile)
    assert person is None
    assert SIGNED.choices(person) == ()
    with pytest.raises(NotAllowed, match="Sign in first"):
        SIGNED.sender(person, "aviary")


def test_organisations_that_are_no_text_are_none() -> None:
    """A list that was put there by somebody else gives no rights."""
    person = SIGNED.person({**POLLY, "orgs": ["aviary"]})
    assert person is not None and person.organisations == ()


@pytest.mark.parametrize(("chosen", "named"), [("aviary", "aviary"), (ALONE, "polly"), (None, "polly")])
def test_the_card_s_organisation_follows_from_the_choice(chosen: str | None, named: str) -> None:
    """On one's own the account's name stands there."""
    sender = SIGNED.sender(SIGNED.person(POLLY), chosen)
    assert (sender.organisation, sender.named) == (chosen or None, named)


@pytest.mark.parametrize("chosen", ["evil-corp", "Aviary", "polly", 3, ["aviary"], "x" * 5000])
def test_an_organisation_of_others_is_refused(chosen: object) -> None:
    """Whatever was sent, and without repeating more than a line of it."""
    with pytest.raises(NotAllowed, match="polly may send for polly, aviary, marsh-lab") as caught:
        SIGNED.sender(SIGNED.person(POLLY), chosen)
    assert len(str(caught.value)) < 250


def test_without_a_sign_in_it_is_the_configured_user() -> None:
    """Any typed organisation, which nobody vouches for, or one of the configured ones."""
    anybody = Identity(user="kim")
    sender = anybody.sender(anybody.person(POLLY), "whatever")
    assert (sender.person.account, sender.organisation, sender.named) == ("kim", None, None)
    member = Identity(user="kim", organisations=("aviary",))
    assert member.sender(member.person(None), "aviary").named == "aviary"
    with pytest.raises(NotAllowed):
        member.sender(member.person(None), "whatever")


def test_a_site_open_to_others_lets_no_unknown_visitor_take_anything_back() -> None:
    """Without a sign-in only a site that nobody else reaches takes its visitor for the configured user."""
    here = identity_of(settings.from_env({}))
    wide = identity_of(settings.from_env({"CASTBOARD_HOST": "0.0.0.0"}))
    named = identity_of(settings.from_env({"CASTBOARD_SITE_URL": "https://board.example"}))
    assert here.manager(None) is not None
    assert wide.manager(None) is None and wide.person(None) is not None
    assert named.manager(None) is None


def test_a_space_with_sign_in_asks_for_it() -> None:
    """The command line stays the configured user."""
    host = {"SPACE_ID": "o/s", "SPACE_HOST": "o-s.hf.space, board.example"}
    space = settings.from_env({**host, "OAUTH_CLIENT_ID": "c", "OAUTH_CLIENT_SECRET": "very-secret"})
    assert space.site_url == "https://o-s.hf.space"
    assert space.oauth is not None and space.oauth.is_framed and space.has_oauth
    assert (space.oauth.provider, space.oauth.scopes) == ("https://huggingface.co", "openid profile")
    assert "very-secret" not in repr(space)
    assert identity_of(space).has_sign_in and not local_identity(space).has_sign_in
    with pytest.raises(settings.SettingsError, match="OAUTH_CLIENT_SECRET must be too"):
        settings.from_env({"OAUTH_CLIENT_ID": "c"})


def test_a_space_without_a_sign_in_takes_nothing() -> None:
    """Strangers are not the configured user; who keeps the Space is told what to do."""
    bare = identity_of(settings.from_env({"SPACE_ID": "marsh/board", "SPACE_HOST": "marsh-board.example"}))
    with pytest.raises(NotAllowed, match="hf_oauth: true"):
        bare.sender(bare.person(None), ALONE)
    assert bare.manager(None) is None
    signed = identity_of(
        settings.from_env({"SPACE_ID": "marsh/board", "OAUTH_CLIENT_ID": "a", "OAUTH_CLIENT_SECRET": "b"})
    )
    with pytest.raises(NotAllowed, match="Sign in first"):
        signed.sender(signed.person(None), ALONE)
