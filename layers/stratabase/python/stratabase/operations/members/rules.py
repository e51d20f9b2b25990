"""Rules for all changes of members: permissions, checks of fields, the last administrator, and retries."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from stratabase.domain.issues.refusals import Forbidden, Unavailable
from stratabase.domain.members.fields import MemberField
from stratabase.domain.members.member import Caller, Member, Roster, administrates, has_other_administrator
from stratabase.domain.members.refusals import FieldMistake, LastAdministrator
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.messages import Message, _, and_list
from stratabase.model.model import Profile
from stratabase.operations.ports import Members

CONSOLE = Caller(id="", username="console", profile="", administrator=True)
"""Who sits at the machine itself, and needs nobody's leave."""
ONLY_ADMINISTRATORS_CREATE = _("Only administrators can create members.")
ONLY_ADMINISTRATORS_CHANGE = _("Only administrators can change other members.")
ONLY_ADMINISTRATORS_HAND_OVER = _("Only administrators can hand over objects.")


def require_administrator(caller: Caller, message: Message) -> None:
    """Raise Forbidden with a message unless the caller is an administrator."""
    if not caller.administrator:
        raise Forbidden(message)


def require_self_or_administrator(caller: Caller, id_: str, message: Message) -> None:
    """Raise Forbidden with a message unless the caller is this member or an administrator."""
    if caller.id != id_:
        require_administrator(caller, message)


FieldValues = Mapping[str, Any]
"""Values by the names of fields."""
Fields = Mapping[str, MemberField]


def unknown_fields(given: FieldValues, known: Iterable[str]) -> Iterator[FieldMistake]:
    """Yield a mistake for each field that cannot be given here."""
    names = tuple(known)
    for name in given:
        if name not in names:
            message = _(
                '"{field}" cannot be set here. Supported fields: {fields}.',
                field=name,
                fields=and_list(names),
            )
            yield FieldMistake(name, message)


def invalid_fields(given: FieldValues, fields: Fields) -> Iterator[FieldMistake]:
    """Yield what is wrong with the values of known fields."""
    for name, field in fields.items():
        if name in given:
            yield from (FieldMistake(name, message) for message in field.mistakes(given[name]))


def set_fields(member: Member, given: FieldValues, fields: Fields) -> Member:
    """Return a member with the values of known fields, which must have been checked."""
    for name, field in fields.items():
        if name in given:
            member = field.set(member, given[name])
    return member


MAX_ROUNDS = 100
"""After which one gives up against others that keep coming between."""
T = TypeVar("T")


def retry_conflicts(work: Callable[[], T]) -> T:
    """Return what work comes to, begun anew after each Conflict. Raises Unavailable after too many."""
    for _round in range(MAX_ROUNDS):
        with suppress(Conflict):
            return work()
    raise Unavailable(_("Concurrent changes of members prevented this change. Try again."))


def check_administrator_remains(
    members: Members, profiles: Mapping[str, Profile], before: Member, after: Member | None
) -> Roster | None:
    """Return the roster on whose strength a member may become another, or go; None when it needs none.

    Raises LastAdministrator. Committed with the roster, the change fails when another one ended it.
    """
    if not administrates(before, profiles) or (after and administrates(after, profiles)):
        return None
    roster = members.roster()
    if not has_other_administrator(roster, before, profiles):
        raise LastAdministrator(before.username)
    return roster
