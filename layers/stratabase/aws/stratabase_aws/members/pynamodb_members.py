"""The members of an instance in a DynamoDB table.

Each member has a record, and a guard for each of its unique names (username and email address). The key of a
guard is the hash of the folded name, so DynamoDB prevents two members from having the same name.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any, TypeVar
from uuid import uuid4

from pynamodb.attributes import BooleanAttribute, JSONAttribute, NumberAttribute, UnicodeAttribute

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.members.audit_entry import AuditEntry
from stratabase.members.credentials import ApiKey, ExchangeCode, ProviderLink, Session
from stratabase.members.member import (
    LINK_FIELD,
    MailedLink,
    Member,
    MemberKind,
    NamesTaken,
    Roster,
    email_spellings,
    fold_name,
)
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _
from stratabase_aws.dynamodb.errors import CONDITION_EXCEPTION, permanent_error
from stratabase_aws.dynamodb.retry import PermanentRejection
from stratabase_aws.members.pynamodb_audit import AuditWrites
from stratabase_aws.members.pynamodb_table import (
    ConditionalWrite,
    PynamoRecord,
    PynamoTable,
    check_if,
    delete_if,
    save_if,
)

TableKey = tuple[str, str]
"""The attributes `pk` and `sk` of a record."""

MAX_LOOKUPS = 5
"""The maximum number of lookups of a name that concurrent requests change."""

_PARTITIONS = tuple(f"M#{number}" for number in range(8))
"""The partitions over which the members are spread, to spread the load. Keys depend on them: never change."""
_BATCH_SIZE = 1000
"""Members that are read at a time: about half of what one request of DynamoDB can return."""
_ROSTER_KEY: TableKey = ("ROSTER", "R")
_MAX_ID_BYTES = 1024
_UNUSED_ID = "-"
"""An id that no member has."""
_AS_READ = "as read"
"""The name of the condition that an item has not changed since it was read. The other conditions have the
names of unique fields."""
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
"""The attributes of a member's record that have the name and value of a member's field."""


class MemberRecord(PynamoRecord):
    """A member. The key is one of the partitions and the member's id."""

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
    """An instant. It must not be in `expires`, because DynamoDB would delete the member then."""
    earlier_resets = JSONAttribute(null=True)
    """A list with the hash and the end of each link."""
    kind = UnicodeAttribute(null=True)
    """None for a person."""
    sessions = JSONAttribute(null=True)
    """A list with the fields of each session. `keys`, `links` and `codes` are alike."""
    keys = JSONAttribute(null=True)
    links = JSONAttribute(null=True)
    codes = JSONAttribute(null=True)
    pending_email = UnicodeAttribute(null=True)
    confirmation_hash = UnicodeAttribute(null=True)
    confirmation_until = NumberAttribute(null=True)
    revision = NumberAttribute()


class GuardRecord(PynamoRecord):
    """A guard: the id of the member that has a username, an email address, or an account at a provider."""

    member = UnicodeAttribute()


class RosterRecord(PynamoRecord):
    """The revision of the roster: the number of changes that depended on a roster."""

    revision = NumberAttribute()


def _member_key(id_: str) -> TableKey:
    return _PARTITIONS[int(_hash(id_), 16) % len(_PARTITIONS)], id_


def _username_key(username: str) -> TableKey:
    """Return the key of the guard of a username, which can be any text that a person types at sign-in."""
    return f"U#{_hash(fold_name(username))}", "U"


def _email_key(email: str) -> TableKey:
    """Return the key of the guard of an email address in its own spelling."""
    return f"E#{_hash(fold_name(email))}", "E"


def _link_key(issuer: str, subject: str) -> TableKey:
    """Return the key of the guard of an account at an identity provider."""
    account = f"{issuer}\0{subject}"
    return f"L#{_hash(account)}", "L"


