"""The members of an instance, on DynamoDB."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar
from uuid import uuid4

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.member import Member, NamesTaken, Roster, fold_name
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.store.pynamodb.member_records import (
    PARTITIONS,
    ROSTER,
    GuardRecord,
    MemberRecord,
    RosterRecord,
    fields_of,
    is_possible,
    key_of_email,
    key_of_member,
    key_of_username,
    member_of,
)
from stratabase.store.pynamodb.record import Record
from stratabase.store.pynamodb.table import Table
from stratabase.store.pynamodb.transaction import Write, broken, deletion, saving

MOST_LOOKS = 5
"""How often a name is looked up while members change it under one's eyes."""

_NOBODY = "-"
"""An id that no member has."""

R = TypeVar("R", bound=Record)
_STALE = "stale"
"""The meaning of a condition that something is still as it was read; the others are names of fields."""

_NAMES: tuple[tuple[str, Callable[[Member], tuple[str, str]]], ...] = (
    ("username", lambda member: key_of_username(member.username)),
    ("email", lambda member: key_of_email(member.email)),
)
"""What is unique of a member, and where its guard is."""


class PynamoMembers:
    """Members in a table; every change is one transaction with the guards of the names that it touches."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._member = table.kind(MemberRecord)
        self._guard = table.kind(GuardRecord)
        self._roster = table.kind(RosterRecord)

    def by_id(self, id_: str) -> Member | None:
        """Return the member with that id."""
        record = self._found(self._member, key_of_member(id_)) if is_possible(id_) else None
        return None if record is None else member_of(record)

    def by_username(self, username: str) -> Member | None:
        """Return the member of that name."""
        return self._guarded(key_of_username(username), lambda member: key_of_username(member.username))

    def by_email(self, email: str) -> Member | None:
        """Return the member with that address."""
        return self._guarded(key_of_email(email), lambda member: key_of_email(member.email))

    def roster(self) -> Roster:
        """Return all members; its revision is read first, so that what it tells is at least as new."""
        revision = self._revision()
        members = (member_of(record) for partition in PARTITIONS for record in self._within(partition))
        return Roster(tuple(sorted(members, key=lambda member: fold_name(member.username))), revision)

    def any(self) -> bool:
        """Return whether there is a member at all."""
        return any(self._within(partition, most=1) for partition in PARTITIONS)

    def add(self, member: Member) -> None:
        """Add a member. Raises NamesTaken; Conflict when the id is taken."""
        self._write([self._saved(member, 0), *self._named(member, None)])

    def change(self, before: Member, after: Member, roster: Roster | None = None) -> None:
        """Put `after` in place of `before`; with a roster, only while that is the present one."""
        saved = self._saved(after, before.revision)
        self._write(
            [saved, *self._named(after, before), *self._unnamed(before, after), *self._listed(roster)]
        )

    def remove(self, member: Member, roster: Roster | None = None) -> None:
        """Remove a member, as `change` does. Raises Conflict."""
        record = self._member(*key_of_member(member.id))
        removed = deletion(record, MemberRecord.revision == member.revision, _STALE)
        self._write([removed, *self._unnamed(member, None), *self._listed(roster)])

    def close(self) -> None:
        """Let go of the connections."""
        self._table.close()

    def _guarded(self, key: tuple[str, str], key_of: Callable[[Member], tuple[str, str]]) -> Member | None:
        """Return the member for whom a guard holds a name, whose own key a function tells."""
        for _ in range(MOST_LOOKS):
            guard = self._found(self._guard, key)
            if guard is None:
                # As many reads as for a name that somebody has: the time must not tell which names there are.
                self.by_id(_NOBODY)
                return None
            member = self.by_id(guard.member)
            # Between the two reads, the member may have got another name, and the name another member.
            if member is not None and key_of(member) == key:
                return member
        raise Unavailable("The members change too fast to be read; try again.")

    def _found(self, kind: type[R], key: tuple[str, str]) -> R | None:
        def look() -> R | None:
            try:
                return kind.get(*key, consistent_read=True)
            except kind.DoesNotExist:
                return None

        return self._table.read(look)

    def _within(self, partition: str, most: int | None = None) -> list[MemberRecord]:
        query = partial(self._member.query, partition, consistent_read=True, limit=most)
        return self._table.read(lambda: list(query()))

    def _revision(self) -> int:
        record = self._found(self._roster, ROSTER)
        return int(record.revision) if record else 0

    def _saved(self, member: Member, revision: int) -> Write[str]:
        """Return what saves a member that has a revision, or that is new."""
        record = self._member(*key_of_member(member.id), revision=revision + 1, **fields_of(member))
        as_read = MemberRecord.revision == revision if revision else MemberRecord.pk.does_not_exist()
        return saving(record, as_read, _STALE)

    def _named(self, after: Member, before: Member | None) -> Iterator[Write[str]]:
        """Return what takes the names that a member gets."""
        for field, key in _NAMES:
            if before is None or key(before) != key(after):
                record = self._guard(*key(after), member=after.id)
                yield saving(record, GuardRecord.pk.does_not_exist(), field)

    def _unnamed(self, before: Member, after: Member | None) -> Iterator[Write[str]]:
        """Return what frees the names that a member gives up."""
        for _, key in _NAMES:
            if after is None or key(before) != key(after):
                yield deletion(self._guard(*key(before)), GuardRecord.member == before.id, _STALE)

    def _listed(self, roster: Roster | None) -> Iterator[Write[str]]:
        """Return what ends a roster."""
        if roster is None:
            return
        record = self._roster(*ROSTER, revision=roster.revision + 1)
        present = RosterRecord.revision == roster.revision
        yield saving(record, present if roster.revision else RosterRecord.pk.does_not_exist(), _STALE)

    def _write(self, writes: Sequence[Write[str]]) -> None:
        failed = broken(self._table, uuid4().hex, writes)
        if _STALE in failed:
            raise Conflict
        if failed:
            raise NamesTaken(failed)
