"""The items of idempotency records: in a commit, without one, and the removal of expired ones.

All records of a key are in one partition, which one range reads. An engine that does not remove expired items
has the records also in a partition of the listing index, in the order in which they expire. A sweep finds
them there.
"""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain

from stratabase.core.domain.objects.commit_refusals import AlreadyRecorded
from stratabase.core.domain.objects.idempotency import ERASED_ANSWER, IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import (
    ITEMS,
    TIME_TO_LIVE,
    Batch,
    Bounds,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    ExpectationFailed,
    Failure,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.layout import codec, keys
from stratabase.core.store.read.context import StoreContext

_FINGERPRINT, _ANSWER, _PACKED = "fingerprint", "answer", "packedAnswer"
_PACKED_FROM = 1024
"""The length from which an answer is compressed: DynamoDB charges for each started kilobyte."""
_SECOND = 1000
"""In milliseconds."""


def put_record(record: IdempotencyRecord, commit_id: str, now: Instant, *, listed: bool) -> Put:
    """Return the action that stores a record, if its step has none that is still valid at `now`.

    `listed`: whether a sweep must find the record.
    """
    expires = -(-record.expires // _SECOND)
    item = Item(
        keys.idempotency_record(record.scope, record.step),
        {
            codec.COMMIT_IDS: [commit_id],
            TIME_TO_LIVE: expires,
            _FINGERPRINT: record.fingerprint,
            **_answer_attribute(record.answer),
        },
        places={keys.LISTING: IndexKey(keys.IDEMPOTENCY_RECORDS, f"{expires:012d}")} if listed else {},
    )
    return Put(item, Expectation(either=_expired(now, missing=True)))


def read_record(item: Item) -> IdempotencyRecord:
    """Return the record of an item."""
    attributes, expires = item.attributes, item.attributes[TIME_TO_LIVE]
    assert isinstance(expires, int)
    packed = attributes.get(_PACKED)
    answer = (
        zlib.decompress(b64decode(packed)).decode()
        if isinstance(packed, str)
        else str(attributes.get(_ANSWER, ""))
    )
    scope, step = keys.idempotency_step(item.key)
    return IdempotencyRecord(scope, step, str(attributes[_FINGERPRINT]), expires * _SECOND, answer)


def expired_records(now: Instant) -> Bounds:
    """Return the bounds of the records that are expired at `now`, in the partition of the listing index."""
    return Bounds(None, f"{now // _SECOND:012d}")


def delete_expired(key: Key, now: Instant) -> DeleteItem:
    """Return the action that deletes a record, unless another one has replaced it."""
    return DeleteItem(key, Expectation(either=_expired(now)))


def is_answer_erased(item: Item) -> bool:
    """Return whether a record has no answer, or one that was erased."""
    return read_record(item).answer in {"", ERASED_ANSWER}


def erase_answer(item: Item) -> Patch:
    """Return the action that erases the answer of a record, which keeps the request from being repeated."""
    same = (TIME_TO_LIVE, _FINGERPRINT)
    return Patch(
        item.key,
        Expectation(
            exists=True,
            conditions=tuple(
                Condition(name, ConditionOperator.EQUALS, item.attributes[name]) for name in same
            ),
        ),
        set={_ANSWER: ERASED_ANSWER},
        remove=frozenset({_PACKED}),
    )


def _expired(now: Instant, *, missing: bool = False) -> tuple[Condition, ...]:
    absent = (Condition(TIME_TO_LIVE, ConditionOperator.ABSENT),) if missing else ()
    return (*absent, Condition(TIME_TO_LIVE, ConditionOperator.AT_MOST, now // _SECOND))


def _answer_attribute(answer: str) -> dict[str, str]:
    if not answer:
        return {}
    if len(answer) >= _PACKED_FROM:
        packed = b64encode(zlib.compress(answer.encode(), level=1)).decode()
        if len(packed) < len(answer):
            return {_PACKED: packed}
    return {_ANSWER: answer}


_BATCH = 50
"""The number of expired records that one commit removes."""


def read_records(engine: Engine, scope: str) -> list[IdempotencyRecord]:
    """Return all records of a key, also expired ones, by one strongly consistent range."""
    pages = engine.range(ITEMS, keys.idempotency_scope(scope))
    return [read_record(item) for item in chain.from_iterable(pages)]


def record_write(store: StoreContext, record: IdempotencyRecord, commit_id: str, now: Instant) -> Put:
    """Return the action that stores a record."""
    return put_record(record, commit_id, now, listed=not store.engine.removes_expired)


def check_recorded(failures: Sequence[Failure]) -> None:
    """Raise AlreadyRecorded if another request with the same idempotency key has done a step.

    Then no other expectation that failed matters.
    """
    if any(keys.is_idempotency_record(failure.action.key) for failure in failures):
        raise AlreadyRecorded


def add_record(engine: Engine, record: IdempotencyRecord, now: Instant) -> None:
    """Store the record of a step that has written nothing. Raises AlreadyRecorded, Unavailable."""
    commit_id = new_commit_id("record")
    put = put_record(record, commit_id, now, listed=not engine.removes_expired)
    if not is_committed(engine, Batch(commit_id, (put,))):
        raise AlreadyRecorded


def remove_expired(engine: Engine, now: Instant) -> Iterator[None]:
    """Remove the records that are expired, and yield after each commit. Raises Unavailable."""
    if engine.removes_expired:
        return
    bounds = expired_records(now)
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
    actions = tuple(delete_expired(item.key, now) for item in items)
    with suppress(ExpectationFailed):  # a key was used again: the next sweep removes the others
        engine.commit(Batch(new_commit_id("record"), actions))
    yield
