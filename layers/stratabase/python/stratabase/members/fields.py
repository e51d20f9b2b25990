"""The table of a member's fields: how to check, read and set what a client sends."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from stratabase.core.model.constraints.email import MAX_EMAIL_LENGTH, is_email, is_mailable
from stratabase.core.model.model import Profile
from stratabase.members.member import Member, MemberKind, with_disabled, with_email
from stratabase.values.formats.invalid_value import InvalidValue, describe_value
from stratabase.values.formats.preferences import DEFAULT_FORMATS, FORMAT_CHECKS, MAX_FORMAT_LENGTH, Formats
from stratabase.values.frozen import frozen
from stratabase.values.messages import Message, _, or_list


@frozen
class MemberField:
    """A field of a member in the API."""

    name: str
    description: str
    get: Callable[[Member], Any]
    """Return a member's value."""
    set: Callable[[Member, Any], Member]
    """Return a member with a value that was checked."""
    check: Callable[[Any], None]
    """Raise InvalidValue for a value of the right type that is not valid. The message says what would be."""
    type: Literal["string", "boolean"] = "string"
    max_length: int | None = None
    """The maximum number of characters."""
    format: str | None = None
    """The name of the format in OpenAPI's registry."""
    example: Any = None
    required: bool = False
    """Whether a new member must have the field."""
    at_creation: bool = True
    """Whether a client can set the field of a new member."""
    persons_only: bool = False
    """Whether programs don't have the field."""
    fixed: bool = False
    """Whether the field can be set at creation only."""
    values: tuple[str, ...] = ()
    """The only values of a text. None: all that the check accepts."""
    administrators_only: bool = False
    """Whether only administrators can change the field, even their own."""
    nullable: bool = False
    """Whether null is valid; it stands for no value, or for the default."""
    multiline: bool = False
    """Whether the text can have several lines."""
    is_visible: bool = False
    """Whether each character must be visible. Otherwise, two different names could look the same."""
    is_nfc: bool = False
    """Whether a text is stored in the Unicode normalization form NFC."""

    def normalized(self, value: Any) -> Any:
        """Return the form in which a value is stored. A value that is not valid stays as it is."""
        # The time to normalize grows with the square of the length.
        is_text = isinstance(value, str) and len(value) <= (self.max_length or 0)
        return unicodedata.normalize("NFC", value) if self.is_nfc and is_text else value

    def mistakes(self, value: Any) -> Iterator[Message]:
        """Yield what is wrong with a value, and what would be right."""
        try:
            self._check(value)
        except InvalidValue as refusal:
            yield refusal.message

    def _check(self, value: Any) -> None:
        if value is None and self.nullable:
            return
        type_, expected = _TYPES[self.type]
        if not isinstance(value, type_):
            raise InvalidValue(_('"{field}" must be {expected}.', field=self.name, expected=expected))
        if isinstance(value, str):
            self._check_text(value)
        if self.values and value not in self.values:
            raise InvalidValue(
                _(
                    '"{field}" must be {values}, not {value}.',
                    field=self.name,
                    values=or_list(self.values),
                    value=describe_value(value),
                )
            )
        self.check(value)

    def _check_text(self, text: str) -> None:
        if self.max_length is not None and len(text) > self.max_length:
            raise InvalidValue(
                _(
                    '"{field}" must have at most {limit} characters, not {length}.',
                    field=self.name,
                    limit=self.max_length,
                    length=len(text),
                )
            )
        character = stray_character(text, lines=self.multiline)
        if character is None and self.is_visible:
            character = invisible_character(text)
        if character is not None:
            raise InvalidValue(
                _(
                    '"{field}" contains the unsupported character {character}. Remove it.',
                    field=self.name,
                    character=character,
                )
            )


_TYPES: dict[str, tuple[type, Message]] = {
    "string": (str, _("a string")),
    "boolean": (bool, _("true or false")),
}
_STRAY = re.compile("[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")
# Texts of several lines can have tabs, line feeds, and carriage returns before these.
_STRAY_IN_LINES = re.compile(
    "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]|\\r(?!\\n)"
)


def stray_character(text: str, *, lines: bool = False) -> str | None:
    """Return the first unsupported character of a text, such as `U+0007`; None if there is none.

    Unsupported are control characters, single surrogates, U+FFFE and U+FFFF. With `lines`, the text can
    contain tabs and line ends.
    """
    match = (_STRAY_IN_LINES if lines else _STRAY).search(text)
    return f"U+{ord(match.group()):04X}" if match else None


# Letters and marks without a shape, which Python calls printable: the default ignorable ones of Unicode, and
# the blank Braille pattern.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def invisible_character(text: str) -> str | None:
    """Return the first character of a text that cannot be seen, such as `U+200B`; None if there is none.

    These are control and format characters, among them those that change the direction of a text, all spaces
    except U+0020, characters that this version of Unicode does not know, and letters without a shape.
    """
    found = next((each for each in text if not each.isprintable() or _BLANK.match(each)), None)
    return None if found is None else f"U+{ord(found):04X}"


