"""Changes of a member, by itself or by an administrator."""

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, partial
from typing import Any

from stratabase import waiting
from stratabase.domain.member import Caller, Member, NamesTaken
from stratabase.domain.member_change import with_password
from stratabase.domain.member_fields import member_fields
from stratabase.domain.member_refusals import BadMember, FieldMistake, MemberTaken, NoSuchMember
from stratabase.domain.password import Policy, canonical
from stratabase.domain.refusal import Forbidden
from stratabase.model.model import Profile
from stratabase.operations.members.given import Given, mistakes, put_all, strangers
from stratabase.operations.members.last_administrator import roster_for
from stratabase.operations.members.rights import must_be_or_administrate
from stratabase.operations.members.rounds import in_rounds
from stratabase.operations.ports import Members, Passwords

PASSWORD = "password"  # noqa: S105 - it is the name of a field
"""The one field that is given and never shown."""

_CHANGE_OTHERS = "change other members"


class UpdateMember:
    """Changes members: any fields, all of them or none."""

    def __init__(
        self, members: Members, passwords: Passwords, policy: Policy, profiles: Mapping[str, Profile]
    ) -> None:
        self._members = members
        self._passwords = passwords
        self._policy = policy
        self._profiles = profiles
        self._fields = member_fields(profiles)

    def __call__(self, caller: Caller, id_: str, given: Given) -> Member:
        """Return the member as it is now; what is given as it was before is no change.

        Raises Forbidden, NoSuchMember, BadMember with all mistakes, MemberTaken, LastAdministrator,
        Unavailable.
        """
        must_be_or_administrate(caller, id_, _CHANGE_OTHERS)
        hashed = cache(partial(self._hashed, given))
        return in_rounds(lambda: self._round(caller, id_, given, hashed))

    def _round(self, caller: Caller, id_: str, given: Given, hashed: Callable[[], str]) -> Member:
        before = self._members.by_id(id_)
        if before is None:
            raise NoSuchMember
        new = {name: value for name, value in given.items() if self._is_new(before, name, value)}
        self._check_rights(caller, new)
        wrong = [*self._mistakes(before, new)]
        if wrong:
            raise BadMember(wrong)
        after = put_all(before, new, self._fields)
        if PASSWORD in new:
            after = with_password(after, hashed())
        if after != before:
            self._commit(before, after)
        return after

    def _is_new(self, before: Member, name: str, value: Any) -> bool:
        field = self._fields.get(name)
        return field is None or field.get(before) != value

    def _check_rights(self, caller: Caller, new: Given) -> None:
        reserved = [name for name, field in self._fields.items() if field.administrators and name in new]
        if reserved and not caller.administrator:
            raise Forbidden(f"Only an administrator may change {', '.join(reserved)}, even of themselves.")

    def _mistakes(self, before: Member, new: Given) -> Iterator[FieldMistake]:
        yield from strangers(new, (*self._fields, PASSWORD))
        yield from mistakes(new, self._fields)
        if PASSWORD in new:
            names = (new.get("username", before.username), new.get("email", before.email))
            texts = self._weaknesses(new[PASSWORD], [name for name in names if isinstance(name, str)])
            yield from (FieldMistake(PASSWORD, text) for text in texts)

    def _weaknesses(self, password: Any, names: Collection[str]) -> Iterator[str]:
        if not isinstance(password, str):
            yield "must be a string"
            return
        for weakness in self._policy.weaknesses(password, names):
            yield self._policy.advice(weakness)

    def _commit(self, before: Member, after: Member) -> None:
        roster = roster_for(self._members, self._profiles, before, after)
        try:
            self._members.change(before, after, roster)
        except NamesTaken as taken:
            raise MemberTaken(taken.fields) from None

    def _hashed(self, given: Given) -> str:
        return waiting.aside(self._passwords.hash, canonical(given[PASSWORD]))
