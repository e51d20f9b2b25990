"""Retries: how often and how long, and the final error."""

from collections.abc import Callable
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.request_log import record_usage
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Batch,
    Check,
    DeleteItem,
    Engine,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.waiting import deadline_after
from stratabase_aws.dynamodb.client import Rejected, Unanswered
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.retry import RetryPolicy
from tests.aws.dynamodb.scripted import Answer, ScriptedClient
from tests.contract.engine.engine_calls import commit
from tests.rows import each_row

KEY = Key("p", "1")
RECORD = {"pk": {"S": "p"}, "sk": {"S": "1"}}
FOUND: dict[str, Any] = {"Item": RECORD}
THROTTLED = Rejected("ThrottlingException", 400, "Rate exceeded")


class Clock:
    """A clock that only pauses move; it remembers them."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def now(self) -> float:
        return sum(self.pauses)

    def patience(self, attempts: int = 12, seconds: float = 8.0) -> RetryPolicy:
        return RetryPolicy(attempts, seconds, sleep=self.pauses.append, clock=self.now)


def read(engine: Engine) -> None:
    engine.get([KEY])


def read_several(engine: Engine) -> None:
    engine.get([KEY, Key("p", "2")])


def walk(engine: Engine) -> None:
    list(engine.range("items", "p"))


def write(engine: Engine) -> None:
    commit(engine, Put(Item(KEY), NOT_EXISTS))


def write_several(engine: Engine) -> None:
    commit(engine, Put(Item(KEY), NOT_EXISTS), DeleteItem(Key("p", "2")))


EACH_DEED = pytest.mark.parametrize("operation", [read, read_several, walk, write, write_several])


@EACH_DEED
@each_row("trouble", [THROTTLED, Rejected("InternalServerError", 500), Unanswered("reset")])
def test_a_request_is_sent_as_often_as_the_policy_allows(
    operation: Callable[[Engine], None], trouble: Exception
) -> None:
    clock, client = Clock(), ScriptedClient(trouble)
    with pytest.raises(Unavailable) as refusal:
        operation(DynamoDBEngine(client, "table", clock.patience(attempts=5)))
    assert len(client.asked) == 5
    assert len(clock.pauses) == 4
    assert refusal.value.__cause__ is trouble


@EACH_DEED
def test_a_request_is_sent_for_as_long_as_the_policy_allows(operation: Callable[[Engine], None]) -> None:
    clock, client = Clock(), ScriptedClient(THROTTLED)
    with pytest.raises(Unavailable):
        operation(DynamoDBEngine(client, "table", clock.patience(attempts=10_000, seconds=3.0)))
    assert clock.now() <= 3.0
    assert len(client.asked) > 3


def test_pauses_are_random_with_an_exponential_limit() -> None:
    clock, client = Clock(), ScriptedClient(THROTTLED)
    with pytest.raises(Unavailable):
        read(DynamoDBEngine(client, "table", clock.patience(seconds=1000)))
    limits = [min(1.0, 0.02 * 2**number) for number in range(len(clock.pauses))]
    assert all(0 <= pause <= limit for pause, limit in zip(clock.pauses, limits, strict=True))
    assert len(set(clock.pauses)) == len(clock.pauses)


@EACH_DEED
def test_no_attempt_begins_after_the_deadline(operation: Callable[[Engine], None]) -> None:
    clock, client = Clock(), ScriptedClient(THROTTLED)
    engine = DynamoDBEngine(client, "table", clock.patience(attempts=10_000, seconds=30.0))
    with deadline_after(2.0, clock.now), pytest.raises(Unavailable, match="too busy"):
        operation(engine)
    assert 1 < clock.now() <= 2.0
    with deadline_after(0, clock.now), pytest.raises(Unavailable):
        operation(engine)
    assert clock.now() <= 2.0


UNKNOWN = (
    "The store did not respond, so the data might not have been saved. Check the data before you try again."
)


@each_row(
    ("trouble", "text"),
    [
        (THROTTLED, "The store is too busy. Try again."),
        (Unanswered("reset"), UNKNOWN),
        (Rejected("InternalServerError", 500), UNKNOWN),
    ],
)
def test_the_error_says_whether_something_may_have_been_written(trouble: Exception, text: str) -> None:
    with pytest.raises(Unavailable) as refusal:
        write(DynamoDBEngine(ScriptedClient(trouble), "table", Clock().patience()))
    assert str(refusal.value) == text


def test_a_failed_read_does_not_say_that_it_may_have_written() -> None:
    with pytest.raises(Unavailable, match="too busy"):
        read(DynamoDBEngine(ScriptedClient(Unanswered("reset")), "table", Clock().patience()))


def left_out(*names: str) -> dict[str, Any]:
    keys = [{"pk": {"S": "p"}, "sk": {"S": name}} for name in names]
    return {"table": {"Keys": keys, "ConsistentRead": True}} if keys else {}


def answer(found: str, *left: str) -> Answer:
    records = [{"pk": {"S": "p"}, "sk": {"S": name}} for name in found]
    return {"Responses": {"table": records}, "UnprocessedKeys": left_out(*left)}


def test_items_missing_from_a_response_are_requested_again() -> None:
    clock = Clock()
    client = ScriptedClient(answer("a", "b", "c"), answer("", "b", "c"), answer("b", "c"), answer("c"))
    engine = DynamoDBEngine(client, "table", clock.patience())
    keys = [Key("p", name) for name in "abc"]
    assert engine.get(keys) == [Item(key) for key in keys]
    asked_again = [parameters["RequestItems"] for _, parameters in client.asked[1:]]
    assert asked_again == [left_out("b", "c"), left_out("b", "c"), left_out("c")]
    assert len(clock.pauses) == 3


def test_a_read_continues_while_responses_contain_items() -> None:
    names = "abcdefgh"
    answers = [answer(name, *names[at + 1 :]) for at, name in enumerate(names)]
    engine = DynamoDBEngine(ScriptedClient(*answers), "table", Clock().patience(attempts=2))
    keys = [Key("p", name) for name in names]
    assert engine.get(keys) == [Item(key) for key in keys]


def test_items_missing_from_every_response_are_unavailable() -> None:
    client = ScriptedClient(answer("", "a", "b"))
    with pytest.raises(Unavailable):
        read_several(DynamoDBEngine(client, "table", Clock().patience(attempts=4)))
    assert len(client.asked) == 4


@EACH_DEED
@each_row("code", ["ResourceNotFoundException", "AccessDeniedException", "NoCredentialsError"])
def test_a_permanent_error_is_raised_immediately(operation: Callable[[Engine], None], code: str) -> None:
    client = ScriptedClient(Rejected(code, 400, "arn:aws:secret"))
    with pytest.raises(Unavailable) as refusal:
        operation(DynamoDBEngine(client, "table"))
    assert len(client.asked) == 1
    assert str(refusal.value) == "The store is temporarily unavailable. Try again later."


@EACH_DEED
def test_a_request_that_dynamodb_rejects_is_a_caller_error(operation: Callable[[Engine], None]) -> None:
    client = ScriptedClient(Rejected("ValidationException", 400, "Item size has exceeded the maximum"))
    with pytest.raises(ValueError, match="The store cannot do this: Item size has exceeded the maximum"):
        operation(DynamoDBEngine(client, "table"))
    assert len(client.asked) == 1


def test_a_reused_batch_id_is_a_caller_error() -> None:
    client = ScriptedClient(Rejected("IdempotentParameterMismatchException", 400, "token already in use"))
    with pytest.raises(ValueError, match="token already in use"):
        DynamoDBEngine(client, "table").commit(Batch("id", (Patch(KEY, add={"n": 1}),)))


def test_an_error_of_one_of_several_actions_names_it() -> None:
    reasons = [{"Code": "None"}, {"Code": "ValidationError", "Message": "wrong type"}]
    cancelled = Rejected("TransactionCanceledException", 400, details={"CancellationReasons": reasons})
    client = ScriptedClient(cancelled)
    with pytest.raises(ValueError, match=r"Update of \('p', '2'\) that adds to n: wrong type$"):
        commit(DynamoDBEngine(client, "table"), Check(KEY, NOT_EXISTS), Patch(Key("p", "2"), add={"n": 1}))


@each_row("number", [10**38 + 1, -(10**38 + 1)])
def test_a_number_that_would_be_rounded_is_a_caller_error(number: int) -> None:
    client = ScriptedClient({})
    with pytest.raises(ValueError, match="38 digits"):
        commit(DynamoDBEngine(client, "table"), Put(Item(KEY, {"n": number})))
    assert not client.asked


def test_the_usage_of_a_request_has_its_units_and_retries() -> None:
    conflict = Rejected("TransactionConflictException", 400)
    read_answer = {**FOUND, "ConsumedCapacity": {"TableName": "table", "CapacityUnits": 1.0}}
    client = ScriptedClient(THROTTLED, read_answer)
    with record_usage() as usage:
        read(DynamoDBEngine(client, "table", Clock().patience()))
        written = {"ConsumedCapacity": [{"CapacityUnits": 4.0}]}
        write_several(DynamoDBEngine(ScriptedClient(conflict, written), "table", Clock().patience()))
    assert (usage.read_units, usage.write_units) == (1, 4)
    assert (usage.retries, usage.conflicts) == (2, 1)
    assert [parameters["ReturnConsumedCapacity"] for _, parameters in client.asked] == ["TOTAL", "TOTAL"]


def test_capacity_is_requested_only_if_usage_is_recorded() -> None:
    client = ScriptedClient(FOUND)
    read(DynamoDBEngine(client, "table", Clock().patience()))
    assert "ReturnConsumedCapacity" not in client.asked[0][1]
