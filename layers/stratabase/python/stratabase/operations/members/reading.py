"""One member: oneself, or any for administrators."""

from stratabase.domain.member import Caller, Member
from stratabase.domain.member_refusals import NoSuchMember
from stratabase.operations.members.rights import must_administrate, must_be_or_administrate
from stratabase.operations.ports import Members


class ReadMember:
    """Reads a member."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def __call__(self, caller: Caller, id_: str) -> Member:
        """Return the member with that id. Raises Forbidden, NoSuchMember."""
        must_be_or_administrate(caller, id_, "see other members")
        return _there(self._members.by_id(id_))

    def current(self, caller: Caller) -> Member:
        """Return the member who is asking. Raises NoSuchMember when it was removed just now."""
        return self(caller, caller.id)

    def named(self, caller: Caller, username: str) -> Member:
        """Return the member of that name. Raises Forbidden, NoSuchMember."""
        must_administrate(caller, "look for members")
        return _there(self._members.by_username(username))


def _there(member: Member | None) -> Member:
    if member is None:
        raise NoSuchMember
    return member
