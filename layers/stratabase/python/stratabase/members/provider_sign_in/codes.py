"""The codes with which sign-ins and linkings with a provider end: new ones, and the proof of who has one."""

import hmac
import re
import secrets
from hashlib import sha256
from typing import NamedTuple

from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.instant import Instant
from stratabase.members.credentials import ExchangeCode, ProviderLink
from stratabase.members.member import Member
from stratabase.members.provider_sign_in.attempt import s256
from stratabase.members.provider_sign_in.sealed import Seal
from stratabase.values.messages import _

CODE_LIFETIME = 60_000
"""Milliseconds."""
MAX_CODE_LENGTH = 4096
_CODE = re.compile(r"([!-~]{1,128})\.[A-Za-z0-9_-]{43}")
_PLACE = "link"
"""What codes that end a linking are sealed for."""


class UnusableCode(Unauthenticated):
    """A code that is not valid, or no longer valid, or not for this client. They are not told apart."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "This code is not valid. It was already used, has expired, or belongs to another verifier. "
                "Sign in again."
            )
        )


class NewCode(NamedTuple):
    """A code that ends a sign-in, and what the store keeps of it."""

    text: str
    stored: ExchangeCode


def new_code(member_id: str, challenge: str, way: str, since: Instant, now: Instant) -> NewCode:
    """Return a new code of a member for the client with a challenge.

    `way`: the name of the provider. `since`: when the member signed in.
    """
    text = f"{member_id}.{secrets.token_urlsafe(32)}"
    return NewCode(text, ExchangeCode(_hash(text), challenge, now + CODE_LIFETIME, way, since))


def owner_of(code: str) -> str | None:
    """Return the ID of the member that a code names; None if the text is no code."""
    match = _CODE.fullmatch(code)
    return match[1] if match else None


def find_code(member: Member, code: str, verifier: str, now: Instant) -> ExchangeCode | None:
    """Return what a member's record has of a code if it belongs to a client with this verifier.

    None if it has expired. It may have been used.
    """
    hashed, challenge = _hash(code), s256(verifier)
    found = next((each for each in member.codes if hmac.compare_digest(each.hash, hashed)), None)
    if found is None or found.until <= now or not hmac.compare_digest(found.challenge, challenge):
        return None
    return found


class LinkCodes:
    """The codes that end linkings. The account is sealed in them, so that no store needs to keep it.

    Using one twice has no effect, because the member then has the link.
    """

    def __init__(self, seal: Seal) -> None:
        self._seal = seal

    def make(self, link: ProviderLink, challenge: str) -> str:
        """Return a new code for the client with a challenge."""
        content = {
            "issuer": link.issuer,
            "subject": link.subject,
            "provider": link.provider,
            "since": link.since,
            "challenge": challenge,
        }
        return self._seal.close(content, _PLACE)

    def read(self, code: str, verifier: str, now: Instant) -> ProviderLink:
        """Return the link that a code stands for. Raises UnusableCode, Unavailable."""
        content = self._seal.open(code, _PLACE)
        if content is None or content["since"] + CODE_LIFETIME <= now:
            raise UnusableCode
        if not hmac.compare_digest(content["challenge"], s256(verifier)):
            raise UnusableCode
        return ProviderLink(content["issuer"], content["subject"], content["provider"], now)


def _hash(code: str) -> str:
    return sha256(code.encode("utf-8", "replace")).hexdigest()
