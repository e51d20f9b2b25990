"""Members in a dict, and passwords that are hashed fast, for tests of what signs in."""

from stratabase.domain.change import Conflict
from stratabase.domain.member import Member, folded


class DictMembers:
    """Members by their folded names; counts how often one is read."""

    def __init__(self, *members: Member) -> None:
        self.members = {folded(member.username): member for member in members}
        self.reads = 0

    def by_username(self, username: str) -> Member | None:
        self.reads += 1
        return self.members.get(folded(username))

    def add(self, member: Member) -> None:
        if folded(member.username) in self.members:
            raise Conflict
        self.members[folded(member.username)] = member

    def any(self) -> bool:
        return bool(self.members)


class PlainPasswords:
    """Hashes that are none; notes what was verified."""

    def __init__(self) -> None:
        self.verified: list[tuple[str | None, str]] = []

    def hash(self, password: str) -> str:
        return f"hash of {password}"

    def verify(self, hashed: str | None, password: str) -> bool:
        self.verified.append((hashed, password))
        return hashed == self.hash(password)
