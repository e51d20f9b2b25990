"""The budget of retries: what takes tokens, what gives them back, and what happens without any."""

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.store.engine.port import Key
from stratabase_aws.dynamodb.client import Rejected, Unanswered
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.retry import CAPACITY, DEFAULT_RETRY_POLICY, RetryBudget, RetryPolicy
from tests.aws.dynamodb.scripted import Answer, ScriptedClient
from tests.rows import each_row

KEY = Key("p", "1")
THROTTLED = Rejected("ThrottlingException", 400)
CONFLICT = Rejected("TransactionConflictException", 400)
FOUND: Answer = {"Item": {"pk": {"S": "p"}, "sk": {"S": "1"}}}


def engine_of(client: ScriptedClient, budget: RetryBudget) -> DynamoDBEngine:
    policy = RetryPolicy(max_attempts=5, sleep=lambda _: None, clock=lambda: 0.0, budget=budget)
    return DynamoDBEngine(client, "table", policy)


def tokens_of(budget: RetryBudget) -> int:
    """Take all tokens, and return their number."""
    return sum(budget.take(1) for _ in range(CAPACITY))


@each_row(
    ("failures", "left"),
    [
        ([], 101),
        ([THROTTLED], 100),
        ([THROTTLED, THROTTLED], 95),
        ([Rejected("InternalServerError", 500)], 100),
        ([Unanswered("timeout"), THROTTLED], 90),
        ([CONFLICT, CONFLICT, CONFLICT], 101),
    ],
)
def test_a_success_gives_back_what_its_last_retry_took(failures: list[Exception], left: int) -> None:
    budget = RetryBudget()
    budget.take(CAPACITY - 100)

    engine_of(ScriptedClient(*failures, FOUND), budget).get([KEY])

    assert tokens_of(budget) == left


def test_without_tokens_a_failure_is_not_retried() -> None:
    budget, client = RetryBudget(12), ScriptedClient(THROTTLED)
    engine = engine_of(client, budget)
    for _ in range(3):
        with pytest.raises(Unavailable, match="too busy") as refusal:
            engine.get([KEY])
        assert refusal.value.retry_after >= 1
    # The first request takes two retries, which is all. The others are sent once.
    assert len(client.asked) == 3 + 1 + 1


def test_a_conflict_is_retried_without_tokens() -> None:
    client = ScriptedClient(CONFLICT, CONFLICT, FOUND)
    assert engine_of(client, RetryBudget(0)).get([KEY]) != [None]


def test_successes_fill_the_budget_up_to_its_capacity() -> None:
    budget = RetryBudget(20)
    budget.take(3)
    engine = engine_of(ScriptedClient(FOUND), budget)
    for _ in range(9):
        engine.get([KEY])
    assert tokens_of(budget) == 20


def test_a_process_has_one_budget() -> None:
    one = DynamoDBEngine(ScriptedClient(FOUND), "objects")
    other = DynamoDBEngine(ScriptedClient(FOUND), "more objects")
    assert one._retrying._policy.budget is other._retrying._policy.budget is DEFAULT_RETRY_POLICY.budget
