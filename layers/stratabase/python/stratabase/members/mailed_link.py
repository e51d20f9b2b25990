"""The token of a link that is mailed to a member, and what the store keeps of it."""

import hmac
import re
import secrets
from hashlib import sha256
from typing import NamedTuple

from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.core.domain.objects.instant import Instant
from stratabase.members.member import MailedLink, Member
from stratabase.values.messages import _

LINK_LIFETIME = 3_600_000
"""Milliseconds."""
SECRET_BYTES = 32
_TOKEN = re.compile(r"([!-~]{1,128})\.([A-Za-z0-9_-]{43})")


class UnusableLink(Unauthenticated):
    """A mailed link that is not valid, or no longer valid."""

    def __init__(self, member: Member | None = None, *, expired: bool = False) -> None:
        super().__init__(
            _("This link has expired. Links are valid for one hour.")
            if expired
            else _("This link is not valid. It was already used, replaced by a newer link, or never sent.")
        )
        self.member = member
        """The member of the link; None if the secret is not that of a link of a member."""
        self.expired = expired
        """Whether the link is not valid only because of its age."""


class LinkToken(NamedTuple):
    """The token in a mailed link: a member's ID, and the secret that proves it."""

    member: str
    """The member's ID."""
    secret: str
    """SECRET_BYTES random bytes, in URL-safe base64."""

    def __str__(self) -> str:
        return f"{self.member}.{self.secret}"

    def stored(self, now: Instant) -> MailedLink:
        """Return what the store keeps of a link that is made now. It has only a hash of the secret."""
        return MailedLink(_hash(self.secret), now + LINK_LIFETIME)

    def opens(self, link: MailedLink) -> bool:
        """Return whether the token belongs to a stored link. The time does not depend on the secret."""
        return hmac.compare_digest(_hash(self.secret), link.hash)


def new_link_token(member_id: str) -> LinkToken:
    """Return the token of a new link for a member."""
    return LinkToken(member_id, secrets.token_urlsafe(SECRET_BYTES))


def parse_link_token(text: str) -> LinkToken | None:
    """Return the token that a text contains; None if the text is not a token."""
    match = _TOKEN.fullmatch(text)
    return LinkToken(*match.groups()) if match else None


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
