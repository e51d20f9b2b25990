"""The members of an instance, on DynamoDB.

Each member has a record, and a guard for each of its unique names (username, e-mail address). A guard's key
is the name itself, folded and hashed, so DynamoDB keeps two members from having the same name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar
from uuid import uuid4

from pynamodb.attributes import BooleanAttribute, NumberAttribute, UnicodeAttribute

from stratabase.adapters.members.pynamodb_table import (
    ConditionalWrite,
    PynamoRecord,
    PynamoTable,
    delete_if,
    save_if,
)
from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.members.member import MailedLink, Member, NamesTaken, Roster, fold_name
from stratabase.domain.objects.commit_refusals import Conflict
from stratabase.formats.preferences import Formats
from stratabase.messages import _

TableKey = tuple[str, str]
"""The attributes `pk` and `sk` of a record."""

MAX_LOOKUPS = 5
"""How often a name is looked up while members change it."""

_PARTITIONS = tuple(f"M#{number}" for number in range(8))
"""The partitions over which members are spread, since each can take only so many reads. Never change them."""
_ROSTER_KEY: TableKey = ("ROSTER", "R")
_MAX_ID_BYTES = 1024
_UNUSED_ID = "-"
"""An id that no member has."""
_AS_READ = "as read"
"""The name of the condition that something has not changed since; other conditions are named by a field."""
_SAME_NAMED_ATTRIBUTES = (
    "username",
    "email",
    "profile",
    "notes",
    "password",
    "disabled",
    "generation",
    "pending_email",
)
"""The attributes of a member's record that have the name and the value of the member's field."""


class MemberRecord(PynamoRecord):
    """A member, under one of the partitions and its id."""

    username = UnicodeAttribute()
    email = UnicodeAttribute()
    profile = UnicodeAttribute()
    notes = UnicodeAttribute(null=True)
    date_format = UnicodeAttribute()
    time_format = UnicodeAttribute()
    time_zone = UnicodeAttribute()
    language = UnicodeAttribute()
    password = UnicodeAttribute(null=True)
    disabled = BooleanAttribute()
    generation = NumberAttribute()
    reset_hash = UnicodeAttribute(null=True)
    reset_until = NumberAttribute(null=True)
    """An instant. Not `expires`, which would delete the member."""
    pending_email = UnicodeAttribute(null=True)
    confirmation_hash = UnicodeAttribute(null=True)
    confirmation_until = NumberAttribute(null=True)
    revision = NumberAttribute()


class GuardRecord(PynamoRecord):
    """The id of the member that has a username or an e-mail address."""

    member = UnicodeAttribute()


class RosterRecord(PynamoRecord):
    """The revision of the roster: how often members were changed on condition of a roster."""

    revision = NumberAttribute()


def _member_key(id_: str) -> TableKey:
    return _PARTITIONS[int(_hash(id_), 16) % len(_PARTITIONS)], id_


def _username_key(username: str) -> TableKey:
    """Return the key of a username's guard. Any text will do: people type names that nobody has."""
    return f"U#{_hash(fold_name(username))}", "U"


def _email_key(email: str) -> TableKey:
    """Return the key of an e-mail address's guard."""
    return f"E#{_hash(fold_name(email))}", "E"


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


_GUARD_KEYS: tuple[tuple[str, Callable[[Member], TableKey]], ...] = (
    ("username", lambda member: _username_key(member.username)),
    ("email", lambda member: _email_key(member.email)),
)
"""The unique fields of a member, each with the key of its guard."""

R = TypeVar("R", bound=PynamoRecord)


