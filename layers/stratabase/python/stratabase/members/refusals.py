"""Exceptions that refuse a change of a member."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.core.domain.issues.refusals import (
    Conflicting,
    NotFound,
    Refusal,
    TooManyRequests,
    Unavailable,
)
from stratabase.members.member import Member
from stratabase.members.password import PasswordPolicy, Weakness
from stratabase.values.messages import Message, _, ngettext, sentences


class FieldMistake(NamedTuple):
    """An invalid field, by its name in the API. `message` says what would be right."""

    field: str
    message: Message


class BadMember(Refusal):
    """Some fields are not valid. The refusal names all of them."""

    def __init__(self, mistakes: Iterable[FieldMistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(sentences(mistake.message for mistake in self.mistakes))


class MemberTaken(BadMember, Conflicting):
    """Other members have the same username or email address."""

    def __init__(self, fields: Iterable[str]) -> None:
        super().__init__(
            FieldMistake(
                field, _('Another member already has this "{field}". Use a different one.', field=field)
            )
            for field in fields
        )


class RecipientRefused(BadMember):
    """The mail server takes no mail for a member's address. Only another address helps, no repetition."""

    def __init__(self, reason: Message) -> None:
        super().__init__([FieldMistake("email", reason)])


class TooManyFailures(TooManyRequests):
    """Too many wrong passwords were sent for one username from one network."""

    def __init__(self, retry_after: int) -> None:
        message = ngettext(
            "Too many failed sign-in attempts. Try again in {count} second.",
            "Too many failed sign-in attempts. Try again in {count} seconds.",
            retry_after,
        )
        super().__init__(message, retry_after)


class TooManyMails(TooManyRequests):
    """A member has requested too many mails, or an address has received too many."""

    def __init__(self, retry_after: int) -> None:
        message = ngettext(
            "Too many emails with a link were requested. Try again in {count} minute.",
            "Too many emails with a link were requested. Try again in {count} minutes.",
            -(-retry_after // 60),
        )
        super().__init__(message, retry_after)


class ConfirmationNotSent(Unavailable):
    """The link to confirm a new email address could not be mailed. Nothing was changed."""

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


class NoSuchMember(NotFound):
    """No member has the ID, or no longer has it."""

    def __init__(self) -> None:
        super().__init__(_("A member with this ID does not exist."))


class NoSuchSession(NotFound):
    """The member has no session with the ID, or no longer has it."""

    def __init__(self) -> None:
        super().__init__(_("The member has no session with this ID. It may have ended."))


class NoSuchKey(NotFound):
    """The member has no API key with the ID, or no longer has it."""

    def __init__(self) -> None:
        super().__init__(_("The member has no API key with this ID."))


class KeyRefused(Conflicting):
    """The member has a key with the same name, or too many keys."""


class LastAdministrator(Conflicting):
    """The change would leave the service without an administrator who is not disabled."""

    def __init__(self, username: str) -> None:
        super().__init__(
            _(
                '"{username}" is the only active administrator. Make another member an administrator first.',
                username=username,
            )
        )
        self.username = username


class InvitationNotSent(Unavailable):
    """A member was created, but the mail with the link to choose a password could not be sent."""

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
    """A password that the rules refuse."""

    def __init__(self, policy: PasswordPolicy, weaknesses: tuple[Weakness, ...]) -> None:
        super().__init__(FieldMistake("password", policy.advice(weakness)) for weakness in weaknesses)
        self.weaknesses = weaknesses
