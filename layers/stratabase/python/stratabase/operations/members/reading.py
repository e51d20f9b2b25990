"""One member: oneself, or any for administrators."""

from stratabase.domain.member import Caller, Member
from stratabase.domain.member_change import as_of
from stratabase.domain.member_refusals import NoSuchMember
from stratabase.operations.members.rights import must_administrate, must_be_or_administrate
from stratabase.operations.ports import Clock, Members


class ReadMember:
    """Reads a member, as it is now: an address that was not confirmed in time waits no more."""

    def __init__(self, members: Members, clock: Clock) -> None:
        self._members = members
        self._clock = clock

    def __call__(self, caller: Caller, id_: str) -> Member:
        """Return the member with that id. Raises Forbidden, NoSuchMember."""
        must_be_or_administrate(caller, id_, "see other members")
        return self._there(self._members.by_id(id_))

    def current(self, caller: Caller) -> Member:
        """Return the member who is asking. Raises NoSuchMember when it was removed just now."""
        return self(caller, caller.id)

    def named(self, caller: Caller, username: str) -> Member:
        """Return the member of that name. Raises Forbidden, NoSuchMember."""
        must_administrate(caller, "look for members")
        return self._there(self._members.by_username(username))

    def _there(self, member: Member | None) -> Member:
        if member is None:
            raise NoSuchMember
        return as_of(member, self._clock.now())
