"""The items of idempotency records."""

import random
import string

from stratabase.core.domain.objects.idempotency import (
    MAX_ANSWER_BYTES,
    IdempotencyRecord,
    field_step,
    object_step,
)
from stratabase.core.store.engine.actions import is_met
from stratabase.core.store.engine.capacity import item_bytes
from stratabase.core.store.engine.port import TIME_TO_LIVE, Key
from stratabase.core.store.layout import keys
from stratabase.core.store.write.idempotency import put_record, read_record
from tests.rows import each_row

NOW = 1_700_000_000_123
ANSWERS = {
    "none": "",
    "short": '{"data":{"a":"é"}}',
    "repetitive": '{"data":[' + '"abc",' * 1000 + "1]}",
    "random": "".join(random.Random(1).choices(string.printable, k=MAX_ANSWER_BYTES)),
}


@each_row("answer", ANSWERS.values())
def test_a_record_comes_back_as_it_was(answer: str) -> None:
    record = IdempotencyRecord("ab" * 32, object_step(3, "id#1"), "f" * 64, NOW + 877, answer)
    put = put_record(record, "commit", NOW, listed=True)
    assert read_record(put.item) == record
    assert item_bytes(put.item) < min(400_000, 2000 + len(answer))


def test_only_a_missing_or_expired_record_is_replaced() -> None:
    record = IdempotencyRecord("scope", field_step(0), "f", NOW + 10_000)
    before = put_record(record, "commit", NOW, listed=False).item
    seconds = before.attributes[TIME_TO_LIVE]
    assert isinstance(seconds, int)
    assert is_met(put_record(record, "later", NOW, listed=False).expect, None)
    for now in (NOW, seconds * 1000 - 1):
        assert not is_met(put_record(record, "later", now, listed=False).expect, before)
    assert is_met(put_record(record, "later", seconds * 1000, listed=False).expect, before)


def test_a_key_of_a_record_is_no_key_of_an_object() -> None:
    """So exports, backfills and checks of references leave records out."""
    for step in (field_step(0), object_step(0, "V#~")):
        record = keys.idempotency_record("scope", step)
        assert keys.is_idempotency_record(record)
        assert not any(test(record) for test in (keys.is_in_object, keys.is_ledger, keys.serial_of))
    for sort in (keys.HEAD, "V#000001577880000000", "L#role#1"):
        assert not keys.is_idempotency_record(Key("I#1", sort))
