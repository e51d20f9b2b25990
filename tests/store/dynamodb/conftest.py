"""A table in the multithreaded emulator, with engines over any client."""

from collections.abc import Callable, Iterator

import pytest

from stratabase.store.dynamodb.client import Client
from stratabase.store.dynamodb.engine import DynamoDBEngine
from stratabase.store.dynamodb.retry import RetryPolicy
from stratabase.store.engine.port import Engine
from tests.contract.engine.dynamodb import TemporaryTable, ministack_client, over_ministack
from tests.store.dynamodb.faults import HASTY

Over = Callable[[Client], Engine]
"""Makes another engine of the same table, over another client."""


@pytest.fixture
def engine() -> Iterator[TemporaryTable]:
    """An empty engine with which nothing goes wrong."""
    engine = over_ministack()
    yield engine
    engine.close()


@pytest.fixture
def client(engine: TemporaryTable) -> Client:
    """The client to which things may be made to happen."""
    return ministack_client()


@pytest.fixture
def over(engine: TemporaryTable) -> Callable[..., Engine]:
    """Return another engine of the same table, with another client."""

    def make(client: Client, patience: RetryPolicy = HASTY) -> Engine:
        return DynamoDBEngine(client, engine.name, patience)

    return make
