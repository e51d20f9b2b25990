"""Mail links to members who forgot their password, without revealing which members exist.

A request only counts and queues. What it does, and for how long, does not depend on the name. The lookup of
the name and the mail come later, from the queue.
"""

from collections.abc import Callable

from stratabase.core.domain.issues.refusals import Forbidden
from stratabase.core.observe import Log
from stratabase.core.operations.ports import Attempts, Clock
from stratabase.members.attempts import forgetful_member_key, forgotten_source_key
from stratabase.members.audit.actor import FORGOTTEN_PASSWORD, acting
from stratabase.members.mail import ForgottenPassword, forgotten_password
from stratabase.members.member import Member, MemberKind
from stratabase.members.operations.mailed_links import MailLimit
from stratabase.members.operations.password_reset import PasswordReset
from stratabase.members.ports import ForgottenPasswordQueue, Members
from stratabase.members.refusals import NoSuchMember, RecipientRefused, TooManyMails

MAX_REQUESTS_FROM_ADDRESS = 20
"""Requests from one network address within an hour that are queued."""
MAX_MAILS_TO_MEMBER = 3
"""Mails to one member within an hour. All their links are valid, so the member can still use one."""


class RequestForgottenPassword:
    """Queues requests for links. Every request that fits the limit of its address gets the same treatment."""

    def __init__(
        self, open_queue: Callable[[], ForgottenPasswordQueue], attempts: Attempts, clock: Clock, log: Log
    ) -> None:
        """`open_queue` returns the queue. Most processes never need it."""
        self._open_queue = open_queue
        self._limit = MailLimit(attempts, clock)
        self._log = log

    def __call__(self, name: str, address: str, base_url: str) -> None:
        """Queue a request for the member with a username or an email address, unless there are too many.

        `address` is the IP address of the request, and `base_url` the root URL of the link.

        Raises Unavailable.
        """
        try:
            with self._limit.within({forgotten_source_key(address): MAX_REQUESTS_FROM_ADDRESS}):
                self._open_queue().put(forgotten_password(name, base_url))
        except TooManyMails:
            self._log.warning("Too many requests for links to set a forgotten password", address=address)


class MailForgottenPassword:
    """Mails the links of queued requests."""

    def __init__(
        self, members: Members, attempts: Attempts, clock: Clock, password_reset: PasswordReset, log: Log
    ) -> None:
        self._members = members
        self._limit = MailLimit(attempts, clock)
        self._password_reset = password_reset
        self._log = log

    def __call__(self, request: ForgottenPassword) -> None:
        """Mail a link to the members whom a queued request means, within the limit of each.

        Usually this is one member or none. If the username of one is the email address of another, it is
        both.
        Raises Unavailable if a mail cannot be sent.
        """
        found = (self._members.by_username(request.name), self._members.by_email(request.name))
        for member in {each.id: each for each in found if each is not None}.values():
            self._mail(member, request.base_url)

    def _mail(self, member: Member, base_url: str) -> None:
        if member.disabled or member.kind is MemberKind.PROGRAM:
            return
        try:
            limit = self._limit.within({forgetful_member_key(member.id): MAX_MAILS_TO_MEMBER})
            with limit, acting(FORGOTTEN_PASSWORD):
                self._password_reset.invite(member.id, base_url)
        except TooManyMails:
            self._log.info("Too many emails with a link to set a password", member=member.id)
        except RecipientRefused as refusal:
            # Another attempt would get the same reply.
            self._log.warning("Link to set a password not sent", member=member.id, reason=str(refusal))
        except (Forbidden, NoSuchMember):
            pass  # the member was disabled or removed just now
