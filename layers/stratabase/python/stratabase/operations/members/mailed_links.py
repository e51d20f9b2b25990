"""Finds the member whose mailed link was opened, and limits the mails with links."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.attempts import MAIL_WINDOW, recipient_key, requester_key
from stratabase.domain.members.mailed_link import UnusableLink, parse_link_token
from stratabase.domain.members.member import LINK_USED, MailedLink, Member
from stratabase.domain.members.refusals import TooManyMails
from stratabase.operations.ports import Attempts, Clock, Members

LinkOf = Callable[[Member], MailedLink | None]
"""Returns a member's last link of one kind."""


def find_link_owner(members: Members, clock: Clock, token: str, link_of: LinkOf) -> Member:
    """Return the member to whom a link was mailed that is still good.

    Raises UnusableLink, which names the member only to who has the secret of the member's last link;
    Unavailable.
    """
    read = parse_link_token(token)
    member = members.by_id(read.member) if read else None
    link = link_of(member) if member else None
    if read is None or member is None or link is None or not read.opens(link):
        raise UnusableLink
    if member.disabled or link.until == LINK_USED:
        raise UnusableLink(member)
    if link.until <= clock.now():
        raise UnusableLink(member, expired=True)
    return member


MAX_MAILS_TO_ADDRESS = 5
"""Within the window, whoever asks for them."""
MAX_MAILS_BY_MEMBER = 10
"""Within the window, to whatever addresses."""


class MailLimit:
    """Admits mails while fewer than the limits were sent within MAIL_WINDOW, however many come at once."""

    def __init__(self, attempts: Attempts, clock: Clock) -> None:
        self._attempts = attempts
        self._clock = clock

    @contextmanager
    def mail(self, member_id: str, email: str) -> Iterator[None]:
        """Admit one mail that a member has sent to an address; it counts unless Unavailable is raised within.

        Raises TooManyMails, Unavailable.
        """
        limits = {requester_key(member_id): MAX_MAILS_BY_MEMBER, recipient_key(email): MAX_MAILS_TO_ADDRESS}
        noted: dict[str, str] = {}
        try:
            for key, most in limits.items():
                noted[key] = self._admitted(key, most)
            yield
        except (TooManyMails, Unavailable):
            for key, attempt in noted.items():
                self._withdraw(key, attempt)
            raise

    def _admitted(self, key: str, most: int) -> str:
        """Note one more mail, and return its name. Raises TooManyMails, Unavailable."""
        now = self._clock.now()
        noted = self._attempts.note(key, now, now - MAIL_WINDOW)
        # A clock that was ahead must not keep anybody waiting for longer than the window.
        counted = [instant for instant in noted.instants if instant <= now]
        if len(counted) <= most:
            return noted.attempt
        self._withdraw(key, noted.attempt)
        left = counted[-1 - most] + MAIL_WINDOW - now
        raise TooManyMails(max(1, -(-left // 1000)))

    def _withdraw(self, key: str, attempt: str) -> None:
        # What cannot be taken back counts: that bothers nobody for longer than the window.
        with suppress(Unavailable):
            self._attempts.withdraw(key, attempt)