MAX_FORMAT_NAME_LENGTH = 64
"""The maximum length of names of time zones and languages. All existing names are shorter."""


def _format_field(name: str, attribute: str, description: str, max_length: int, default: str) -> MemberField:
    """Return a field of the member's formats. Null stands for the default."""

    def set_format(member: Member, value: str | None) -> Member:
        formats = replace(member.formats, **{attribute: default if value is None else value})
        return replace(member, formats=formats)

    def check(value: str) -> None:
        if not value:
            raise InvalidValue(
                _(
                    '"{field}" must not be empty. Use null for the default, {default}.',
                    field=name,
                    default=default,
                )
            )
        try:
            FORMAT_CHECKS[attribute](value)
        except InvalidValue as refusal:
            message = _('"{field}" is not valid. {reason}', field=name, reason=refusal.message)
            raise InvalidValue(message) from refusal

    return MemberField(
        name,
        description,
        get=lambda member: getattr(member.formats, attribute),
        set=set_format,
        check=check,
        max_length=max_length,
        example=default,
        nullable=True,
    )


_FORMAT_FIELDS = (
    ("timeFormat", "time_format", "The Java pattern of times, or iso.", MAX_FORMAT_LENGTH),
    ("dateFormat", "date_format", "The Java pattern of dates, or iso.", MAX_FORMAT_LENGTH),
    ("timeZone", "time_zone", "The IANA name of the time zone.", MAX_FORMAT_NAME_LENGTH),
    ("language", "language", "The code of the language, such as it or pt-BR.", MAX_FORMAT_NAME_LENGTH),
)
"""The fields of the member's formats: the name, the attribute, the description, and the maximum length."""
MAX_USERNAME_LENGTH = 64
MAX_NOTES_LENGTH = 2000


def member_fields(
    profiles: Mapping[str, Profile], formats: Formats = DEFAULT_FORMATS
) -> Mapping[str, MemberField]:
    """Return the fields by name, for a model with these profiles. The password is not one of them.

    `formats`: those of members who choose none.
    """
    format_fields = (_format_field(*each, getattr(formats, each[1])) for each in _FORMAT_FIELDS)
    fields = (_USERNAME, _EMAIL, _NOTES, _profile(profiles), _KIND, *format_fields, _DISABLED)
    return {field.name: field for field in fields}


def _accept_any(_value: Any) -> None:
    """Accept every value of the right type."""


def _check_username(value: str) -> None:
    if not value:
        raise InvalidValue(_('"username" must not be empty.'))
    if ":" in value:
        raise InvalidValue(
            _(
                '"username" must not contain a colon. '
                "In credentials, a colon separates the username from the password."
            )
        )
    if value != value.strip():
        raise InvalidValue(_('"username" must not begin or end with a space.'))


def _check_email(value: str) -> None:
    if not is_email(value):
        raise InvalidValue(_('"email" must be an email address, such as name@example.com.'))
    if not is_mailable(value):
        raise InvalidValue(
            _(
                '"email" contains characters that are unsupported or ambiguous in email addresses. '
                "For an internationalized domain, use its xn--… form."
            )
        )


def _profile_check(profiles: Mapping[str, Profile]) -> Callable[[str], None]:
    def check(value: str) -> None:
        if value not in profiles:
            raise InvalidValue(
                _(
                    '"profile" must be a profile of the model, not {value}. Use {profiles}.',
                    value=describe_value(value),
                    profiles=or_list(profiles),
                )
            )

    return check


_USERNAME = MemberField(
    "username",
    "The name to sign in with. It is unique regardless of case.",
    get=lambda member: member.username,
    set=lambda member, value: replace(member, username=value),
    check=_check_username,
    max_length=MAX_USERNAME_LENGTH,
    is_visible=True,
    example="anna",
    required=True,
    administrators_only=True,
)
_EMAIL = MemberField(
    "email",
    "The email address. It is unique regardless of case and of the form of its domain (Unicode, or xn--…). "
    "A person must have one, and a program has none.",
    get=lambda member: member.email,
    set=with_email,
    check=_check_email,
    max_length=MAX_EMAIL_LENGTH,
    is_visible=True,
    is_nfc=True,
    format="email",
    example="anna@example.com",
    required=True,
    persons_only=True,
)
_KINDS = tuple(kind.value for kind in MemberKind)
_KIND = MemberField(
    "kind",
    "Whether the member is a person, who signs in, or a program, which sends API keys, and has neither an "
    "email address nor a password. It never changes.",
    get=lambda member: member.kind.value,
    set=lambda member, value: replace(member, kind=MemberKind(value)),
    check=_accept_any,
    values=_KINDS,
    example=MemberKind.PERSON.value,
    fixed=True,
)
_NOTES = MemberField(
    "notes",
    "Notes: any text.",
    get=lambda member: member.notes,
    set=lambda member, value: replace(member, notes=value or None),
    check=_accept_any,
    max_length=MAX_NOTES_LENGTH,
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
        set=lambda member, value: replace(member, profile=value),
        check=_profile_check(profiles),
        example=next(iter(profiles), None),
        required=True,
        administrators_only=True,
    )
