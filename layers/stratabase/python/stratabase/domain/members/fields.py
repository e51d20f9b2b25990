"""The table of a member's fields: how each is checked, read and set from what a client gives."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from stratabase.domain.members.member import Member, with_disabled, with_email
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.formats.preferences import DEFAULT_FORMATS, FORMAT_CHECKS, MAX_FORMAT_LENGTH
from stratabase.messages import Message, _, or_list
from stratabase.model.constraints.email import LONGEST_EMAIL, is_email, is_mailable
from stratabase.model.model import Profile


@dataclass(frozen=True, slots=True)
class MemberField:
    """A field of a member, as a client gives it and sees it."""

    name: str
    description: str
    get: Callable[[Member], Any]
    """Return what a member has there."""
    set: Callable[[Member, Any], Member]
    """Return a member that has what was given there; it must have been checked."""
    check: Callable[[Any], None]
    """Raise InvalidValue for what is of the right type and does not hold, with what would be right."""
    type: Literal["string", "boolean"] = "string"
    max_length: int | None = None
    """Characters."""
    format: str | None = None
    """A name of OpenAPI's registry."""
    example: Any = None
    required: bool = False
    """A new member must be given it."""
    at_creation: bool = True
    """A new member may be given it."""
    administrators_only: bool = False
    """Only an administrator may change it, even of oneself."""
    nullable: bool = False
    """Null may be given: nothing, or what is usual."""
    multiline: bool = False
    """It may have several lines."""

    def mistakes(self, given: Any) -> Iterator[Message]:
        """Yield what is wrong with what was given, and what would be right."""
        try:
            self._check(given)
        except InvalidValue as refusal:
            yield refusal.message

    def _check(self, given: Any) -> None:
        if given is None and self.nullable:
            return
        type_, expected = _TYPES[self.type]
        if not isinstance(given, type_):
            raise InvalidValue(_('"{field}" must be {expected}.', field=self.name, expected=expected))
        if isinstance(given, str):
            self._check_text(given)
        self.check(given)

    def _check_text(self, given: str) -> None:
        if self.max_length is not None and len(given) > self.max_length:
            raise InvalidValue(
                _(
                    '"{field}" must have at most {limit} characters, not {length}.',
                    field=self.name,
                    limit=self.max_length,
                    length=len(given),
                )
            )
        stray = stray_character(given, lines=self.multiline)
        if stray is not None:
            raise InvalidValue(
                _(
                    '"{field}" contains the unsupported character {character}. Remove it.',
                    field=self.name,
                    character=stray,
                )
            )


_TYPES: dict[str, tuple[type, Message]] = {
    "string": (str, _("a string")),
    "boolean": (bool, _("true or false")),
}
_STRAY = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")
_STRAY_IN_LINES = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]|\\r(?!\\n)"
)


def stray_character(text: str, *, lines: bool = False) -> str | None:
    """Return the first character that has no place in a text, such as U+0007; None when there is none.

    Those are control characters, halves of surrogate pairs, U+FFFE and U+FFFF; a text of several `lines` may
    hold tabs and the ends of lines.
    """
    match = (_STRAY_IN_LINES if lines else _STRAY).search(text)
    return f"U+{ord(match.group()):04X}" if match else None


LONGEST_FORMAT_NAME = 64
"""Characters of the names of time zones and languages, of which none has as many."""


def _format_field(name: str, attribute: str, about: str, most: int) -> MemberField:
    """Return a field of the member's formats; null is the instance's default."""
    usual = getattr(DEFAULT_FORMATS, attribute)

    def put(member: Member, given: str | None) -> Member:
        formats = replace(member.formats, **{attribute: usual if given is None else given})
        return replace(member, formats=formats)

    def check(given: str) -> None:
        if not given:
            raise InvalidValue(
                _(
                    '"{field}" must not be empty. Use null for the default, {default}.',
                    field=name,
                    default=usual,
                )
            )
        try:
            FORMAT_CHECKS[attribute](given)
        except InvalidValue as refusal:
            message = _('"{field}" is not valid. {reason}', field=name, reason=refusal.message)
            raise InvalidValue(message) from refusal

    return MemberField(
        name,
        about,
        get=lambda member: getattr(member.formats, attribute),
        set=put,
        check=check,
        max_length=most,
        example=usual,
        nullable=True,
    )


