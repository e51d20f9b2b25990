"""What a member's record has of signing in, besides the password: sessions, API keys, links, and codes.

`sessions`, `api_keys`, `provider_links` and `exchange_codes` have the rules for each of them.
"""

from dataclasses import field

from stratabase.core.domain.objects.instant import Instant
from stratabase.values.frozen import frozen


@frozen
class Session:
    """A sign-in that goes on as long as its tokens are renewed."""

    id: str
    """The claim `sid` of the tokens."""
    since: Instant
    """When the member signed in."""
    renewed: Instant
    """When the newest token was issued."""
    way: str
    """How the member signed in: PASSWORD_WAY, or the name of a provider."""
    device: str = ""
    """The browser and the operating system, such as "Firefox on Linux". Empty if they are unknown."""
    address: str = ""
    """The IP address of the sign-in."""


PASSWORD_WAY = "password"  # noqa: S105 - it is the name of a way
"""The way of sessions and entries that began with a username and a password."""


@frozen
class ApiKey:
    """A key with which a program sends requests as the member."""

    id: str
    name: str
    hash: str = field(repr=False)
    """The SHA-256 of the whole key in hexadecimal."""
    since: Instant
    """When the key was made."""
    until: Instant | None = None
    """The instant from which the key is no longer valid. None: it has no end."""
    profile: str | None = None
    """The narrower profile that the key has. None: the profile of the member."""
    networks: tuple[str, ...] = ()
    """The networks that the key can be sent from, in CIDR notation. Empty: any."""


@frozen
class ProviderLink:
    """The account at an identity provider with which a member can sign in."""

    issuer: str
    subject: str
    """The claim `sub`, which identifies the account at the issuer."""
    provider: str
    """The name of the provider when the link was made."""
    since: Instant
    """When the link was made."""


@frozen
class ExchangeCode:
    """A code that ends a sign-in with a provider. A client exchanges it once for a token."""

    hash: str = field(repr=False)
    """The SHA-256 of the code in hexadecimal."""
    challenge: str
    """The S256 challenge (RFC 7636) of the verifier that the exchange must send."""
    until: Instant
    """The instant from which the code is no longer valid."""
    way: str
    """The name of the provider."""
    since: Instant = 0
    """When the member signed in to the provider, for the session that the code begins."""
    session: str = ""
    """The ID of the session that began with the code. Empty until the code is used."""
