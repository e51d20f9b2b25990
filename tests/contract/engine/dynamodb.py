"""DynamoDB engines over the emulators. Each has its own table, which is deleted when the engine closes."""

from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from itertools import count
from typing import Any

from moto import mock_aws

from stratabase_aws.dynamodb.botocore_client import BotocoreClient
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.signed_client import SignedClient
from stratabase_aws.dynamodb.table import table_definition
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from tests import ministack

_numbers = count(1)


class NamespacedTokens:
    """A client whose request tokens are unique per table, so that batches of other tables may share IDs."""

    def __init__(self, client: Client, table_name: str) -> None:
        self._client = client
        self._table_name = table_name

    def call(self, operation: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
        if _TOKEN in parameters:
            own = sha256(f"{parameters[_TOKEN]} {self._table_name}".encode()).hexdigest()[:36]
            parameters = {**parameters, _TOKEN: own}
        return self._client.call(operation, parameters)

    def close(self) -> None:
        pass


_TOKEN = "ClientRequestToken"


class TemporaryTable(DynamoDBEngine):
    """An engine that creates and deletes its own table. The client is shared: creating one is slow."""

    def __init__(self, client: Client) -> None:
        self.name = f"store{next(_numbers)}"
        client.call("CreateTable", table_definition(self.name))
        super().__init__(NamespacedTokens(client, self.name), self.name)

    def close(self) -> None:
        self._client.call("DeleteTable", {"TableName": self.name})


class MotoTable(TemporaryTable):
    """An engine over AWS mocked in this process while the engine is open."""

    def __init__(self) -> None:
        self._mock = mock_aws()
        self._mock.start()
        super().__init__(_moto_client())

    def close(self) -> None:
        super().close()
        self._mock.stop()


@cache
def _moto_client() -> Client:
    return BotocoreClient(AwsEndpoint("us-east-1", credentials=Credentials("test", "test")))


@cache
def ministack_client() -> Client:
    """Return a client of the multithreaded emulator."""
    return SignedClient(ministack.endpoint())


def over_ministack() -> TemporaryTable:
    """Return an engine over the multithreaded emulator."""
    return TemporaryTable(ministack_client())
