"""Faults between a client and DynamoDB, and clients that inject them."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import product
from threading import Lock
from typing import Any

import pytest

from stratabase_aws.dynamodb.client import Client, Rejected, Unanswered
from stratabase_aws.dynamodb.retry import RetryBudget, RetryPolicy

Call = Callable[[], Mapping[str, Any]]
Fault = Callable[[str, Call], Mapping[str, Any]]

HASTY = RetryPolicy(max_attempts=50, sleep=lambda _: None, budget=RetryBudget(10**9))
"""Many attempts without pauses."""


def none(_: str, call: Call) -> Mapping[str, Any]:
    """No fault."""
    return call()


def throttle(_: str, __: Call) -> Mapping[str, Any]:
    """The request exceeds the throughput."""
    raise Rejected("ProvisionedThroughputExceededException", 400)


def conflict(operation: str, _: Call) -> Mapping[str, Any]:
    """Another transaction uses the item."""
    if operation == "TransactWriteItems":
        reasons = [{"Code": "None"}, {"Code": "TransactionConflict"}]
        raise Rejected("TransactionCanceledException", 400, details={"CancellationReasons": reasons})
    raise Rejected("TransactionConflictException", 400)


def failure_before(_: str, __: Call) -> Mapping[str, Any]:
    """The server fails before it does anything."""
    raise Rejected("InternalServerError", 500)


def failure_after(_: str, call: Call) -> Mapping[str, Any]:
    """The server fails after it did everything."""
    with suppress(Rejected):
        call()
    raise Rejected("InternalServerError", 500)


def lost_request(_: str, __: Call) -> Mapping[str, Any]:
    """The request is lost."""
    raise Unanswered("lost on the way there")


def lost_answer(_: str, call: Call) -> Mapping[str, Any]:
    """The response is lost."""
    with suppress(Rejected):
        call()
    raise Unanswered("lost on the way back")


def duplicated(_: str, call: Call) -> Mapping[str, Any]:
    """The request arrives twice, and the client receives the second response."""
    with suppress(Rejected):
        call()
    return call()


FAULTS: tuple[Fault, ...] = (
    throttle,
    conflict,
    failure_before,
    failure_after,
    lost_request,
    lost_answer,
    duplicated,
)

DISTINCT: tuple[Fault, ...] = (throttle, lost_request, lost_answer, duplicated)
"""Faults that differ in what the server did, or in what the client knows of it.

Each other fault is like one of them in both: `conflict` like `throttle`, the failures like what is lost."""

PAIRS = [
    pytest.param(pair, marks=[] if pair[1] in {none, pair[0]} else pytest.mark.thorough)
    for pair in product(FAULTS, [none, *FAULTS])
]
"""Each fault alone, twice, and before each other one."""


class FaultyClient:
    """A client that injects a sequence of faults, one per call, and then none."""

    def __init__(self, client: Client, faults: Iterable[Fault]) -> None:
        self._client = client
        self._faults = iter(faults)

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        fault = next(self._faults, none)
        return fault(operation, lambda: self._client.call(operation, parameters))

    def close(self) -> None:
        pass


class RandomlyFaultyClient:
    """A client that injects a random fault into every other call."""

    def __init__(self, client: Client, seed: int, faults: Sequence[Fault] = FAULTS) -> None:
        self._client = client
        self._faults = [*faults, *[none] * len(faults)]
        self._random = random.Random(seed)
        self._lock = Lock()

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        with self._lock:
            fault = self._random.choice(self._faults)
        return fault(operation, lambda: self._client.call(operation, parameters))

    def close(self) -> None:
        pass
