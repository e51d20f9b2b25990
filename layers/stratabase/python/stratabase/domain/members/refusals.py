"""Exceptions that say why something is not done with a member."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.domain.issues.refusals import Refusal, Unavailable
from stratabase.domain.members.member import Member
from stratabase.domain.members.password import PasswordPolicy, Weakness


class FieldMistake(NamedTuple):
    """A field that does not hold, by its name in the API; `text` says what would be right."""

    field: str
    text: str

    def __str__(self) -> str:
        return f'"{self.field}" {self.text}.'


class BadMember(Refusal):
    """Fields do not hold; the refusal names all of them."""

    def __init__(self, mistakes: Iterable[FieldMistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__(" ".join(map(str, self.mistakes)))


class MemberTaken(BadMember):
    """Other members have the username or the e-mail address."""

    def __init__(self, fields: Iterable[str]) -> None:
        super().__init__(
            FieldMistake(field, "is already used by another member: give another one") for field in fields
        )


class TooManyMails(Refusal):
    """So many mails were asked for that the next one would be a nuisance to somebody."""

    def __init__(self, retry_after: int) -> None:
        minutes = -(-retry_after // 60)
        super().__init__(
            "Too many mails with a link were asked for; "
            f"try again in {'a minute' if minutes == 1 else f'{minutes} minutes'}."
        )
        self.retry_after = retry_after
        """Seconds."""


class NotConfirmable(Unavailable):
    """A new e-mail address cannot be proven, since nobody takes the mail with the link."""

    def __init__(self, reason: Unavailable) -> None:
        super().__init__(
            f'Nothing was changed: "email" takes effect by a link that is mailed to it. {reason}',
            reason.retry_after,
        )


class NoSuchMember(Refusal):
    """There is no member with that id, or not any more."""

    def __init__(self) -> None:
        super().__init__("There is no member with this id.")


class LastAdministrator(Refusal):
    """The last administrator who is not disabled would be none any more."""

    def __init__(self, username: str) -> None:
        super().__init__(
            f'"{username}" is the last administrator who is not disabled, and must stay one: '
            "make another member an administrator first."
        )
        self.username = username


class NotInvited(Unavailable):
    """A member was made, and the mail with which it could choose a password could not be sent."""

    def __init__(self, member: Member, reason: Unavailable) -> None:
        super().__init__(
            f'The member "{member.username}" was made, with the id {member.id}, but no mail could be sent: '
            f"{reason} Do not make it again: resetPassword mails a link to this member.",
            reason.retry_after,
        )
        self.member = member


class WeakPassword(BadMember):
    """A password that may not be chosen."""

    def __init__(self, policy: PasswordPolicy, weaknesses: tuple[Weakness, ...]) -> None:
        super().__init__(FieldMistake("password", policy.advice(weakness)) for weakness in weaknesses)
        self.weaknesses = weaknesses
