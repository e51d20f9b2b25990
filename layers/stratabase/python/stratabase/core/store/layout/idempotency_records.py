"""The items of idempotency records: all records of a key are in one partition, which one range reads.

An engine that does not remove expired items has the records also in a partition of the listing index, in the
order in which they expire. A sweep finds them there.
"""

import zlib
from base64 import b64decode, b64encode

from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import (
    TIME_TO_LIVE,
    Bounds,
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    IndexKey,
    Item,
    Key,
    Put,
)
from stratabase.core.store.layout import codec, keys

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
