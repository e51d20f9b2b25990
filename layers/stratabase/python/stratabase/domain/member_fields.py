"""The fields of a member that clients may give, in the order in which they are shown."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from stratabase.domain.member_change import with_disabled, with_email
from stratabase.domain.member_field import MemberField
from stratabase.domain.member_formats import FORMATS
from stratabase.formats.invalid_value import InvalidValue, describe_value
from stratabase.model.constraints.email import LONGEST_EMAIL, is_email, is_mailable
from stratabase.model.model import Profile

LONGEST_USERNAME = 64
LONGEST_NOTES = 2000


def member_fields(profiles: Mapping[str, Profile]) -> Mapping[str, MemberField]:
    """Return the fields by their names, for a model with these profiles. A password is none of them."""
    fields = (_USERNAME, _EMAIL, _NOTES, _profile(profiles), *FORMATS, _DISABLED)
    return {field.name: field for field in fields}


def _any(_: Any) -> None:
    """Take whatever has the right type."""


def _check_username(given: str) -> None:
    if not given:
        raise InvalidValue("must not be empty")
    if ":" in given:
        raise InvalidValue("must not have a colon, which ends the username where a password follows it")
    if given != given.strip():
        raise InvalidValue("must not begin or end with a blank")


def _check_email(given: str) -> None:
    if not is_email(given):
        raise InvalidValue("must be an e-mail address, such as name@example.com")
    if not is_mailable(given):
        raise InvalidValue(
            "has characters that mail does not take, or takes for others: write such a domain as xn--…"
        )


def _checks_profile(profiles: Mapping[str, Profile]) -> Callable[[str], None]:
    def check(given: str) -> None:
        if given not in profiles:
            raise InvalidValue(
                f"must be a profile of the model, not {describe_value(given)}: {', '.join(profiles)}"
            )

    return check


_USERNAME = MemberField(
    "username",
    "The name to sign in with, unique whatever its case.",
    get=lambda member: member.username,
    put=lambda member, given: replace(member, username=given),
    check=_check_username,
    most=LONGEST_USERNAME,
    example="anna",
    required=True,
    administrators=True,
)
_EMAIL = MemberField(
    "email",
    "The address to which mail goes, unique whatever its case.",
    get=lambda member: member.email,
    put=with_email,
    check=_check_email,
    most=LONGEST_EMAIL,
    format="email",
    example="anna@example.com",
    required=True,
)
_NOTES = MemberField(
    "notes",
    "Any text.",
    get=lambda member: member.notes,
    put=lambda member, given: replace(member, notes=given or None),
    check=_any,
    most=LONGEST_NOTES,
    nullable=True,
    lines=True,
)
_DISABLED = MemberField(
    "disabled",
    "Whether the member may not come in.",
    get=lambda member: member.disabled,
    put=with_disabled,
    check=_any,
    type="boolean",
    at_creation=False,
    administrators=True,
)


def _profile(profiles: Mapping[str, Profile]) -> MemberField:
    return MemberField(
        "profile",
        f"What the member may do: {', '.join(profiles)}.",
        get=lambda member: member.profile,
        put=lambda member, given: replace(member, profile=given),
        check=_checks_profile(profiles),
        example=next(iter(profiles), None),
        required=True,
        administrators=True,
    )
