"""Exceptions that say why something is not done with a member."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.domain.issues.refusals import Refusal, Unavailable
from stratabase.domain.members.member import Member
from stratabase.domain.members.password import PasswordPolicy, Weakness
from stratabase.messages import Message, _, ngettext, sentences


class FieldMistake(NamedTuple):
    """A field that does not hold, by its name in the API; `message` says what would be right."""

    field: str
    message: Message


class BadMember(Refusal):
    """Fields do not hold; the refusal names all of them."""

    def __init__(self, mistakes: Iterable[FieldMistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(sentences(mistake.message for mistake in self.mistakes))


class MemberTaken(BadMember):
    """Other members have the username or the e-mail address."""

    def __init__(self, fields: Iterable[str]) -> None:
        super().__init__(
            FieldMistake(
                field, _('Another member already has this "{field}". Use a different one.', field=field)
            )
            for field in fields
        )


class TooManyMails(Refusal):
    """So many mails were asked for that the next one would be a nuisance to somebody."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(
            ngettext(
                "Too many emails with a link were requested. Try again in {count} minute.",
                "Too many emails with a link were requested. Try again in {count} minutes.",
                -(-retry_after // 60),
            )
        )
        self.retry_after = retry_after
        """Seconds."""


class ConfirmationNotSent(Unavailable):
    """A new e-mail address cannot be proven, since nobody takes the mail with the link."""

    def __init__(self, reason: Unavailable) -> None:
        super().__init__(
            _(
                "No changes were made. "
                'A new "email" takes effect only after you confirm it with a link sent to that '
                "address. {reason}",
                reason=reason.message,
            ),
            reason.retry_after,
        )


class NoSuchMember(Refusal):
    """There is no member with that id, or not any more."""

    def __init__(self) -> None:
        super().__init__(_("A member with this ID does not exist."))


class LastAdministrator(Refusal):
    """The last administrator who is not disabled would be none any more."""

    def __init__(self, username: str) -> None:
        super().__init__(
            _(
                '"{username}" is the only active administrator. Make another member an administrator first.',
                username=username,
            )
        )
        self.username = username


class InvitationNotSent(Unavailable):
    """A member was made, and the mail with which it could choose a password could not be sent."""

    def __init__(self, member: Member, reason: Unavailable) -> None:
        super().__init__(
            _(
                'The member "{username}" was created with the ID {id}, but the invitation wasn\'t '
                "sent. {reason} Don't create the member again. To send a new link, use resetPassword.",
                username=member.username,
                id=member.id,
                reason=reason.message,
            ),
            reason.retry_after,
        )
        self.member = member


class WeakPassword(BadMember):
    """A password that may not be chosen."""

    def __init__(self, policy: PasswordPolicy, weaknesses: tuple[Weakness, ...]) -> None:
        super().__init__(FieldMistake("password", policy.advice(weakness)) for weakness in weaknesses)
        self.weaknesses = weaknesses
