"""Change a member's own e-mail address, after the member confirms it by a mailed link."""

from urllib.parse import quote

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.observe import Log, causes
from stratabase.core.operations.ports import Attempts, Clock
from stratabase.members.attempts import recipient_key, requester_key
from stratabase.members.audit.actor import acting, by_mailed_link
from stratabase.members.mail import Mail, change_requested_mail, confirmation_mail, email_changed_mail
from stratabase.members.mailed_link import new_link_token
from stratabase.members.member import (
    MailedLink,
    Member,
    NamesTaken,
    confirmation_links,
    with_confirmed_email,
)
from stratabase.members.operations.mailed_links import MailLimit, find_link_owner
from stratabase.members.operations.rules import retry_conflicts
from stratabase.members.ports import Mailer, Members
from stratabase.members.refusals import ConfirmationNotSent, MemberTaken, RecipientRefused

MAX_MAILS_TO_ADDRESS = 5
"""Mails with a link to one address within an hour, whichever members request them."""
MAX_MAILS_BY_MEMBER = 10
"""Mails with a link that a member requests within an hour, to all addresses together."""
CONFIRM_EMAIL_PATH = "/public/administration/confirmEmail"
"""The path of the page that the link opens, below the base URL."""


class EmailChange:
    """Mails confirmation links to new addresses, and confirms the addresses."""

    def __init__(  # noqa: PLR0913 - each is a service that it uses
        self,
        members: Members,
        mailer: Mailer,
        attempts: Attempts,
        clock: Clock,
        *,
        log: Log,
        application: str,
    ) -> None:
        self._members = members
        self._mailer = mailer
        self._limit = MailLimit(attempts, clock)
        self._clock = clock
        self._log = log
        self._application = application

    def request(self, member: Member, email: str, base_url: str) -> MailedLink:
        """Mail a link to a member's new address, and return the link to store.

        `base_url` is the base of the link.

        The mail goes out before the link is stored, because a failed mail must not leave a pending address.
        If the link is opened before it is stored, or storing it failed, it is unknown. Addresses of other
        members count towards the limit of mails too. Otherwise a member could test which addresses are taken.

        Raises MemberTaken, TooManyMails, Unavailable. Raises RecipientRefused or ConfirmationNotSent if the
        mail cannot be sent.
        """
        token = new_link_token(member.id)
        limits = {requester_key(member.id): MAX_MAILS_BY_MEMBER, recipient_key(email): MAX_MAILS_TO_ADDRESS}
        with self._limit.within(limits):
            other = self._members.by_email(email)
            if other is not None and other.id != member.id:
                raise MemberTaken(("email",))
            self._send_link(member, email, f"{base_url}{CONFIRM_EMAIL_PATH}?token={quote(str(token))}")
        return token.stored(self._clock.now())

    def notify_requested(self, member: Member) -> None:
        """Notify a member at the present address that a change was requested."""
        self._notify(member, change_requested_mail(member, self._application))

    def inspect(self, token: str) -> Member:
        """Return the member whose pending address a link confirms. Raises UnusableLink, Unavailable."""
        return find_link_owner(self._members, self._clock, token, confirmation_links)

    def confirm(self, token: str) -> Member:
        """Make a pending address the member's address, and return the member as stored. A link works once.

        Raises UnusableLink, Unavailable. Raises MemberTaken if another member has the address by now; the
        link then stays valid.
        """
        before, after = retry_conflicts(lambda: self._confirm(token))
        self._notify(before, email_changed_mail(before, self._application))
        return after

    def _confirm(self, token: str) -> tuple[Member, Member]:
        """Return a member before and after the change."""
        before = self.inspect(token)
        after = with_confirmed_email(before)
        try:
            with acting(by_mailed_link(before)):
                self._members.change(before, after)
        except NamesTaken as taken:
            raise MemberTaken(taken.fields) from None
        return before, after

    def _send_link(self, member: Member, email: str, link: str) -> None:
        try:
            waiting.offload(self._mailer.send, confirmation_mail(member, email, self._application, link))
        except Unavailable as reason:
            raise ConfirmationNotSent(reason) from reason

    def _notify(self, member: Member, mail: Mail) -> None:
        """Send a notice to a member's address. A failure is only logged: the address may no longer exist."""
        try:
            waiting.offload(self._mailer.send, mail)
        except (RecipientRefused, Unavailable) as reason:
            self._log.warning(
                "Email address change notice not sent",
                member=member.id,
                reason=str(reason),
                causes=causes(reason),
            )
