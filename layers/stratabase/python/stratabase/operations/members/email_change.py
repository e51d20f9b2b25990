"""Changes a member's own e-mail address once the member proves, by a mailed link, that mail arrives there."""

from urllib.parse import quote

from stratabase import waiting
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.mail import Mail, change_requested_mail, confirmation_mail, email_changed_mail
from stratabase.domain.members.mailed_link import new_link_token
from stratabase.domain.members.member import MailedLink, Member, NamesTaken, with_confirmed_email
from stratabase.domain.members.refusals import ConfirmationNotSent, MemberTaken
from stratabase.observe import Log
from stratabase.operations.members.mailed_links import MailLimit, find_link_owner
from stratabase.operations.members.rules import retry_conflicts
from stratabase.operations.ports import Attempts, Clock, Mailer, Members

CONFIRM_EMAIL_PATH = "/public/administration/confirmEmail"
"""Where the page is that the link leads to, below the root of all addresses."""


class EmailChange:
    """Mails links to new addresses, and takes the confirmations that come by them."""

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
        """Mail a link below `base_url` to a member's new address, and return the link to be stored.

        The mail goes first: a link that cannot be sent must not leave a member with half a change. Whoever
        opens it before it is stored, or when that failed, finds it unknown. Addresses that others have count
        as if they were mailed to, or a member could try out who has one.

        Raises MemberTaken, TooManyMails; ConfirmationNotSent when nobody takes the mail; Unavailable.
        """
        token = new_link_token(member.id)
        with self._limit.mail(member.id, email):
            other = self._members.by_email(email)
            if other is not None and other.id != member.id:
                raise MemberTaken(("email",))
            self._send_link(member, email, f"{base_url}{CONFIRM_EMAIL_PATH}?token={quote(str(token))}")
        return token.stored(self._clock.now())

    def tell_requested(self, member: Member) -> None:
        """Tell a member at the present address that another one was asked for."""
        self._tell(member, change_requested_mail(member, self._application))

    def inspect(self, token: str) -> Member:
        """Return the member whose pending address a link confirms. Raises UnusableLink, Unavailable."""
        return find_link_owner(self._members, self._clock, token, lambda member: member.confirmation)

    def confirm(self, token: str) -> Member:
        """Make a pending address the member's own, once, and return the member as then stored.

        Raises UnusableLink; MemberTaken when another member has the address by now, after which the link is
        as good as before; Unavailable.
        """
        before, after = retry_conflicts(lambda: self._confirmed(token))
        self._tell(before, email_changed_mail(before, self._application))
        return after

    def _confirmed(self, token: str) -> tuple[Member, Member]:
        """Return a member as it was, and as it is now."""
        before = self.inspect(token)
        after = with_confirmed_email(before)
        try:
            self._members.change(before, after)
        except NamesTaken as taken:
            raise MemberTaken(taken.fields) from None
        return before, after

    def _send_link(self, member: Member, email: str, link: str) -> None:
        try:
            waiting.offload(self._mailer.send, confirmation_mail(member, email, self._application, link))
        except Unavailable as reason:
            raise ConfirmationNotSent(reason) from reason

    def _tell(self, member: Member, mail: Mail) -> None:
        """Send a mail to a member's address, which may be one that no mail reaches any more."""
        try:
            waiting.offload(self._mailer.send, mail)
        except Unavailable as reason:
            self._log.warning(
                "Email address change notice not sent",
                member=member.id,
                reason=str(reason),
                cause=repr(reason.__cause__),
            )
