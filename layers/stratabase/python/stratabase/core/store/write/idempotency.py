"""The idempotency records in an engine: in a commit, without one, and the removal of expired ones."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain

from stratabase.core.domain.objects.commit_refusals import AlreadyRecorded
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import (
    ITEMS,
    Batch,
    Engine,
    ExpectationFailed,
    Failure,
    Item,
    Put,
)
from stratabase.core.store.engine.updates import is_committed, new_commit_id
from stratabase.core.store.layout import idempotency_records, keys
from stratabase.core.store.layout.idempotency_records import put_record
from stratabase.core.store.read.context import StoreContext

_BATCH = 50
"""The number of expired records that one commit removes."""


def read_records(engine: Engine, scope: str) -> list[IdempotencyRecord]:
    """Return all records of a key, also expired ones, by one strongly consistent range."""
    pages = engine.range(ITEMS, keys.idempotency_scope(scope))
    return [idempotency_records.read_record(item) for item in chain.from_iterable(pages)]


def record_writes(
    store: StoreContext, record: IdempotencyRecord | None, commit_id: str, now: Instant
) -> Iterator[Put]:
    """Yield the action that stores a record, if there is one."""
    if record is not None:
        yield put_record(record, commit_id, now, listed=not store.engine.removes_expired)


def check_recorded(failures: Sequence[Failure]) -> None:
    """Raise AlreadyRecorded if another request with the same idempotency key has done a step.

    Then no other expectation that failed matters.
    """
    if any(keys.is_idempotency_record(failure.action.key) for failure in failures):
        raise AlreadyRecorded


def add_record(engine: Engine, record: IdempotencyRecord, now: Instant) -> None:
    """Store the record of a step that has written nothing. Raises AlreadyRecorded, Unavailable."""
    commit_id = new_commit_id("record")
    put = idempotency_records.put_record(record, commit_id, now, listed=not engine.removes_expired)
    if not is_committed(engine, Batch(commit_id, (put,))):
        raise AlreadyRecorded


def remove_expired(engine: Engine, now: Instant) -> Iterator[None]:
    """Remove the records that are expired, and yield after each commit. Raises Unavailable."""
    if engine.removes_expired:
        return
    bounds = idempotency_records.expired_records(now)
    pages = engine.range(keys.LISTING, keys.IDEMPOTENCY_RECORDS, bounds)
    batch: list[Item] = []
    for item in chain.from_iterable(pages):
        batch.append(item)
        if len(batch) == _BATCH:
            yield from _remove(engine, batch, now)
            batch.clear()
    yield from _remove(engine, batch, now)


def _remove(engine: Engine, items: Sequence[Item], now: Instant) -> Iterator[None]:
    if not items:
        return
    actions = tuple(idempotency_records.delete_expired(item.key, now) for item in items)
    with suppress(ExpectationFailed):  # a key was used again: the next sweep removes the others
        engine.commit(Batch(new_commit_id("record"), actions))
    yield
