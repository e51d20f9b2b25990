"""The CPU time of the DynamoDB engine with each of its clients, compared with a bare request."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.table import Figure, print_table
from stratabase.core.store.engine.port import NOT_EXISTS, Batch, IndexKey, Item, Key, Patch, Put
from stratabase_aws.commands.emulator import emulator
from stratabase_aws.dynamodb.botocore_client import BotocoreClient
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.signed_client import SignedClient
from stratabase_aws.dynamodb.table import ensure_table
from stratabase_aws.endpoint import AwsEndpoint, Credentials

TABLE = "clients"
OBJECTS = 100
REPEATS = 300


def main(_: Path) -> None:
    """Measure a get, a page of 50, a create and a transaction of two items with an emulator."""
    with emulator() as address:
        endpoint = AwsEndpoint("us-east-1", address, Credentials("local", "local"))
        clients: dict[str, Client] = {"botocore": BotocoreClient(endpoint), "signed": SignedClient(endpoint)}
        for name, client in clients.items():
            ensure_table(client, TABLE)
            print_table(f"CPU of the DynamoDB engine over its client {name}", list(_figures(client)))
            client.close()


def _figures(client: Client) -> Iterator[Figure]:
    engine = DynamoDBEngine(client, TABLE)
    engine.commit(Batch("fill", tuple(Put(_item(number)) for number in range(OBJECTS))))
    raw = {"TableName": TABLE, "Key": {"pk": {"S": "Thing#7"}, "sk": {"S": "V#~"}}, "ConsistentRead": True}
    yield _figure("the bare GetItem", lambda _: client.call("GetItem", raw))
    yield _figure("get", lambda _: engine.get([Key("Thing#7", "V#~")]))
    yield _figure("page of 50", lambda _: next(iter(engine.range("index1", "Thing", limit=50))))
    yield _figure("conditional create", lambda number: engine.commit(_creation(client, number)))
    yield _figure("transaction of two", lambda number: engine.commit(_transaction(client, number)))


def _figure(name: str, work: Callable[[int], object]) -> Figure:
    for number in range(REPEATS // 10):
        work(-number)
    began = time.process_time()
    for number in range(1, REPEATS + 1):
        work(number)
    return Figure(name, (time.process_time() - began) / REPEATS * 1000, "ms")


def _item(number: int, partition: str = "Thing") -> Item:
    key = Key(f"{partition}#{number}", "V#~")
    state = f'{{"name":"name {number}","notes":"{"n" * 400}"}}'
    return Item(key, {"commitIds": [f"c{number}"]}, state, {"index1": IndexKey(partition, f"{number:04}")})


def _creation(client: Client, number: int) -> Batch:
    item = _item(number, f"One{type(client).__name__}")
    return Batch(f"{item.key.partition}", (Put(item, NOT_EXISTS),))


def _transaction(client: Client, number: int) -> Batch:
    item = _item(number, f"Two{type(client).__name__}")
    patch = Patch(Key("Thing#1", "V#~"), set={"commitIds": [item.key.partition]})
    return Batch(item.key.partition, (Put(item, NOT_EXISTS), patch))
