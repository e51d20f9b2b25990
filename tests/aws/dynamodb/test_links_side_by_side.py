"""Links of several objects are read in parallel over a network."""

from collections.abc import Mapping
from threading import Barrier
from typing import Any

from stratabase.core.store.engine.parallel import ThreadedMap
from stratabase.core.store.repository import Repository
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.aws.dynamodb.table_operations import table
from tests.contract.engine.dynamodb import ministack_client
from tests.core.store.graphs import Objects, associated


class LockstepClient:
    """A client that answers queries only after a number of them have been sent."""

    def __init__(self, client: Client, number: int) -> None:
        self._client = client
        self._all_asked = Barrier(number, timeout=20)

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        if operation == "Query":
            self._all_asked.wait()
        return self._client.call(operation, parameters)

    def close(self) -> None:
        pass


def test_several_ranges_are_read_in_parallel() -> None:
    with table() as engine:
        objects = Objects(engine, associated("key and list"))
        objects.create("B", "b", "c")
        objects.create("A", "x", "y", to="b")
        objects.create("A", "z", to="c")
        threads = ThreadedMap(3)
        in_step = DynamoDBEngine(LockstepClient(ministack_client(), 3), engine.name)
        entities = Repository(in_step, objects.model, threads)
        found = entities.linked(objects.role("B", "of"), ["b", "c", "none"])
        threads.close()
    assert found == [("x", "y"), ("z",), ()]
