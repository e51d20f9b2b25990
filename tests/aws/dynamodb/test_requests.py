"""The engine sends the cheapest sufficient request to DynamoDB."""

from collections.abc import Sequence
from typing import Any

import pytest

from stratabase.core.store.engine.port import (
    EXISTS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Batch,
    Bounds,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.aws.dynamodb.scripted import ScriptedClient, WatchedClient
from tests.contract.engine.dynamodb import TemporaryTable, ministack_client
from tests.contract.engine.engine_calls import commit, put
from tests.rows import each_row

KEY, OTHER = Key("p", "1"), Key("p", "2")
RECORD = {"pk": {"S": "p"}, "sk": {"S": "1"}}


def engine_of(client: ScriptedClient) -> DynamoDBEngine:
    return DynamoDBEngine(client, "table")


@each_row(
    ("actions", "operation"),
    [
        ((Put(Item(KEY)),), "PutItem"),
        ((Put(Item(KEY), NOT_EXISTS),), "PutItem"),
        ((Patch(KEY, set={"a": 1}),), "UpdateItem"),
        ((DeleteItem(KEY),), "DeleteItem"),
        ((Put(Item(KEY)), Check(OTHER, NO_EXPECTATION)), "PutItem"),
        ((Put(Item(KEY)), Check(OTHER, EXISTS)), "TransactWriteItems"),
        ((Put(Item(KEY)), DeleteItem(OTHER)), "TransactWriteItems"),
        ((Check(KEY, EXISTS),), "TransactWriteItems"),
        # It must not be done twice, and only a transaction has a token that sees to it.
        ((Patch(KEY, add={"a": 1}),), "TransactWriteItems"),
        # Nothing would tell who did it.
        ((DeleteItem(KEY, EXISTS),), "TransactWriteItems"),
    ],
)
def test_one_write_is_a_single_request_and_several_are_a_transaction(
    actions: tuple[Action, ...], operation: str
) -> None:
    client = ScriptedClient({})
    commit(engine_of(client), *actions)
    assert client.operations == [operation]


def test_a_call_with_nothing_to_do_sends_no_request() -> None:
    client = ScriptedClient({})
    commit(engine_of(client))
    commit(engine_of(client), Check(KEY, NO_EXPECTATION))
    assert engine_of(client).get([]) == []
    assert [*engine_of(client).range("items", "p", limit=0)] == []
    assert [*engine_of(client).range("items", "p", Bounds("b", "a"))] == []
    assert [*engine_of(client).range("items", "p", Bounds(high=""))] == []
    assert client.asked == []


def test_each_attempt_of_a_batch_has_its_own_token() -> None:
    client = ScriptedClient({})
    actions = (Put(Item(KEY)), Put(Item(OTHER)))
    for id_, attempt in (("one", 0), ("one", 0), ("one", 1), ("one1", 0), ("x" * 100, 0)):
        engine_of(client).commit(Batch(id_, actions, attempt))
    first, again, *others = (parameters["ClientRequestToken"] for _, parameters in client.asked)
    assert first == again
    assert len({first, *others}) == 4
    assert max(map(len, {first, *others})) <= 36


def test_one_key_takes_get_item_and_many_keys_take_batches_of_a_hundred() -> None:
    client = ScriptedClient({"Item": RECORD})
    assert engine_of(client).get([KEY]) == [Item(KEY)]
    assert client.asked == [("GetItem", {"TableName": "table", "Key": RECORD, "ConsistentRead": True})]

    client = ScriptedClient({"Responses": {"table": [RECORD]}})
    keys = [*(Key("p", str(number)) for number in range(101)), KEY]
    assert engine_of(client).get(keys)[-1] == Item(KEY)
    sizes = [len(parameters["RequestItems"]["table"]["Keys"]) for _, parameters in client.asked]
    assert sizes == [100, 1]
    assert all(parameters["RequestItems"]["table"]["ConsistentRead"] for _, parameters in client.asked)


def test_a_range_asks_for_its_limit_and_for_consistent_reads_of_the_table_only() -> None:
    client = ScriptedClient({"Items": []})
    for index in ("items", "index3"):
        assert [*engine_of(client).range(index, "p", limit=51)] == []
    (_, items), (_, index3) = client.asked
    assert items["Limit"] == index3["Limit"] == 51
    assert items["ConsistentRead"] is True
    assert "IndexName" not in items
    assert index3["IndexName"] == "index3"
    assert "ConsistentRead" not in index3


def test_an_inexact_range_requests_an_eventually_consistent_read() -> None:
    client = ScriptedClient({"Items": []})
    assert [*engine_of(client).range("items", "p", exact=False)] == []
    ((_, asked),) = client.asked
    assert asked["ConsistentRead"] is False


def test_a_range_that_is_abandoned_sends_no_further_request() -> None:
    client = ScriptedClient({"Items": [RECORD], "LastEvaluatedKey": RECORD})
    pages = engine_of(client).range("items", "p")
    assert client.asked == []
    assert next(pages) == [Item(KEY)]
    assert len(client.asked) == 1


def test_a_page_without_items_of_the_range_does_not_end_the_range() -> None:
    """An end that does not belong to it is left out of what DynamoDB gives."""
    last = {"pk": {"S": "p"}, "sk": {"S": "9"}}
    client = ScriptedClient({"Items": [last], "LastEvaluatedKey": last}, {"Items": [RECORD]})
    pages = engine_of(client).range("items", "p", Bounds("1", "9", high_included=False), backward=True)
    assert [*pages] == [[Item(KEY)]]
    assert client.operations == ["Query", "Query"]


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("low", [None, "a"])
@pytest.mark.parametrize("high", [None, "d"])
def test_a_page_after_a_cursor_takes_one_query(
    engine: TemporaryTable, low: str, high: str, backward: bool
) -> None:
    put(engine, [Item(Key("p", sort), places={"index1": IndexKey("all", sort)}) for sort in "abcd"])
    watched = WatchedClient(ministack_client())
    bounds = Bounds(low, high, low_included=False, high_included=False)
    expected = [sort for sort in "abcd" if sort not in {low, high}]
    wanted = (expected[::-1] if backward else expected)[:2]
    for index, partition in (("items", "p"), ("index1", "all")):
        again = DynamoDBEngine(watched, engine.name)
        pages = again.range(index, partition, bounds, backward=backward, limit=2)
        found = [item.key.sort for page in pages for item in page]
        assert found == wanted
    assert watched.operations == ["Query", "Query"]


def test_a_value_without_an_order_is_not_compared_by_order() -> None:
    """DynamoDB would refuse the whole request."""
    values: Sequence[Any] = (None, True, ["a"], 1, "a")
    expressions = []
    for value in values:
        client = ScriptedClient({})
        expect = Expectation(conditions=(Condition("a", ConditionOperator.AT_MOST, value),))
        commit(engine_of(client), Put(Item(KEY), expect))
        ((_, parameters),) = client.asked
        expressions.append(parameters["ConditionExpression"])
    assert ["<=" in expression for expression in expressions] == [False, False, False, True, True]


def test_closing_the_engine_closes_the_client() -> None:
    client = ScriptedClient({})
    engine_of(client).close()
    assert client.closed
