"""The limits on mails that a member has sent to addresses that nobody has proven to be the member's."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from stratabase.domain.attempt import MAIL_WINDOW, recipient_key, requester_key
from stratabase.domain.member_refusals import TooManyMails
from stratabase.domain.refusal import Unavailable
from stratabase.operations.ports import Attempts, Clock

MOST_TO_AN_ADDRESS = 5
"""Within the window, whoever asks for them."""
MOST_BY_A_MEMBER = 10
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
        limits = {requester_key(member_id): MOST_BY_A_MEMBER, recipient_key(email): MOST_TO_AN_ADDRESS}
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
