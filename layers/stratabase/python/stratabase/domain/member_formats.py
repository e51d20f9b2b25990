"""The fields of a member that say how it writes and reads dates and numbers."""

from dataclasses import replace

from stratabase.domain.member import Member
from stratabase.domain.member_field import MemberField
from stratabase.formats.invalid_value import InvalidValue
from stratabase.formats.preferences import DEFAULT_FORMATS, FORMAT_CHECKS, MAX_FORMAT_LENGTH

LONGEST_NAME = 64
"""Characters of the names of time zones and languages, of which none has as many."""


def _field(name: str, attribute: str, about: str, most: int) -> MemberField:
    """Return a field of the member's formats; null is the instance's default."""
    usual = getattr(DEFAULT_FORMATS, attribute)

    def put(member: Member, given: str | None) -> Member:
        formats = replace(member.formats, **{attribute: usual if given is None else given})
        return replace(member, formats=formats)

    def check(given: str) -> None:
        if not given:
            raise InvalidValue(f"must not be empty: give null for the usual one, {usual}")
        try:
            FORMAT_CHECKS[attribute](given)
        except InvalidValue as refusal:
            raise InvalidValue(f"is refused: {refusal}") from refusal

    return MemberField(
        name,
        about,
        get=lambda member: getattr(member.formats, attribute),
        put=put,
        check=check,
        most=most,
        example=usual,
        nullable=True,
    )


FORMATS = (
    _field("timeFormat", "time_format", "The Java pattern of times.", MAX_FORMAT_LENGTH),
    _field("dateFormat", "date_format", "The Java pattern of dates.", MAX_FORMAT_LENGTH),
    _field("timeZone", "time_zone", "The IANA name of the time zone.", LONGEST_NAME),
    _field("language", "language", "The code of the language, such as it or pt-BR.", LONGEST_NAME),
)