def _hash(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def _guards(member: Member) -> dict[TableKey, str]:
    """Return the keys of a member's guards, each with the name of the unique field."""
    return {
        _username_key(member.username): "username",
        **({_email_key(member.email): "email"} if member.email else {}),
        **{_link_key(link.issuer, link.subject): LINK_FIELD for link in member.links},
    }


_LISTS: dict[str, Callable[..., Any]] = {
    "earlier_resets": MailedLink,
    "sessions": Session,
    "keys": lambda *fields: replace(ApiKey(*fields), networks=tuple(fields[-1])),
    "links": ProviderLink,
    "codes": ExchangeCode,
}
"""The fields of a member that are lists, each with the function that makes an element of its fields."""

R = TypeVar("R", bound=PynamoRecord)
_Position = dict[str, dict[str, Any]]
"""The position in a partition after which a query goes on, as DynamoDB returns it."""


class PynamoMembers:
    """Members in DynamoDB. Each change is one transaction of the record and the affected guards.

    A change that affects the record alone is one conditional write, which costs half as much.
    """

    def __init__(self, table: PynamoTable) -> None:
        self._table = table
        self._member = table.bind(MemberRecord)
        self._guard = table.bind(GuardRecord)
        self._roster = table.bind(RosterRecord)
        self._audit = AuditWrites(table)

    def by_id(self, id_: str) -> Member | None:
        """Return the member with an id, or None."""
        record = self._get(self._member, _member_key(id_)) if _is_possible_id(id_) else None
        return None if record is None else _member_of_record(record)

    def by_username(self, username: str) -> Member | None:
        """Return the member with a username, or None. Case does not matter."""
        return self._by_guard(_username_key(username))

    def by_email(self, email: str) -> Member | None:
        """Return the member with an email address in any spelling, or None."""
        for spelling in email_spellings(email):
            member = self._by_guard(_email_key(spelling))
            if member is not None:
                return member
        return None

    def by_link(self, issuer: str, subject: str) -> Member | None:
        """Return the member who is linked to an account at an identity provider, or None."""
        return self._by_guard(_link_key(issuer, subject))

    def by_ids(self, ids: Sequence[str]) -> list[Member | None]:
        """Return the members in the order of `ids`, None for an id that no member has."""
        wanted = [_member_key(id_) for id_ in dict.fromkeys(ids) if _is_possible_id(id_)]

        def work() -> list[MemberRecord]:
            return list(self._member.batch_get(wanted, consistent_read=True))

        found = {
            record.sk: _member_of_record(record) for record in (self._table.read(work) if wanted else ())
        }
        return [found.get(id_) for id_ in ids]

    def batches(self) -> Iterator[Sequence[Member]]:
        """Yield all members in batches of at most 1 MB, one partition after the other."""
        for partition in _PARTITIONS:
            start: _Position | None = None
            while True:
                records, start = self._batch(partition, start)
                yield [*map(_member_of_record, records)]
                if start is None:
                    break

    def roster(self) -> Roster:
        """Return all members by username, with the revision of the roster.

        The revision is read first, so the members are at least as new as the revision. The members are read
        in batches, each with retries of its own.
        """
        revision = self._roster_revision()
        members = chain.from_iterable(self.batches())
        return Roster(tuple(sorted(members, key=lambda member: fold_name(member.username))), revision)

    def any(self) -> bool:
        """Return whether any member exists."""
        return any(self._has_member(partition) for partition in _PARTITIONS)

    def add(self, member: Member, *, is_moved: bool = False, audit: Sequence[AuditEntry] = ()) -> None:
        """Add a member, who can come from another store. Raises NamesTaken, or Conflict if the id exists."""
        checks = () if is_moved else self._check_other_spellings(member, None)
        entries = self._audit.entries(audit)
        self._commit(member, [self._save(member, 0), *self._claim_names(member, None), *checks, *entries])

    def change(
        self,
        before: Member,
        after: Member,
        roster: Roster | None = None,
        *,
        audit: Sequence[AuditEntry] = (),
    ) -> None:
        """Replace `before` with `after`. If a roster is given, it must still be the current one.

        Raises Conflict, NamesTaken.
        """
        others = [
            *self._claim_names(after, before),
            *self._release_names(before, after),
            *self._check_other_spellings(after, before),
            *self._advance_roster(roster),
            *self._audit.entries(audit),
        ]
        if others:
            self._commit(after, [self._save(after, before.revision), *others])
        else:
            self._replace(after, before.revision)

    def remove(
        self, member: Member, roster: Roster | None = None, *, audit: Sequence[AuditEntry] = ()
    ) -> None:
        """Delete a member. If a roster is given, it must still be the current one. Raises Conflict."""
        record = self._member(*_member_key(member.id))
        removal = delete_if(record, MemberRecord.revision == member.revision, _AS_READ)
        reported = self._audit.removal(member.id, audit)
        released = self._release_names(member, None)
        self._commit(member, [removal, *released, *self._advance_roster(roster), *reported])

    def _by_guard(self, key: TableKey) -> Member | None:
        """Return the member that a guard names, or None."""
        last: tuple[str, int | None] | None = None
        for _lookup in range(MAX_LOOKUPS):
            guard = self._get(self._guard, key)
            if guard is None:
                # Read as often as for an existing name. Otherwise, the timing would reveal which names exist.
                self.by_id(_UNUSED_ID)
                return None
            member = self.by_id(guard.member)
            # Between the two reads, the name can move to another member. Then look it up again.
            if member is not None and key in _guards(member):
                return member
            found = guard.member, member.revision if member else None
            if found == last:
                return None  # the guard was abandoned
            last = found
        raise Unavailable(_("Concurrent changes to members prevented this request. Try again."))

    def _get(self, record_class: type[R], key: TableKey) -> R | None:
        def work() -> R | None:
            try:
                return record_class.get(*key, consistent_read=True)
            except record_class.DoesNotExist:
                return None

        return self._table.read(work)

    def _has_member(self, partition: str) -> bool:
        query = partial(self._member.query, partition, consistent_read=True, limit=1)
        return bool(self._table.read(lambda: list(query())))

    def _batch(self, partition: str, start: _Position | None) -> tuple[list[MemberRecord], _Position | None]:
        """Return the members of a partition after a position that one request reads, and where they end."""

        def work() -> tuple[list[MemberRecord], _Position | None]:
            found = self._member.query(
                partition,
                consistent_read=True,
                limit=_BATCH_SIZE,
                page_size=_BATCH_SIZE,
                last_evaluated_key=start,
            )
            return list(found), found.last_evaluated_key

        return self._table.read(work)

    def _roster_revision(self) -> int:
        record = self._get(self._roster, _ROSTER_KEY)
        return int(record.revision) if record else 0

    def _save(self, member: Member, revision: int) -> ConditionalWrite:
        """Return the write that replaces a revision of a member. Revision 0 means a new member."""
        as_read = MemberRecord.revision == revision if revision else MemberRecord.pk.does_not_exist()
        return save_if(self._record(member, revision + 1), as_read, _AS_READ)

    def _record(self, member: Member, revision: int) -> MemberRecord:
        return self._member(*_member_key(member.id), revision=revision, **_record_attributes(member))

    def _replace(self, after: Member, revision: int) -> None:
        """Replace a revision of a member in one write without a transaction. Raises Conflict."""
        save = partial(self._record(after, revision + 1).save, MemberRecord.revision == revision)
        try:
            self._table.write(save)
        except PermanentRejection as rejection:
            if rejection.rejected.code != CONDITION_EXCEPTION:
                raise permanent_error(rejection.rejected) from rejection
            if not (rejection.may_have_run and self._has(after, revision + 1)):
                raise Conflict from None

    def _has(self, member: Member, revision: int) -> bool:
        """Return whether a member is stored like this. Then an earlier attempt to write it has succeeded."""
        stored = self.by_id(member.id)
        return stored is not None and stored.revision == revision and stored == member

    def _claim_names(self, after: Member, before: Member | None) -> Iterator[ConditionalWrite]:
        """Yield the writes that create guards for the new names and links of a member."""
        former = _guards(before) if before else {}
        for key, field in _guards(after).items():
            if key not in former:
                yield save_if(self._guard(*key, member=after.id), GuardRecord.pk.does_not_exist(), field)

    def _release_names(self, before: Member, after: Member | None) -> Iterator[ConditionalWrite]:
        """Yield the writes that delete the guards of names and links that a member no longer has."""
        present = _guards(after) if after else {}
        for key in _guards(before):
            if key not in present:
                yield delete_if(self._guard(*key), GuardRecord.member == before.id, _AS_READ)

    def _check_other_spellings(self, after: Member, before: Member | None) -> Iterator[ConditionalWrite]:
        """Yield the checks that nobody has a member's new email address in another spelling."""
        if not after.email:
            return
        own = _email_key(after.email)
        released = before and _email_key(before.email)
        if released == own:
            return
        for key in map(_email_key, email_spellings(after.email)):
            # DynamoDB takes each item once. If the member had this spelling, its guard is deleted here.
            if key not in {own, released}:
                yield check_if(self._guard, key, GuardRecord.pk.does_not_exist(), "email")

    def _advance_roster(self, roster: Roster | None) -> Iterator[ConditionalWrite]:
        """Yield the write that advances the roster's revision, if the change depends on a roster.

        Of two changes that depend on the same roster, one fails. So two concurrent requests cannot remove the
        last two administrators.
        """
        if roster is None:
            return
        record = self._roster(*_ROSTER_KEY, revision=roster.revision + 1)
        is_present = RosterRecord.revision == roster.revision
        yield save_if(record, is_present if roster.revision else RosterRecord.pk.does_not_exist(), _AS_READ)

    def _commit(self, member: Member, writes: Sequence[ConditionalWrite]) -> None:
        """Execute all writes of a member in one transaction. Raises Conflict, NamesTaken."""
        failed = self._table.transact(uuid4().hex, writes)
        if _AS_READ in failed or (LINK_FIELD in failed and self._drop_abandoned_guards(member)):
            raise Conflict
        if failed:
            raise NamesTaken(tuple(dict.fromkeys(failed)))

    def _drop_abandoned_guards(self, member: Member) -> bool:
        """Delete the guards of a member's links that nobody has. Return whether there were any.

        A version without links, which wrote a member anew, left them out and their guards behind.
        """
        dropped = False
        for key in (_link_key(link.issuer, link.subject) for link in member.links):
            guard = self._get(self._guard, key)
            owner = guard and self.by_id(guard.member)
            if guard is None or (owner and key in _guards(owner)):
                continue
            # The owner is written as it is, so that the transaction fails if the link comes back meanwhile.
            unchanged = [self._save(owner, owner.revision)] if owner else []
            deletion = delete_if(self._guard(*key), GuardRecord.member == guard.member, _AS_READ)
            self._table.transact(uuid4().hex, [deletion, *unchanged])
            dropped = True
        return dropped


def _is_possible_id(id_: str) -> bool:
    """Return whether an id is a valid key. DynamoDB rejects requests with other keys."""
    try:
        return 0 < len(id_.encode()) <= _MAX_ID_BYTES
    except UnicodeEncodeError:
        return False


def _record_attributes(member: Member) -> dict[str, Any]:
    """Return the attributes of a member's record, except its key and revision."""
    links = {"reset": member.reset, "confirmation": member.confirmation}
    return {
        **{name: getattr(member, name) for name in _SAME_NAMED_ATTRIBUTES},
        **asdict(member.formats),
        **{f"{name}_hash": link and link.hash for name, link in links.items()},
        **{f"{name}_until": link and link.until for name, link in links.items()},
        **{name: [_values(each) for each in getattr(member, name)] or None for name in _LISTS},
        "kind": None if member.kind is MemberKind.PERSON else member.kind.value,
    }


def _values(listed: Any) -> list[Any]:
    """Return the values of the fields of a list's element, in their order."""
    return [getattr(listed, name) for name in listed.__match_args__]


def _member_of_record(record: MemberRecord) -> Member:
    # A version without kinds, which writes a member anew, leaves the kind out. Only programs have no address.
    kind = record.kind or (MemberKind.PERSON if record.email else MemberKind.PROGRAM)
    values: dict[str, Any] = {name: getattr(record, name) for name in _SAME_NAMED_ATTRIBUTES}
    for name, make in _LISTS.items():
        values[name] = tuple(make(*each) for each in getattr(record, name) or ())
    return Member(
        id=record.sk,
        formats=Formats(record.date_format, record.time_format, record.time_zone, record.language),
        reset=_mailed_link(record.reset_hash, record.reset_until),
        confirmation=_mailed_link(record.confirmation_hash, record.confirmation_until),
        revision=int(record.revision),
        kind=MemberKind(kind),
        **values,
    )


def _mailed_link(hashed: str | None, until: float | None) -> MailedLink | None:
    return None if until is None else MailedLink(str(hashed), int(until))
