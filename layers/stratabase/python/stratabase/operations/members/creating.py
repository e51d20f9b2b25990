"""A new member, who chooses a password by the link in a mail."""

from collections.abc import Callable, Iterator, Mapping

from stratabase.domain.member import Caller, Member, NamesTaken
from stratabase.domain.member_fields import member_fields
from stratabase.domain.member_refusals import BadMember, FieldMistake, MemberTaken, NotInvited
from stratabase.domain.refusal import Unavailable
from stratabase.model.model import Profile
from stratabase.operations.members.given import Given, mistakes, put_all, strangers
from stratabase.operations.members.rights import may_create
from stratabase.operations.members.rounds import in_rounds
from stratabase.operations.ports import Ids, Members

Invite = Callable[[str, str], None]
"""Mails the member with an id a link below a root address. Raises Unavailable when nobody takes the mail."""


class CreateMember:
    """Makes members."""

    def __init__(self, members: Members, ids: Ids, profiles: Mapping[str, Profile], invite: Invite) -> None:
        self._members = members
        self._ids = ids
        self._invite = invite
        self._fields = {name: field for name, field in member_fields(profiles).items() if field.at_creation}

    def __call__(self, caller: Caller, given: Given, base_url: str) -> Member:
        """Return the new member, who was mailed a link below `base_url` to choose a password.

        Raises Forbidden, BadMember, MemberTaken, Unavailable; NotInvited when there is a member all the same.
        """
        may_create(caller)
        wrong = [*strangers(given, self._fields), *self._missing(given), *mistakes(given, self._fields)]
        if wrong:
            raise BadMember(wrong)
        member = in_rounds(lambda: self._added(given))
        try:
            self._invite(member.id, base_url)
        except Unavailable as reason:
            raise NotInvited(member, reason) from reason
        return member

    def _missing(self, given: Given) -> Iterator[FieldMistake]:
        for name, field in self._fields.items():
            if field.required and name not in given:
                yield FieldMistake(name, "is missing")

    def _added(self, given: Given) -> Member:
        member = put_all(Member(self._ids.new(), "", "", ""), given, self._fields)
        try:
            self._members.add(member)
        except NamesTaken as taken:
            raise MemberTaken(taken.fields) from None
        return member
