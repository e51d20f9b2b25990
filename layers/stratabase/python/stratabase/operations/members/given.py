"""Fields of a member as a client gave them: all that is wrong with them is told at once."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stratabase.domain.member import Member
from stratabase.domain.member_field import MemberField
from stratabase.domain.member_refusals import FieldMistake

Given = Mapping[str, Any]
"""Values by the names of fields."""
Fields = Mapping[str, MemberField]


def strangers(given: Given, known: Iterable[str]) -> Iterator[FieldMistake]:
    """Yield a mistake for each field that cannot be given here."""
    names = tuple(known)
    for name in given:
        if name not in names:
            yield FieldMistake(name, f"cannot be given here; what can is {', '.join(names)}")


def mistakes(given: Given, fields: Fields) -> Iterator[FieldMistake]:
    """Yield what is wrong with the values of known fields."""
    for name, field in fields.items():
        if name in given:
            yield from (FieldMistake(name, text) for text in field.mistakes(given[name]))


def put_all(member: Member, given: Given, fields: Fields) -> Member:
    """Return a member with the values of known fields, which must have been checked."""
    for name, field in fields.items():
        if name in given:
            member = field.put(member, given[name])
    return member
