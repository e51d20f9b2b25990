"""Authentication of requests by the Authorization header, with an authenticator for each scheme.

It also recognizes requests that a page of another site makes a browser send with the credentials of its user.
"""

from collections.abc import Mapping
from typing import Protocol

from stratabase.core.domain.caller import Caller, SentKey, SentToken
from stratabase.core.domain.issues.refusals import Forbidden, Unauthenticated
from stratabase.core.http.base.body import body_format_of
from stratabase.core.http.base.media_type import parse_media_type
from stratabase.core.http.base.messages import Request, last_value
from stratabase.core.http.base.refusals import InvalidCredentials, MissingCredentials
from stratabase.values.messages import _, or_list

BEARER_CHALLENGE = 'Bearer realm="Stratabase"'
INVALID_TOKEN_CHALLENGE = f'{BEARER_CHALLENGE}, error="invalid_token"'
"""The challenge in the response to a request whose token is not valid."""


class Authenticator(Protocol):
    """Authenticates callers by one scheme of the Authorization header."""

    @property
    def challenge(self) -> str:
        """The challenge of the scheme in the WWW-Authenticate header."""

    def caller(self, credentials: str, source_address: str, /) -> Caller:
        """Return the caller to whom the credentials belong. Its `proof` says what was verified.

        Raises InvalidCredentials with the challenges for the response, Unauthenticated for the default
        challenge, TooManyFailures, Forbidden, or Unavailable.
        """


class Authentication:
    """Authenticates requests.

    `schemes` has the authenticators by scheme name. Responses list the challenges in this order.
    """

    def __init__(self, schemes: Mapping[str, Authenticator]) -> None:
        self._schemes = {name.lower(): authenticator for name, authenticator in schemes.items()}
        self._names = or_list(schemes)

    @property
    def schemes(self) -> tuple[str, ...]:
        """The supported schemes, in lower case."""
        return tuple(self._schemes)

    def caller(self, request: Request) -> Caller:
        """Return the caller of a request.

        Raises InvalidCredentials, TooManyFailures, Forbidden, Unavailable.
        """
        authenticator, credentials = request.of_headers(self._sent)
        try:
            return authenticator.caller(credentials, request.source_address)
        except Unauthenticated as refusal:
            raise InvalidCredentials(refusal.message, self._challenges(authenticator, refusal)) from refusal

    def _sent(self, headers: Mapping[str, tuple[str, ...]]) -> tuple[Authenticator, str]:
        """Return the credentials of the Authorization header, and what authenticates them.

        Raises MissingCredentials.
        """
        values = headers.get("authorization", ())
        if len(values) != 1:
            message = _(
                "This address requires exactly one Authorization header with the {schemes} scheme.",
                schemes=self._names,
            )
            raise MissingCredentials(message, self._challenges())
        scheme, _blank, credentials = values[0].strip().partition(" ")
        authenticator = self._schemes.get(scheme.lower())
        if authenticator is None:
            message = _("The Authorization header must use the {schemes} scheme.", schemes=self._names)
            raise MissingCredentials(message, self._challenges())
        return authenticator, credentials.strip()

    def _challenges(
        self, refusing: Authenticator | None = None, refusal: Unauthenticated | None = None
    ) -> list[str]:
        """Return the challenges of all schemes.

        If the refusal of the `refusing` scheme has challenges, they replace the default one of that scheme.
        """
        own = refusal.challenges if isinstance(refusal, InvalidCredentials) else ()
        return [
            challenge
            for authenticator in self._schemes.values()
            for challenge in (own if own and authenticator is refusing else (authenticator.challenge,))
        ]


def require_caller(caller: Caller | None) -> Caller:
    """Return the caller of a request to a protected address, where the handler always authenticates it."""
    assert caller is not None, "the address is protected"
    return caller


_OWN_SITES = ("same-origin", "none")
"""Values of Sec-Fetch-Site for requests from the service's own pages, and for those that the user starts."""
_UNCHECKED_METHODS = ("GET", "HEAD", "POST")
"""The methods that a page can send to any site. For other methods, browsers send a CORS preflight first."""


def check_csrf(request: Request, caller: Caller) -> None:
    """Raise Forbidden if a page of another site may have forged the request.

    Browsers remember credentials such as a password (HTTP Basic), and send them automatically. They never add
    a token or a key, so requests with one are not at risk. Clients other than browsers send none of the
    headers that this check reads, so their requests pass.
    """
    if isinstance(caller.proof, SentToken | SentKey):
        return
    if request.method in _UNCHECKED_METHODS and request.of_headers(_may_be_forged):
        raise Forbidden(
            _(
                "A web page on another site sent this request, possibly without your knowledge. "
                "Cross-site requests must use a token, or send JSON or XML with the matching "
                "Content-Type header."
            )
        )


def _may_be_forged(headers: Mapping[str, tuple[str, ...]]) -> bool:
    """Return whether a page of another site makes a browser send these headers without a CORS preflight."""
    name = parse_media_type(last_value(headers, "content-type") or "").name
    return body_format_of(name) is None and _is_cross_site(headers)


def _is_cross_site(headers: Mapping[str, tuple[str, ...]]) -> bool:
    site = last_value(headers, "sec-fetch-site")
    if site is not None:
        return site not in _OWN_SITES
    # Browsers omit Sec-Fetch-Site on plain HTTP. There they send Origin, except with GET and HEAD.
    origin = last_value(headers, "origin")
    return origin is not None and origin.partition("://")[2] != last_value(headers, "host")
