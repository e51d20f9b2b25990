"""Find the member whose mailed link was opened, and limit the number of mails."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.operations.ports import Attempts, Clock
from stratabase.members.attempts import MAIL_WINDOW
from stratabase.members.mailed_link import UnusableLink, parse_link_token
from stratabase.members.member import LINK_USED, MailedLink, Member
from stratabase.members.ports import Members
from stratabase.members.refusals import TooManyMails

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


class MailLimit:
    """Limits what happens within MAIL_WINDOW, even if much of it is requested at once."""

    def __init__(self, attempts: Attempts, clock: Clock) -> None:
        self._attempts = attempts
        self._clock = clock

    @contextmanager
    def within(self, limits: Mapping[str, int]) -> Iterator[None]:
        """Run the body if each key has been counted less often than its maximum within the window.

        The body counts unless it raises Unavailable. Raises TooManyMails, Unavailable.
        """
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
        """Count a key once more, and return the id of its record. Raises TooManyMails, Unavailable."""
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
