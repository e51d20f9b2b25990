"""All members, for administrators."""

from stratabase.domain.member import Caller, Member
from stratabase.operations.members.rights import must_administrate
from stratabase.operations.ports import Members


class ListMembers:
    """Lists the members."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def __call__(self, caller: Caller) -> tuple[Member, ...]:
        """Return all members in the order of their folded usernames. Raises Forbidden."""
        must_administrate(caller, "list the members")
        return self._members.roster().members
