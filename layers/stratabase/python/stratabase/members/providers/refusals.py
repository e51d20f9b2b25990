"""Why a sign-in with an identity provider is refused, and why a provider can't be used."""

from enum import StrEnum

from stratabase.core.domain.issues.refusals import Unauthenticated, Unavailable
from stratabase.values.messages import _


class RefusalReason(StrEnum):
    """What is wrong with the answer of a provider, or with one of its tokens. The values are for logs."""

    CODE = "code"
    """The provider does not take the authorization code."""
    ANSWER_ISSUER = "answer-issuer"
    """The `iss` of the answer is missing or that of another provider (RFC 9207)."""
    MALFORMED = "malformed"
    """The token is not a JSON Web Token with a header and claims of the right types."""
    ALGORITHM = "algorithm"
    """The token is signed with an algorithm that is not allowed."""
    KEY = "key"
    """The provider has no key, or several, that can have signed the token."""
    SIGNATURE = "signature"
    ISSUER = "issuer"
    AUDIENCE = "audience"
    AUTHORIZED_PARTY = "authorized-party"
    """The `azp` of the token is missing or that of another client."""
    EXPIRED = "expired"
    NOT_YET = "not-yet"
    """The token says that it was issued later, or holds only later."""
    NONCE = "nonce"
    SUBJECT = "subject"
    """The `sub` is missing, too long, or not that of the ID token."""
    ACCESS_TOKEN_HASH = "access-token-hash"  # noqa: S105 - not a password
    """The `at_hash` of the ID token is not that of the access token."""
    AUTHENTICATION_TIME = "authentication-time"
    """The person has signed in to the provider too long ago, or the provider doesn't say when."""
    TOKEN_TYPE = "token-type"  # noqa: S105 - not a password
    """It is an ID token where an access token is expected, or the reverse."""


class ProviderFault(StrEnum):
    """What keeps a provider from being used. The values are for logs."""

    ADDRESS = "address"
    """An address that may not be reached, such as a private one, or no HTTPS."""
    UNREACHABLE = "unreachable"
    """No connection, a certificate that isn't valid, or a broken response."""
    TIMEOUT = "timeout"
    BUSY = "busy"
    """Too many requests to the provider are under way."""
    REDIRECT = "redirect"
    SIZE = "size"
    STATUS = "status"
    """The status of the response is not one of success."""
    CONTENT = "content"
    """The response is compressed, or not the expected JSON."""
    METADATA = "metadata"
    """The metadata lacks something, or has another issuer."""
    CLIENT = "client"
    """The provider does not take the client ID and the secret."""


class SignInRefused(Unauthenticated):
    """The answer of a provider, or one of its tokens, does not prove who signs in."""

    def __init__(self, reason: RefusalReason) -> None:
        super().__init__(
            _("The identity provider's response is not valid ({reason}). Sign in again.", reason=reason.value)
        )
        self.reason = reason


class ProviderUnavailable(Unavailable):
    """A provider can't be used at the moment, or never as it is. A retry may help.

    `detail` is for the operator: what is wrong, and where.
    """

    def __init__(self, fault: ProviderFault, detail: str, retry_after: int = 10) -> None:
        super().__init__(
            _("The identity provider can't be used at the moment. Try again later."), retry_after
        )
        self.fault = fault
        self.detail = detail

    def __str__(self) -> str:
        """Return the text for the operator."""
        return self.detail
