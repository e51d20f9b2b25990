"""The token of a link that is mailed to a member, and what is stored of it."""

import hmac
import re
import secrets
from hashlib import sha256
from typing import NamedTuple

from stratabase.domain.issues.refusals import Unauthenticated
from stratabase.domain.members.member import MailedLink, Member
from stratabase.domain.objects.instant import Instant
from stratabase.messages import _

LINK_LIFETIME = 3_600_000
"""Milliseconds."""
SECRET_BYTES = 32
_TOKEN = re.compile(r"([!-~]{1,128})\.([A-Za-z0-9_-]{43})")


class UnusableLink(Unauthenticated):
    """A link that does nothing, or nothing any more."""

    def __init__(self, member: Member | None = None, *, expired: bool = False) -> None:
        super().__init__(
            _("This link has expired. Links are valid for one hour.")
            if expired
            else _("This link is not valid. It was already used, replaced by a newer link, or never sent.")
        )
        self.member = member
        """Whose it was; None when nobody knows, or the secret is not that of the member's last link."""
        self.expired = expired
        """Whether it would be good but for its age."""


class LinkToken(NamedTuple):
    """What a link's token says: whose it is, and the secret that proves it."""

    member: str
    """An id."""
    secret: str
    """SECRET_BYTES random bytes, as base64 for addresses."""

    def __str__(self) -> str:
        return f"{self.member}.{self.secret}"

    def stored(self, now: Instant) -> MailedLink:
        """Return what is kept of a link that is made now: the secret only as a hash."""
        return MailedLink(_hash(self.secret), now + LINK_LIFETIME)

    def opens(self, link: MailedLink) -> bool:
        """Return whether a stored link is that of this token, in the same time for every secret."""
        return hmac.compare_digest(_hash(self.secret), link.hash)


def new_link_token(member_id: str) -> LinkToken:
    """Return the token of a new link of a member."""
    return LinkToken(member_id, secrets.token_urlsafe(SECRET_BYTES))


def parse_link_token(text: str) -> LinkToken | None:
    """Return what the text of a token says, None when it is no token's."""
    match = _TOKEN.fullmatch(text)
    return LinkToken(*match.groups()) if match else None


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
