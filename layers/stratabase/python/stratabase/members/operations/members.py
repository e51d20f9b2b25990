"""List, read, create, and remove members."""

from collections.abc import Callable, Iterator, Mapping

from stratabase.core.domain.caller import CONSOLE, Caller, require_administrator
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.model.model import Profile
from stratabase.core.operations.ports import Clock, Ids
from stratabase.members.fields import member_fields
from stratabase.members.member import Member, MemberKind, NamesTaken, without_expired_email
from stratabase.members.operations.rules import (
    ONLY_ADMINISTRATORS_CREATE,
    FieldValues,
    MemberFields,
    check_administrator_remains,
    fields_of_persons,
    invalid_fields,
    normalized_fields,
    require_giver_of,
    require_self_or_administrator,
    retry_conflicts,
    set_fields,
    unknown_fields,
)
from stratabase.members.ports import Members
from stratabase.members.refusals import (
    BadMember,
    FieldMistake,
    InvitationNotSent,
    LastAdministrator,
    MemberTaken,
    NoSuchMember,
    RecipientRefused,
)
from stratabase.values.formats.preferences import DEFAULT_FORMATS, Formats
from stratabase.values.messages import _


class ReadMember:
    """Returns members as they are now.

    An e-mail address that was not confirmed in time is no longer pending.
    """

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members = members
        self._clock = clock

    def __call__(self, caller: Caller, id_: str) -> Member:
        """Return the member with an id. Raises Forbidden, NoSuchMember."""
        require_self_or_administrator(caller, id_, _("Only administrators can see other members."))
        return self._require(self._members.by_id(id_))

    def current(self, caller: Caller) -> Member:
        """Return the caller's own member. Raises NoSuchMember if it was just removed."""
        return self(caller, caller.id)

    def by_username(self, caller: Caller, username: str) -> Member:
        """Return the member with a username. Raises Forbidden, NoSuchMember."""
        require_administrator(caller, _("Only administrators can look up members."))
        return self._require(self._members.by_username(username))

    def _require(self, member: Member | None) -> Member:
        if member is None:
            raise NoSuchMember
        return without_expired_email(member, self._clock.now())


class ListMembers:
    """Lists all members."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def __call__(self, caller: Caller) -> tuple[Member, ...]:
        """Return all members in the order of their folded usernames. Raises Forbidden."""
        require_administrator(caller, _("Only administrators can list the members."))
        return self._members.roster().members


Invite = Callable[[str, str], None]
"""Mails the member with an id a link below a base URL. Raises RecipientRefused, Unavailable."""


class CreateMember:
    """Creates members, and invites them by mail."""

    def __init__(
        self,
        members: Members,
        ids: Ids,
        profiles: Mapping[str, Profile],
        invite: Invite,
        formats: Formats = DEFAULT_FORMATS,
    ) -> None:
        """Members who choose no formats get `formats`."""
        self._members = members
        self._ids = ids
        self._invite = invite
        self._profiles = profiles
        self._remove = RemoveMember(members, profiles)
        self._formats = formats
        fields = member_fields(profiles, formats)
        self._fields = {name: field for name, field in fields.items() if field.at_creation}

    def __call__(self, caller: Caller, values: FieldValues, base_url: str) -> Member:
        """Return the new member. A person was mailed a link below `base_url` to set a password.

        Raises Forbidden, BadMember, MemberTaken, Unavailable. Raises RecipientRefused if the mail server
        takes no mail for the address; then there is no new member. Raises InvitationNotSent if the member
        was created but not mailed.
        """
        require_administrator(caller, ONLY_ADMINISTRATORS_CREATE)
        require_giver_of(values.get("profile"), caller, self._profiles)
        values = normalized_fields(values, self._fields)
        is_program = values.get("kind") == MemberKind.PROGRAM.value
        fields = {
            name: field for name, field in self._fields.items() if not (is_program and field.persons_only)
        }
        mistakes = [
            *unknown_fields(values, self._fields),
            *(fields_of_persons(values, self._fields) if is_program else ()),
            *_missing(values, fields),
            *invalid_fields(values, fields),
        ]
        if mistakes:
            raise BadMember(mistakes)
        member = retry_conflicts(lambda: self._add(values, fields))
        if is_program:
            return member  # nobody could read a mail
        try:
            self._invite(member.id, base_url)
        except Unavailable as reason:
            raise InvitationNotSent(member, reason) from reason
        except RecipientRefused as refusal:
            self._take_back(member, refusal)
            raise
        return member

    def _take_back(self, member: Member, refusal: RecipientRefused) -> None:
        """Remove a new member, whom no invitation can reach. Raises InvitationNotSent if that fails."""
        try:
            self._remove(CONSOLE, member.id)
        except NoSuchMember:
            pass
        except (LastAdministrator, Unavailable) as reason:
            raise InvitationNotSent(member, Unavailable(refusal.message)) from reason

    def _add(self, values: FieldValues, fields: MemberFields) -> Member:
        empty = Member(self._ids.new(), "", "", "", formats=self._formats)
        member = set_fields(empty, values, fields)
        try:
            self._members.add(member)
        except NamesTaken as taken:
            raise MemberTaken(taken.fields) from None
        return member


def _missing(values: FieldValues, fields: MemberFields) -> Iterator[FieldMistake]:
    for name, field in fields.items():
        if field.required and name not in values:
            yield FieldMistake(name, _('"{field}" is required.', field=name))


class RemoveMember:
    """Removes members, but never the last administrator."""

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
        # The roster goes into the same commit, so that two administrators cannot remove each other.
        self._members.remove(member, check_administrator_remains(self._members, self._profiles, member, None))
