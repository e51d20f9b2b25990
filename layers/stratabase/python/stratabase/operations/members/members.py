"""Lists, reads, creates and removes members."""

from collections.abc import Callable, Iterator, Mapping

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.fields import member_fields
from stratabase.domain.members.member import Caller, Member, NamesTaken, without_expired_email
from stratabase.domain.members.refusals import (
    BadMember,
    FieldMistake,
    InvitationNotSent,
    MemberTaken,
    NoSuchMember,
)
from stratabase.messages import _
from stratabase.model.model import Profile
from stratabase.operations.members.rules import (
    ONLY_ADMINISTRATORS_CREATE,
    FieldValues,
    check_administrator_remains,
    invalid_fields,
    require_administrator,
    require_self_or_administrator,
    retry_conflicts,
    set_fields,
    unknown_fields,
)
from stratabase.operations.ports import Clock, Ids, Members


class ReadMember:
    """Reads a member, as it is now: an address that was not confirmed in time waits no more."""

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members = members
        self._clock = clock

    def __call__(self, caller: Caller, id_: str) -> Member:
        """Return the member with that id. Raises Forbidden, NoSuchMember."""
        require_self_or_administrator(caller, id_, _("Only administrators can see other members."))
        return self._there(self._members.by_id(id_))

    def current(self, caller: Caller) -> Member:
        """Return the member who is asking. Raises NoSuchMember when it was removed just now."""
        return self(caller, caller.id)

    def named(self, caller: Caller, username: str) -> Member:
        """Return the member of that name. Raises Forbidden, NoSuchMember."""
        require_administrator(caller, _("Only administrators can look up members."))
        return self._there(self._members.by_username(username))

    def _there(self, member: Member | None) -> Member:
        if member is None:
            raise NoSuchMember
        return without_expired_email(member, self._clock.now())


class ListMembers:
    """Lists the members."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def __call__(self, caller: Caller) -> tuple[Member, ...]:
        """Return all members in the order of their folded usernames. Raises Forbidden."""
        require_administrator(caller, _("Only administrators can list the members."))
        return self._members.roster().members


Invite = Callable[[str, str], None]
"""Mails the member with an id a link below a root address. Raises Unavailable when nobody takes the mail."""


class CreateMember:
    """Makes members."""

    def __init__(self, members: Members, ids: Ids, profiles: Mapping[str, Profile], invite: Invite) -> None:
        self._members = members
        self._ids = ids
        self._invite = invite
        self._fields = {name: field for name, field in member_fields(profiles).items() if field.at_creation}

    def __call__(self, caller: Caller, given: FieldValues, base_url: str) -> Member:
        """Return the new member, who was mailed a link below `base_url` to choose a password.

        Raises Forbidden, BadMember, MemberTaken, Unavailable; InvitationNotSent when there is a member all
        the same.
        """
        require_administrator(caller, ONLY_ADMINISTRATORS_CREATE)
        wrong = [
            *unknown_fields(given, self._fields),
            *self._missing(given),
            *invalid_fields(given, self._fields),
        ]
        if wrong:
            raise BadMember(wrong)
        member = retry_conflicts(lambda: self._added(given))
        try:
            self._invite(member.id, base_url)
        except Unavailable as reason:
            raise InvitationNotSent(member, reason) from reason
        return member

    def _missing(self, given: FieldValues) -> Iterator[FieldMistake]:
        for name, field in self._fields.items():
            if field.required and name not in given:
                yield FieldMistake(name, _('"{field}" is required.', field=name))

    def _added(self, given: FieldValues) -> Member:
        member = set_fields(Member(self._ids.new(), "", "", ""), given, self._fields)
        try:
            self._members.add(member)
        except NamesTaken as taken:
            raise MemberTaken(taken.fields) from None
        return member


class RemoveMember:
    """Removes members."""

    def __init__(self, members: Members, profiles: Mapping[str, Profile]) -> None:
        self._members = members
        self._profiles = profiles

    def __call__(self, caller: Caller, id_: str) -> None:
        """Remove a member. Raises Forbidden, NoSuchMember, LastAdministrator, Unavailable."""
        require_administrator(caller, _("Only administrators can delete members."))
        retry_conflicts(lambda: self._remove(id_))

    def _remove(self, id_: str) -> None:
        member = self._members.by_id(id_)
        if member is None:
            raise NoSuchMember
        self._members.remove(member, check_administrator_remains(self._members, self._profiles, member, None))
