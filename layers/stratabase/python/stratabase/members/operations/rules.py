"""Rules for all changes of members: permissions, checks of fields, the last administrator, and retries."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from random import uniform
from typing import Any, TypeVar

from stratabase.core import waiting
from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.model.model import Profile
from stratabase.members.fields import MemberField
from stratabase.members.member import Member, Roster, administrates, has_other_administrator
from stratabase.members.operations.fresh_sign_in import require_sign_in
from stratabase.members.ports import Members
from stratabase.members.refusals import FieldMistake, LastAdministrator
from stratabase.values.messages import Message, _, and_list

ONLY_ADMINISTRATORS_CREATE = _("Only administrators can create members.")
ONLY_ADMINISTRATORS_CHANGE = _("Only administrators can change other members.")
ONLY_ADMINISTRATORS_HAND_OVER = _("Only administrators can hand over objects.")


def require_self_or_administrator(caller: Caller, id_: str, message: Message) -> None:
    """Raise Forbidden with a message unless the caller is this member or an administrator."""
    if caller.id != id_:
        require_administrator(caller, message)


def require_giver_of(profile: object, caller: Caller, profiles: Mapping[str, Profile]) -> None:
    """Raise Forbidden unless a caller may give members a profile: an administrator's only after a sign-in.

    So who gets hold of the API key of an administrator can't become one.
    """
    found = profiles.get(profile) if isinstance(profile, str) else None
    if found is not None and found.administrator:
        require_sign_in(caller)


FieldValues = Mapping[str, Any]
"""By name: the value of a field."""
MemberFields = Mapping[str, MemberField]


def unknown_fields(values: FieldValues, fields: Iterable[str]) -> Iterator[FieldMistake]:
    """Yield a mistake for each value whose field cannot be set here."""
    names = tuple(fields)
    for name in values:
        if name not in names:
            message = _(
                '"{field}" can\'t be set here. Supported fields: {fields}.',
                field=name,
                fields=and_list(names),
            )
            yield FieldMistake(name, message)


def invalid_fields(values: FieldValues, fields: MemberFields) -> Iterator[FieldMistake]:
    """Yield the mistakes in the values of known fields."""
    for name, field in fields.items():
        if name in values:
            yield from (FieldMistake(name, message) for message in field.mistakes(values[name]))


def fields_of_persons(values: FieldValues, fields: MemberFields) -> Iterator[FieldMistake]:
    """Yield a mistake for each value of a program that only persons can have."""
    for name, field in fields.items():
        if field.persons_only and values.get(name):
            yield FieldMistake(name, _('"{field}": a program has none. Remove it.', field=name))


def normalized_fields(values: FieldValues, fields: MemberFields) -> FieldValues:
    """Return values of fields in the form in which they are stored."""
    return {
        name: fields[name].normalized(value) if name in fields else value for name, value in values.items()
    }


def set_fields(member: Member, values: FieldValues, fields: MemberFields) -> Member:
    """Return a member with new values of known fields. The values must be valid."""
    for name, field in fields.items():
        if name in values:
            member = field.set(member, values[name])
    return member


MAX_ROUNDS = 100
"""Attempts before a change gives up because of concurrent changes."""
FIRST_PAUSE, MAX_PAUSE = 0.02, 0.2
"""The seconds that a change waits at most before its second attempt, and before each of the later ones.

Without the pauses, many sign-ins of one member at the same time would hinder one another.
"""
T = TypeVar("T")


def retry_conflicts(work: Callable[[], T]) -> T:
    """Return the result of `work`, which runs again after each Conflict, and after a random pause.

    Raises Unavailable after MAX_ROUNDS.
    """
    for number in range(MAX_ROUNDS):
        with suppress(Conflict):
            return work()
        longest = min(MAX_PAUSE, FIRST_PAUSE * 2**number)
        waiting.pause(uniform(0, longest))  # noqa: S311 - jitter, not a secret
    raise Unavailable(_("Concurrent changes to members prevented this change. Try again."))


def check_administrator_remains(
    members: Members, profiles: Mapping[str, Profile], before: Member, after: Member | None
) -> Roster | None:
    """Check that an administrator remains after a member changes, or is removed (`after` is None).

    Raises LastAdministrator. Returns the roster that the check relies on: if it is committed with the change,
    the commit fails after a concurrent change of administrators. Returns None if the change removes no
    administrator.
    """
    if not administrates(before, profiles) or (after and administrates(after, profiles)):
        return None
    roster = members.roster()
    if not has_other_administrator(roster, before, profiles):
        raise LastAdministrator(before.username)
    return roster
