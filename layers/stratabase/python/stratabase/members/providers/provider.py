"""The settings of one identity provider."""

from collections.abc import Mapping
from dataclasses import field

from stratabase.members.providers.addresses import Reach, reach_of
from stratabase.values.frozen import frozen

ClaimValues = Mapping[str, object]
"""What a provider says about a person, by the name of the claim."""
ClaimPath = tuple[str, ...]
"""The name of a claim, or the names that lead to a claim inside of another one."""


def find_claim(claims: ClaimValues, path: ClaimPath) -> object:
    """Return the value of a claim, None if there is none."""
    found: object = claims
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


@frozen
class ProfileTable:
    """Which profile a person gets, by the values of a claim."""

    claim: ClaimPath = ()
    """Empty if everybody gets the default."""
    rows: tuple[tuple[str, str], ...] = ()
    """A value of the claim and a profile each. The first row that matches decides."""
    default: str | None = None
    """The profile of those whom no row matches, never one of an administrator. None: they are refused."""

    def profile_of(self, claims: ClaimValues) -> str | None:
        """Return the profile of a person with these claims, None if they get none."""
        found = _texts(find_claim(claims, self.claim)) if self.claim else frozenset()
        return next((profile for value, profile in self.rows if value in found), self.default)


def _texts(value: object) -> frozenset[str]:
    """Return the values of a claim, which can be a list, as they are written in a table of profiles."""
    values = value if isinstance(value, list) else [value]
    texts = (_text(each) for each in values)
    return frozenset(text for text in texts if text is not None)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int) else None


@frozen
class AccessTokenRule:
    """How the access tokens of a provider that are for this service are recognized."""

    audience: str
    """The value that the audience claim must have, or contain."""
    audience_claim: str = "aud"
    mark_claim: str | None = None
    """The claim that only access tokens have. None: the header of the token must have the type `at+jwt`."""
    mark_value: str | None = None
    """The value of that claim. None: any value."""


@frozen
class Provider:
    """An identity provider, with which members sign in by OpenID Connect."""

    name: str
    """The name in addresses, in lowercase."""
    label: str
    """The name for people."""
    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    scopes: tuple[str, ...] = ("openid", "profile", "email")
    username_claim: ClaimPath = ("preferred_username",)
    """The claim with the username of a new member."""
    profiles: ProfileTable | None = None
    """None: the profiles of members don't depend on the provider."""
    creates_members: bool = False
    """Whether people whom no member is linked with become members."""
    trusts_email: bool = False
    """Whether the provider has verified all email addresses, although it does not say so for each."""
    may_be_private: bool = False
    """Whether the addresses of the provider may be private ones."""
    access_tokens: AccessTokenRule | None = None
    """None: access tokens of the provider are not accepted."""

    @property
    def reach(self) -> Reach:
        """How far requests to the provider may go."""
        return reach_of(self.issuer, may_be_private=self.may_be_private)

    def username_of(self, claims: ClaimValues) -> str | None:
        """Return the username that a new member with these claims gets, None if the claims have none."""
        found = find_claim(claims, self.username_claim)
        return found if isinstance(found, str) and found else None


@frozen
class Identity:
    """A person or a program that has signed in with a provider, found by issuer and subject only."""

    issuer: str
    subject: str
    claims: ClaimValues = field(default_factory=dict, hash=False)
    """All verified claims of the token, and of the provider's address for more of them."""
    authenticated: int | None = None
    """When the provider has authenticated the person, in seconds since 1970. None if it doesn't say."""
