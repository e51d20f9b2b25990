"""The members under a model that has renamed profiles.

Members and their keys store the name of a profile. One who was stored with the former name of a profile
(`@profile(from:)`) has the renamed profile, and gets its new name in the store with the next change.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from stratabase.core.model.model import Profile
from stratabase.members.audit_entry import AuditEntry
from stratabase.members.credentials import ApiKey
from stratabase.members.member import Member, Roster
from stratabase.members.ports import Members


class RenamedProfiles:
    """Members with the present names of their profiles. Implements the port `operations.ports.Members`."""

    def __init__(self, members: Members, profiles: Mapping[str, Profile]) -> None:
        self._members = members
        former = {each.renamed_from: name for name, each in profiles.items() if each.renamed_from is not None}
        self._renamed = {old: name for old, name in former.items() if old not in profiles}
        """By former name: the present name."""

    def by_id(self, id_: str) -> Member | None:
        """Return the member with an id."""
        return self._present(self._members.by_id(id_))

    def by_username(self, username: str) -> Member | None:
        """Return the member with a username."""
        return self._present(self._members.by_username(username))

    def by_email(self, email: str) -> Member | None:
        """Return the member with an e-mail address."""
        return self._present(self._members.by_email(email))

    def by_link(self, issuer: str, subject: str) -> Member | None:
        """Return the member who is linked to an account at an identity provider."""
        return self._present(self._members.by_link(issuer, subject))

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        """Return the members in the order of `ids`, None for an id that no member has."""
        return [*map(self._present, self._members.by_ids(ids))]

    def batches(self) -> Iterator[Sequence[Member]]:
        """Yield all members, in batches."""
        return ([*map(self._renamed_member, batch)] for batch in self._members.batches())

    def roster(self) -> Roster:
        """Return all members."""
        roster = self._members.roster()
        return replace(roster, members=tuple(map(self._renamed_member, roster.members)))

    def any(self) -> bool:
        """Return whether any member exists."""
        return self._members.any()

    def add(self, member: Member, *, is_moved: bool = False, audit: Sequence[AuditEntry] = ()) -> None:
        """Add a member, who can come from another store. Raises NamesTaken, Conflict."""
        self._members.add(member, is_moved=is_moved, audit=audit)

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Replace `before` with `after`, which stores the present name of the profile."""
        self._members.change(before, after, roster, audit=audit)

    def remove(
        self, member: Member, roster: Roster | None = None, *, audit: Sequence[AuditEntry] = ()
    ) -> None:
        """Remove a member. Raises Conflict."""
        self._members.remove(member, roster, audit=audit)

    def _present(self, member: Member | None) -> Member | None:
        return None if member is None else self._renamed_member(member)

    def _renamed_member(self, member: Member) -> Member:
        keys = tuple(map(self._renamed_key, member.keys))
        name = self._renamed.get(member.profile)
        if name is None and keys == member.keys:
            return member
        return replace(member, profile=name or member.profile, keys=keys)

    def _renamed_key(self, key: ApiKey) -> ApiKey:
        name = self._renamed.get(key.profile or "")
        return key if name is None else replace(key, profile=name)


def with_present_profiles(members: Members, profiles: Mapping[str, Profile]) -> Members:
    """Return members with the present names of their profiles. Without renamed ones, that is `members`."""
    is_renamed = any(each.renamed_from is not None for each in profiles.values())
    return RenamedProfiles(members, profiles) if is_renamed else members
