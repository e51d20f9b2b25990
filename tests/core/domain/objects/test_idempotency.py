"""The rules of idempotency records."""

import pytest

from stratabase.core.domain.objects.idempotency import (
    IdempotencyKeyReused,
    IdempotencyRecord,
    field_step,
    object_step,
    objects_done,
    records_of_request,
    scope_of,
)


def record(step: str = "0", fingerprint: str = "one", expires: int = 100) -> IdempotencyRecord:
    return IdempotencyRecord("scope", step, fingerprint, expires)


def test_a_key_belongs_to_a_member_and_an_application() -> None:
    scopes = {
        scope_of(*each) for each in [("Hr", "m", "k"), ("Hr", "mk", ""), ("Hr", "m2", "k"), ("H", "r", "k")]
    }
    assert len(scopes) == 4
    assert scope_of("Hr", "m", "k") == scope_of("Hr", "m", "k")


def test_records_of_the_same_request_are_by_step() -> None:
    assert records_of_request([record("0"), record("1")], "one", 99) == {"0": record("0"), "1": record("1")}


def test_a_record_counts_until_the_instant_of_its_end() -> None:
    assert records_of_request([record(expires=100)], "one", 99)
    assert not records_of_request([record(expires=100)], "one", 100)


def test_another_request_is_refused_until_all_records_are_expired() -> None:
    both = [record("0", expires=100), record("1", expires=200)]
    with pytest.raises(IdempotencyKeyReused, match="another request within the last 24 hours"):
        records_of_request(both, "other", 150)
    assert records_of_request(both, "other", 200) == {}


def test_objects_of_a_bulk_field_are_steps_of_that_field() -> None:
    steps = [field_step(1), object_step(1, "a#1"), object_step(11, "b"), object_step(1, "c")]
    assert objects_done(1, steps) == ["a#1", "c"]
