"""The end of a member."""

from collections.abc import Mapping

from stratabase.domain.member import Caller
from stratabase.domain.member_refusals import NoSuchMember
from stratabase.model.model import Profile
from stratabase.operations.members.last_administrator import roster_for
from stratabase.operations.members.rights import must_administrate
from stratabase.operations.members.rounds import in_rounds
from stratabase.operations.ports import Members


class RemoveMember:
    """Removes members."""

    def __init__(self, members: Members, profiles: Mapping[str, Profile]) -> None:
        self._members = members
        self._profiles = profiles

    def __call__(self, caller: Caller, id_: str) -> None:
        """Remove a member. Raises Forbidden, NoSuchMember, LastAdministrator, Unavailable."""
        must_administrate(caller, "delete members")
        in_rounds(lambda: self._remove(id_))

    def _remove(self, id_: str) -> None:
        member = self._members.by_id(id_)
        if member is None:
            raise NoSuchMember
        self._members.remove(member, roster_for(self._members, self._profiles, member, None))
