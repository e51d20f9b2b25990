"""The audit trail in the DynamoDB table of the members, and when keys were last used.

The entries are spread over some partitions by the member that they are about, and sorted by time in each of
them. DynamoDB deletes them after `expires`, which can take days, so readers leave out what is too old.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from heapq import merge
from typing import Any
from uuid import uuid4

import orjson
from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from stratabase.core.domain.objects.instant import Instant
from stratabase.members.audit_entry import (
    MAX_PAGE,
    NAME,
    AuditEntry,
    AuditKind,
    AuditPage,
    without_person,
)
from stratabase_aws.dynamodb.errors import CONDITION_EXCEPTION, permanent_error
from stratabase_aws.dynamodb.retry import PermanentRejection
from stratabase_aws.members.pynamodb_table import ConditionalWrite, PynamoRecord, PynamoTable, save_always

_PARTITIONS = tuple(f"AUD#{number}" for number in range(8))
"""The partitions over which the entries are spread. Keys depend on them: never change."""
_REMOVED = "AUD#R"
"""The partition of the members who were removed, and of whom something may be left to forget."""
_READ_AT_ONCE = 1000
"""Entries that one request reads: about a quarter of what one request of DynamoDB can return."""
_MAX_REQUESTS = 5
"""Requests for a page of one member's entries, between which there are those of others."""


class AuditRecord(PynamoRecord):
    """An entry. The key is one of the partitions and the entry's id."""

    at = NumberAttribute()
    kind = UnicodeAttribute()
    member = UnicodeAttribute(null=True)
    actor = UnicodeAttribute(null=True)
    way = UnicodeAttribute(null=True)
    detail = UnicodeAttribute(null=True)
    """JSON."""
    address = UnicodeAttribute(null=True)
    device = UnicodeAttribute(null=True)
    number = NumberAttribute()
    """The count of the entry."""


class RemovedRecord(PynamoRecord):
    """A member who was removed, by id."""

    at = NumberAttribute()


class KeyUseRecord(PynamoRecord):
    """When a key of a member was last used, by the ids of the member and of the key."""

    hour = NumberAttribute()


_TEXTS = ("member", "actor", "way", "address", "device")
"""The attributes of a record that have the name and value of an entry's field, None if it is empty."""


class AuditWrites:
    """The writes that add entries in the transaction of a change of a member."""

    def __init__(self, table: PynamoTable) -> None:
        self._entry = table.bind(AuditRecord)
        self._removed = table.bind(RemovedRecord)

    def entries(self, entries: Sequence[AuditEntry]) -> Iterator[ConditionalWrite]:
        """Yield the writes of entries."""
        return (save_always(_record(self._entry, entry)) for entry in entries)

    def removal(self, member: str, entries: Sequence[AuditEntry]) -> Iterator[ConditionalWrite]:
        """Yield the writes for a member who is removed, with the entries that report it."""
        at = max((entry.at for entry in entries), default=0)
        yield save_always(self._removed(_REMOVED, member, at=at))
        yield from self.entries(entries)


