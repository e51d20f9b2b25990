"""Find the member whose mailed link was opened, and limit the number of mails."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.attempts import MAIL_WINDOW, recipient_key, requester_key
from stratabase.domain.members.mailed_link import UnusableLink, parse_link_token
from stratabase.domain.members.member import LINK_USED, MailedLink, Member
from stratabase.domain.members.refusals import TooManyMails
from stratabase.operations.ports import Attempts, Clock, Members

LinksOf = Callable[[Member], Iterable[MailedLink]]
"""Returns a member's links of one kind."""


def find_link_owner(members: Members, clock: Clock, token: str, links_of: LinksOf) -> Member:
    """Return the member who was mailed a link, if the link is still valid.

    Raises Unavailable. Raises UnusableLink, which names the member only if the token has the secret of the
    member's links.
    """
    link_token = parse_link_token(token)
    member = members.by_id(link_token.member) if link_token else None
    links = links_of(member) if member else ()
    link = next((each for each in links if link_token and link_token.opens(each)), None)
    if member is None or link is None:
        raise UnusableLink
    if member.disabled or link.until == LINK_USED:
        raise UnusableLink(member)
    if link.until <= clock.now():
        raise UnusableLink(member, expired=True)
    return member


MAX_MAILS_TO_ADDRESS = 5
"""Within the window, whichever members request them."""
MAX_MAILS_BY_MEMBER = 10
"""Within the window, to all addresses together."""


class MailLimit:
    """Limits the mails within MAIL_WINDOW, even if many are requested at once."""

    def __init__(self, attempts: Attempts, clock: Clock) -> None:
        self._attempts = attempts
        self._clock = clock

    @contextmanager
    def mail(self, member_id: str, email: str) -> Iterator[None]:
        """Run the body, which sends one mail for a member to an address, if the limits admit it.

        The mail counts unless the body raises Unavailable. Raises TooManyMails, Unavailable.
        """
        limits = {requester_key(member_id): MAX_MAILS_BY_MEMBER, recipient_key(email): MAX_MAILS_TO_ADDRESS}
        noted: dict[str, str] = {}
        try:
            for key, maximum in limits.items():
                noted[key] = self._admit(key, maximum)
            yield
        except (TooManyMails, Unavailable):
            for key, attempt in noted.items():
                self._withdraw(key, attempt)
            raise

    def _admit(self, key: str, maximum: int) -> str:
        """Record one more mail, and return the id of its record. Raises TooManyMails, Unavailable."""
        now = self._clock.now()
        noted = self._attempts.note(key, now, now - MAIL_WINDOW)
        # Ignore records from the future, which a clock that was ahead has made: otherwise somebody would wait
        # longer than the window.
        counted = [instant for instant in noted.instants if instant <= now]
        if len(counted) <= maximum:
            return noted.attempt
        self._withdraw(key, noted.attempt)
        remaining = counted[-1 - maximum] + MAIL_WINDOW - now
        raise TooManyMails(max(1, -(-remaining // 1000)))

    def _withdraw(self, key: str, attempt: str) -> None:
        # If the store cannot withdraw it, the record counts until the window ends.
        with suppress(Unavailable):
            self._attempts.withdraw(key, attempt)
