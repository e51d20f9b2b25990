"""The units of the calls to DynamoDB that the measurement of costs records."""

import json
from typing import Any

from benchmarks.costs.recorder import AwsCall, _call, round_trips
from tests.rows import each_row

NAME = {"S": "x" * 98}


def recorded(operation: str, request: Any, response: Any) -> AwsCall:
    bodies = (json.dumps(request).encode(), json.dumps(response).encode())
    return _call(f"DynamoDB_20120810.{operation}", "POST", *bodies, (0, 1))


@each_row(("size", "consistent", "units"), [(1, True, 1), (1, False, 0.5), (4096, True, 1), (4097, True, 2)])
def test_a_get_costs_a_unit_for_each_4_kilobytes(size: int, units: float, *, consistent: bool) -> None:
    item = {"a": {"S": "x" * (size - 1)}}
    call = recorded("GetItem", {"ConsistentRead": consistent}, {"Item": item})
    assert (call.name, call.read_units, call.write_units) == ("dynamodb:GetItem", units, 0)


def test_a_missing_item_costs_a_unit() -> None:
    assert recorded("GetItem", {"ConsistentRead": True}, {}).read_units == 1


def test_a_query_costs_the_size_of_its_items_together() -> None:
    items = [{"id": NAME}] * 50  # of 100 bytes each
    assert recorded("Query", {}, {"Items": items}).read_units == 1
    assert recorded("Query", {}, {"Items": []}).read_units == 0.5


def test_a_batch_costs_a_unit_for_each_key() -> None:
    wanted = {"t": {"Keys": [{"id": {"S": str(n)}} for n in range(10)], "ConsistentRead": True}}
    found = {"t": [{"id": NAME}] * 9}
    assert recorded("BatchGetItem", {"RequestItems": wanted}, {"Responses": found}).read_units == 10


def test_a_transaction_costs_what_dynamodb_reports() -> None:
    capacity = [{"TableName": "t", "CapacityUnits": 4.0}, {"TableName": "u", "CapacityUnits": 1.0}]
    call = recorded("TransactWriteItems", {"TransactItems": []}, {"ConsumedCapacity": capacity})
    assert (call.read_units, call.write_units) == (0, 5)


def test_a_list_is_measured_with_its_parts() -> None:
    item: dict[str, Any] = {
        "l": {"L": [{"N": "123"}, {"BOOL": True}]},
        "m": {"M": {"a": {"NULL": True}}},
        "b": {"B": "AAAA"},
    }
    # 1 + 3 + (1 + 3) + (1 + 1), 1 + 3 + 1 + 1 + 1, and 1 + 3 bytes
    for length, units in ((4096 - 10 - 7 - 4 - 1, 1), (4096 - 10 - 7 - 4, 2)):
        padded = {**item, "p": {"S": "x" * length}}
        assert recorded("GetItem", {"ConsistentRead": True}, {"Item": padded}).read_units == units


def test_calls_that_overlap_are_one_round_trip() -> None:
    intervals = [(0, 1), (1.5, 3), (1.6, 2), (1.7, 4), (4, 5)]
    assert round_trips([AwsCall("x", began, ended) for began, ended in intervals]) == 3
    assert round_trips([]) == 0