_FORMAT_FIELDS = (
    _format_field("timeFormat", "time_format", "The Java pattern of times.", MAX_FORMAT_LENGTH),
    _format_field("dateFormat", "date_format", "The Java pattern of dates.", MAX_FORMAT_LENGTH),
    _format_field("timeZone", "time_zone", "The IANA name of the time zone.", LONGEST_FORMAT_NAME),
    _format_field(
        "language", "language", "The code of the language, such as it or pt-BR.", LONGEST_FORMAT_NAME
    ),
)
LONGEST_USERNAME = 64
LONGEST_NOTES = 2000


def member_fields(profiles: Mapping[str, Profile]) -> Mapping[str, MemberField]:
    """Return the fields by their names, for a model with these profiles. A password is none of them."""
    fields = (_USERNAME, _EMAIL, _NOTES, _profile(profiles), *_FORMAT_FIELDS, _DISABLED)
    return {field.name: field for field in fields}


def _accept_any(_given: Any) -> None:
    """Take whatever has the right type."""


def _check_username(given: str) -> None:
    if not given:
        raise InvalidValue(_('"username" must not be empty.'))
    if ":" in given:
        raise InvalidValue(
            _(
                '"username" must not contain a colon. '
                "In credentials, a colon separates the username from the password."
            )
        )
    if given != given.strip():
        raise InvalidValue(_('"username" must not begin or end with a space.'))


def _check_email(given: str) -> None:
    if not is_email(given):
        raise InvalidValue(_('"email" must be an email address, such as name@example.com.'))
    if not is_mailable(given):
        raise InvalidValue(
            _(
                '"email" contains characters that are unsupported or ambiguous in email addresses. '
                "For an internationalized domain, use its xn--… form."
            )
        )


def _checks_profile(profiles: Mapping[str, Profile]) -> Callable[[str], None]:
    def check(given: str) -> None:
        if given not in profiles:
            raise InvalidValue(
                _(
                    '"profile" must be a profile of the model, not {value}. Use {profiles}.',
                    value=describe_value(given),
                    profiles=or_list(profiles),
                )
            )

    return check


_USERNAME = MemberField(
    "username",
    "The name to sign in with. It is unique regardless of case.",
    get=lambda member: member.username,
    set=lambda member, given: replace(member, username=given),
    check=_check_username,
    max_length=LONGEST_USERNAME,
    example="anna",
    required=True,
    administrators_only=True,
)
_EMAIL = MemberField(
    "email",
    "The email address. It is unique regardless of case.",
    get=lambda member: member.email,
    set=with_email,
    check=_check_email,
    max_length=LONGEST_EMAIL,
    format="email",
    example="anna@example.com",
    required=True,
)
_NOTES = MemberField(
    "notes",
    "Notes: any text.",
    get=lambda member: member.notes,
    set=lambda member, given: replace(member, notes=given or None),
    check=_accept_any,
    max_length=LONGEST_NOTES,
    nullable=True,
    multiline=True,
)
_DISABLED = MemberField(
    "disabled",
    "Whether the member is prevented from signing in.",
    get=lambda member: member.disabled,
    set=with_disabled,
    check=_accept_any,
    type="boolean",
    at_creation=False,
    administrators_only=True,
)


def _profile(profiles: Mapping[str, Profile]) -> MemberField:
    return MemberField(
        "profile",
        f"The profile, which decides what the member is permitted to do: {', '.join(profiles)}.",
        get=lambda member: member.profile,
        set=lambda member, given: replace(member, profile=given),
        check=_checks_profile(profiles),
        example=next(iter(profiles), None),
        required=True,
        administrators_only=True,
    )
