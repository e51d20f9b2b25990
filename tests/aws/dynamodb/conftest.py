"""A table in the multithreaded emulator, with engines over any client."""

from collections.abc import Callable, Iterator

import pytest

from stratabase.core.store.engine.port import Engine
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.retry import RetryPolicy
from tests.aws.dynamodb.faults import HASTY
from tests.contract.engine.dynamodb import TemporaryTable, ministack_client, over_ministack

Over = Callable[[Client], Engine]
"""Makes another engine of the same table, over another client."""


@pytest.fixture
def engine() -> Iterator[TemporaryTable]:
    """An empty engine without faults."""
    engine = over_ministack()
    yield engine
    engine.close()


@pytest.fixture
def client(engine: TemporaryTable) -> Client:
    """The client that tests can disturb."""
    return ministack_client()


@pytest.fixture
def over(engine: TemporaryTable) -> Callable[..., Engine]:
    """Return a function that opens another engine of the same table over another client."""

    def make(client: Client, patience: RetryPolicy = HASTY) -> Engine:
        return DynamoDBEngine(client, engine.name, patience)

    return make
