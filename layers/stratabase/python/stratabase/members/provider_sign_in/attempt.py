"""An attempt to sign in with a provider, which the browser keeps in a sealed cookie until it comes back.

Each attempt has a cookie of its own, so that two tabs do not meet. The functions keep nothing.
"""

import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import urlsplit

import pybase64

from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.http.base.messages import Request
from stratabase.members.provider_sign_in.sealed import Seal
from stratabase.values.frozen import frozen
from stratabase.values.messages import _

ATTEMPT_LIFETIME = 600_000
"""Milliseconds."""
MAX_ATTEMPTS = 4
"""The attempts of a browser at the same time. A further one ends the oldest, so that headers stay short."""
_CHALLENGE = re.compile("[A-Za-z0-9_-]{43}")
_NAME_LENGTH = 16
"""The characters of the state that name the cookie. The others are compared with those in the cookie."""
_SAFE, _PLAIN = "__Host-stratabase-signin-", "stratabase-signin-"
"""How names of cookies begin. Browsers accept the first one only with HTTPS, and from this host alone."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@frozen
class SignInAttempt:
    """What must still be known when the browser comes back from the provider."""

    provider: str
    state: str
    nonce: str
    verifier: str
    """The PKCE verifier of the code that the provider issues to the service."""
    return_to: str
    challenge: str
    """The PKCE challenge of the front end, for the code that the service issues to it."""
    until: Instant
    max_age: int | None = None
    """The seconds after which a person must sign in to the provider again."""
    links: bool = False
    """Whether a member links an account of the provider. Otherwise, somebody signs in."""


class SignInRequest(NamedTuple):
    """How a front end begins a sign-in. See `SignInAttempt`."""

    provider: str
    return_to: str
    challenge: str
    max_age: int | None = None
    links: bool = False


def new_attempt(request: SignInRequest, now: Instant) -> SignInAttempt:
    """Return a new attempt with random secrets."""
    state, nonce, verifier = (secrets.token_urlsafe(32) for _each in range(3))
    return SignInAttempt(
        state=state, nonce=nonce, verifier=verifier, until=now + ATTEMPT_LIFETIME, **request._asdict()
    )


def is_challenge(text: str) -> bool:
    """Return whether a text can be a PKCE challenge with the method S256."""
    return _CHALLENGE.fullmatch(text) is not None


def s256(verifier: str) -> str:
    """Return the PKCE challenge of a verifier (RFC 7636 section 4.2)."""
    digest = sha256(verifier.encode("utf-8", "replace")).digest()
    return pybase64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def require_secure(base_url: str) -> None:
    """Raise Forbidden unless browsers keep cookies of the service private: with HTTPS, or on this machine."""
    if not _is_https(base_url) and urlsplit(base_url).hostname not in _LOOPBACK:
        raise Forbidden(
            _(
                "Sign-in with a provider requires HTTPS. Set STRATABASE_BASE_URL to the HTTPS address of the "
                "service."
            )
        )


class AttemptCookies:
    """The cookies of attempts."""

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def write(self, attempt: SignInAttempt, base_url: str) -> str:
        """Return the value of the Set-Cookie header that lets the browser keep an attempt."""
        name = _cookie_name(attempt.state, base_url)
        sealed = self._seal.close(asdict(attempt), name)
        return _set_cookie(name, sealed, ATTEMPT_LIFETIME // 1000, base_url)

    def read(self, request: Request, state: str, now: Instant) -> SignInAttempt | None:
        """Return the attempt with a state, None if the browser has none that is still valid."""
        name = _cookie_name(state, request.base_url)
        found = (self._open(name, value) for each, value in _cookies(request) if each == name)
        attempt = next(filter(None, found), None)
        if attempt is None or attempt.until <= now or not secrets.compare_digest(attempt.state, state):
            return None
        return attempt

    def delete(self, request: Request, state: str) -> str:
        """Return the value of the Set-Cookie header that removes the attempt with a state."""
        return _set_cookie(_cookie_name(state, request.base_url), "", 0, request.base_url)

    def delete_surplus(self, request: Request) -> Iterator[str]:
        """Yield the values of Set-Cookie headers after which there is room for a further attempt."""
        prefix = _prefix(request.base_url)
        kept = {name: self._open(name, value) for name, value in _cookies(request) if name.startswith(prefix)}
        # What cannot be read is of no use, and goes first.
        ordered = sorted(kept, key=lambda name: each.until if (each := kept[name]) else 0)
        for name in ordered[: max(0, len(ordered) - MAX_ATTEMPTS + 1)]:
            yield _set_cookie(name, "", 0, request.base_url)

    def _open(self, name: str, value: str) -> SignInAttempt | None:
        content = self._seal.open(value, name)
        # During an upgrade, another version can have sealed it, with other fields.
        has_all = content is not None and content.keys() == set(SignInAttempt.__match_args__)
        return SignInAttempt(**content) if content is not None and has_all else None


def _cookie_name(state: str, base_url: str) -> str:
    # A state that this service has not made must not become a part of a header.
    name = state[:_NAME_LENGTH] if is_challenge(state) else "unknown"
    return f"{_prefix(base_url)}{name}"


def _prefix(base_url: str) -> str:
    return _SAFE if _is_https(base_url) else _PLAIN


def _is_https(base_url: str) -> bool:
    return base_url.startswith("https://")


def _set_cookie(name: str, value: str, max_age: int, base_url: str) -> str:
    secure = "; Secure" if _is_https(base_url) else ""
    return f"{name}={value}; Max-Age={max_age}; Path=/; HttpOnly; SameSite=Lax{secure}"


def _cookies(request: Request) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the cookies of a request."""
    for pair in ";".join(request.headers.get("cookie", ())).split(";"):
        name, equals, value = pair.strip().partition("=")
        if equals:
            yield name, value