class PynamoMembers:
    """Members in a table. Every change is one transaction with the guards of the names that it touches."""

    def __init__(self, table: PynamoTable) -> None:
        self._table = table
        self._member = table.bind(MemberRecord)
        self._guard = table.bind(GuardRecord)
        self._roster = table.bind(RosterRecord)

    def by_id(self, id_: str) -> Member | None:
        """Return the member with that id."""
        record = self._get(self._member, _member_key(id_)) if _is_possible_id(id_) else None
        return None if record is None else _member_of_record(record)

    def by_username(self, username: str) -> Member | None:
        """Return the member of that name."""
        return self._by_guard(_username_key(username), lambda member: _username_key(member.username))

    def by_email(self, email: str) -> Member | None:
        """Return the member with that address."""
        return self._by_guard(_email_key(email), lambda member: _email_key(member.email))

    def roster(self) -> Roster:
        """Return all members. The revision is read first, so that the members are at least as new."""
        revision = self._roster_revision()
        records = (record for partition in _PARTITIONS for record in self._in_partition(partition))
        members = map(_member_of_record, records)
        return Roster(tuple(sorted(members, key=lambda member: fold_name(member.username))), revision)

    def any(self) -> bool:
        """Return whether there is a member at all."""
        return any(self._in_partition(partition, limit=1) for partition in _PARTITIONS)

    def add(self, member: Member) -> None:
        """Add a member. Raises NamesTaken; Conflict when the id is taken."""
        self._commit([self._save(member, 0), *self._claim_names(member, None)])

    def change(self, before: Member, after: Member, roster: Roster | None = None) -> None:
        """Put `after` in place of `before`; with a roster, only while that is the present one.

        Raises Conflict, NamesTaken.
        """
        self._commit(
            [
                self._save(after, before.revision),
                *self._claim_names(after, before),
                *self._release_names(before, after),
                *self._advance_roster(roster),
            ]
        )

    def remove(self, member: Member, roster: Roster | None = None) -> None:
        """Remove a member, as `change` does. Raises Conflict."""
        record = self._member(*_member_key(member.id))
        removal = delete_if(record, MemberRecord.revision == member.revision, _AS_READ)
        self._commit([removal, *self._release_names(member, None), *self._advance_roster(roster)])

    def _by_guard(self, key: TableKey, own_key: Callable[[Member], TableKey]) -> Member | None:
        """Return the member that a guard names; `own_key` returns the key of the guard that a member has."""
        for _lookup in range(MAX_LOOKUPS):
            guard = self._get(self._guard, key)
            if guard is None:
                # As many reads as for a name that somebody has: the time must not tell which names there are.
                self.by_id(_UNUSED_ID)
                return None
            member = self.by_id(guard.member)
            # Between the two reads, the member may have got another name, and the name another member.
            if member is not None and own_key(member) == key:
                return member
        raise Unavailable(_("Concurrent changes to members prevented this request. Try again."))

    def _get(self, record_class: type[R], key: TableKey) -> R | None:
        def work() -> R | None:
            try:
                return record_class.get(*key, consistent_read=True)
            except record_class.DoesNotExist:
                return None

        return self._table.read(work)

    def _in_partition(self, partition: str, limit: int | None = None) -> list[MemberRecord]:
        query = partial(self._member.query, partition, consistent_read=True, limit=limit)
        return self._table.read(lambda: list(query()))

    def _roster_revision(self) -> int:
        record = self._get(self._roster, _ROSTER_KEY)
        return int(record.revision) if record else 0

    def _save(self, member: Member, revision: int) -> ConditionalWrite:
        """Return the write that saves a member in place of a revision; 0 is that of a new member."""
        record = self._member(*_member_key(member.id), revision=revision + 1, **_record_attributes(member))
        as_read = MemberRecord.revision == revision if revision else MemberRecord.pk.does_not_exist()
        return save_if(record, as_read, _AS_READ)

    def _claim_names(self, after: Member, before: Member | None) -> Iterator[ConditionalWrite]:
        """Yield the writes of guards of names that a member gets."""
        for field, key in _GUARD_KEYS:
            if before is None or key(before) != key(after):
                guard = self._guard(*key(after), member=after.id)
                yield save_if(guard, GuardRecord.pk.does_not_exist(), field)

    def _release_names(self, before: Member, after: Member | None) -> Iterator[ConditionalWrite]:
        """Yield the deletions of guards of names that a member gives up."""
        for _field, key in _GUARD_KEYS:
            if after is None or key(before) != key(after):
                yield delete_if(self._guard(*key(before)), GuardRecord.member == before.id, _AS_READ)

    def _advance_roster(self, roster: Roster | None) -> Iterator[ConditionalWrite]:
        """Yield the write that makes a roster outdated, if a change depends on one."""
        if roster is None:
            return
        record = self._roster(*_ROSTER_KEY, revision=roster.revision + 1)
        is_present = RosterRecord.revision == roster.revision
        yield save_if(record, is_present if roster.revision else RosterRecord.pk.does_not_exist(), _AS_READ)

    def _commit(self, writes: Sequence[ConditionalWrite]) -> None:
        """Do all writes or none. Raises Conflict, NamesTaken."""
        failed = self._table.transact(uuid4().hex, writes)
        if _AS_READ in failed:
            raise Conflict
        if failed:
            raise NamesTaken(failed)


def _is_possible_id(id_: str) -> bool:
    """Return whether a record may have an id. DynamoDB refuses to look for others."""
    try:
        return 0 < len(id_.encode()) <= _MAX_ID_BYTES
    except UnicodeEncodeError:
        return False


def _record_attributes(member: Member) -> dict[str, Any]:
    """Return the attributes of a member's record, but for its key and its revision."""
    links = {"reset": member.reset, "confirmation": member.confirmation}
    return {
        **{name: getattr(member, name) for name in _SAME_NAMED_ATTRIBUTES},
        **asdict(member.formats),
        **{f"{name}_hash": link and link.hash for name, link in links.items()},
        **{f"{name}_until": link and link.until for name, link in links.items()},
    }


def _member_of_record(record: MemberRecord) -> Member:
    return Member(
        id=record.sk,
        formats=Formats(record.date_format, record.time_format, record.time_zone, record.language),
        reset=_mailed_link(record.reset_hash, record.reset_until),
        confirmation=_mailed_link(record.confirmation_hash, record.confirmation_until),
        revision=int(record.revision),
        **{name: getattr(record, name) for name in _SAME_NAMED_ATTRIBUTES},
    )


def _mailed_link(hashed: str | None, until: float | None) -> MailedLink | None:
    return None if until is None else MailedLink(str(hashed), int(until))