class PynamoAuditTrail:
    """The audit trail in DynamoDB."""

    def __init__(self, table: PynamoTable) -> None:
        self._table = table
        self._entry = table.bind(AuditRecord)
        self._removed = table.bind(RemovedRecord)
        self._use = table.bind(KeyUseRecord)
        self._writes = AuditWrites(table)

    def append(self, entries: Sequence[AuditEntry]) -> None:
        """Write entries that are not there yet, in one transaction."""
        if entries:
            self._table.transact(uuid4().hex, self._writes.entries(entries))

    def count(self, entry: AuditEntry) -> None:
        """Write an hourly entry, or add its count to the entry with its id."""
        record, new = self._entry(*_key(entry)), _record(self._entry, entry)
        actions: list[Action] = [AuditRecord.number.add(entry.count)]
        for name in ("at", "kind", *_TEXTS, "detail", "expires"):
            attribute, value = getattr(AuditRecord, name), getattr(new, name)
            if value is not None:
                actions.append(attribute.set(attribute | value))
        self._write(partial(record.update, actions), retries=False)

    def page(
        self, first: str, *, after: str | None = None, limit: int = MAX_PAGE, member: str | None = None
    ) -> AuditPage:
        """Return at most `limit` entries whose ids are `first` or greater, newest first."""
        if after is not None and after <= first:
            return AuditPage(())
        if member is not None:
            return self._page_of_member(member, first, after, limit)
        parts = [self._read(partition, first, after, limit + 1) for partition in _PARTITIONS]
        # What is older than the end of a part that goes on can be between entries that were not read.
        horizon = max((last for _entries, last in parts if last is not None), default=None)
        merged = merge(*(entries for entries, _last in parts), key=lambda entry: entry.id, reverse=True)
        found = [entry for entry in merged if horizon is None or entry.id >= horizon]
        return _page(found, limit, horizon)

    def _page_of_member(self, member: str, first: str, after: str | None, limit: int) -> AuditPage:
        """Return the entries of one member, which are between those of others in the same partition."""
        found = list[AuditEntry]()
        for _request in range(_MAX_REQUESTS):
            entries, after = self._read(_partition(member), first, after, _READ_AT_ONCE, member)
            found += entries
            if len(found) > limit or after is None:
                break
        return _page(found, limit, after)

    def forget(self, member: str) -> Iterator[None]:
        """Remove what identifies a deleted member other than by id."""
        of_member = (AuditRecord.actor == member) & (
            AuditRecord.address.exists() | AuditRecord.device.exists()
        ) | (AuditRecord.member == member) & AuditRecord.detail.contains(f'"{NAME}":')
        for partition in _PARTITIONS:
            start: str | None = None
            while True:
                records, start = self._query(partition, "", start, _READ_AT_ONCE, of_member)
                for record in records:
                    self._forget_in(record, member)
                yield
                if start is None:
                    break
        for use in self._uses(member):
            self._write(use.delete)
        yield

    def _forget_in(self, record: AuditRecord, member: str) -> None:
        rest = _record(self._entry, without_person(_entry(record), member))
        actions: list[Action] = [
            attribute.remove() if value is None else attribute.set(value)
            for attribute, value in (
                (AuditRecord.address, rest.address),
                (AuditRecord.device, rest.device),
                (AuditRecord.detail, rest.detail),
            )
        ]
        # It can have expired since it was read. Without the condition, the update would make it again.
        self._write(partial(record.update, actions, AuditRecord.kind.exists()))

    def to_forget(self, removed_before: Instant) -> Sequence[str]:
        """Return the ids of members who were removed before an instant."""

        def work() -> list[str]:
            found = self._removed.query(_REMOVED, consistent_read=True)
            return [record.sk for record in found if record.at < removed_before]

        return self._table.read(work)

    def forgotten(self, member: str) -> None:
        """Record that nothing is left to forget of a member."""
        self._write(self._removed(_REMOVED, member).delete)

    def prune(self, first: str) -> Iterator[None]:
        """Do nothing: DynamoDB deletes what has expired."""
        del first
        return iter(())

    def note_use(self, member: str, key: str, hour: Instant) -> None:
        """Record that a key of a member was used in the hour that begins at an instant."""
        is_later = KeyUseRecord.hour.does_not_exist() | (KeyUseRecord.hour < hour)
        record = self._use(_uses_key(member), key)
        self._write(partial(record.update, [KeyUseRecord.hour.set(hour)], is_later), retries=False)

    def uses(self, member: str) -> Mapping[str, Instant]:
        """Return when the keys of a member were used last, by the id of the key: the start of the hour."""
        return {record.sk: int(record.hour) for record in self._uses(member)}

    def _uses(self, member: str) -> list[KeyUseRecord]:
        return self._table.read(lambda: list(self._use.query(_uses_key(member), consistent_read=True)))

    def _read(
        self, partition: str, first: str, after: str | None, limit: int, member: str | None = None
    ) -> tuple[list[AuditEntry], str | None]:
        """Return what is wanted of the `limit` newest entries of a partition, and where they end.

        The end is None if the partition ends there, too.
        """
        condition = None if member is None else AuditRecord.member == member
        records, last = self._query(partition, first, after, limit, condition)
        return [*map(_entry, records)], last

    def _query(
        self, partition: str, first: str, after: str | None, limit: int, condition: Condition | None
    ) -> tuple[list[AuditRecord], str | None]:
        """Return what one request finds among `limit` records of a partition, newest first, and their end."""
        start = None if after is None else {"pk": {"S": partition}, "sk": {"S": after}}

        def work() -> Mapping[str, Any]:
            found = self._entry.query(
                partition,
                AuditRecord.sk >= first if first else None,
                condition,
                consistent_read=True,
                scan_index_forward=False,
                page_size=limit,
                last_evaluated_key=start,
            )
            page: Mapping[str, Any] = next(found.page_iter)
            return page

        page = self._table.read(work)
        last = page.get("LastEvaluatedKey")
        return [*map(self._entry.from_raw_data, page["Items"])], last and last["sk"]["S"]

    def _write(self, work: Callable[[], object], *, retries: bool = True) -> None:
        """Run an idempotent write, perhaps twice. A failed condition is not an error. Raises Unavailable."""
        try:
            self._table.write(work, retries=retries)
        except PermanentRejection as error:
            if error.rejected.code != CONDITION_EXCEPTION:
                raise permanent_error(error.rejected) from error


def _page(found: Sequence[AuditEntry], limit: int, end: str | None) -> AuditPage:
    """Return the page with the first `limit` entries. `end`: where what was read ends, None if all was."""
    if len(found) > limit:
        return AuditPage(found[:limit], found[limit - 1].id)
    return AuditPage(found, end)


def _partition(member: str) -> str:
    return _PARTITIONS[int(sha256(member.encode()).hexdigest(), 16) % len(_PARTITIONS)]


def _key(entry: AuditEntry) -> tuple[str, str]:
    return _partition(entry.member), entry.id


def _uses_key(member: str) -> str:
    return f"USE#{member}"


def _record(record_class: type[AuditRecord], entry: AuditEntry) -> AuditRecord:
    texts: dict[str, Any] = {name: getattr(entry, name) or None for name in _TEXTS}
    return record_class(
        *_key(entry),
        at=entry.at,
        kind=entry.kind.value,
        detail=orjson.dumps(dict(entry.detail)).decode() if entry.detail else None,
        number=entry.count,
        expires=datetime.fromtimestamp(entry.until // 1000, UTC) if entry.until else None,
        **texts,
    )


def _entry(record: AuditRecord) -> AuditEntry:
    texts: dict[str, Any] = {name: getattr(record, name) or "" for name in _TEXTS}
    return AuditEntry(
        record.sk,
        int(record.at),
        AuditKind(record.kind),
        detail=orjson.loads(record.detail) if record.detail else {},
        count=int(record.number),
        **texts,
    )
