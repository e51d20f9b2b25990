"""DynamoDB engines over the emulators, each on a table of its own that goes when the engine is closed."""

from functools import cache
from itertools import count

from moto import mock_aws

from stratabase.aws import AwsEndpoint, Credentials
from stratabase.store.dynamodb.client import Client
from stratabase.store.dynamodb.engine import DynamoDBEngine
from stratabase.store.dynamodb.signed_client import SignedClient
from stratabase.store.dynamodb.table import table_definition
from tests import ministack
from tests.boto_client import BotoClient

_numbers = count(1)


class TemporaryTable(DynamoDBEngine):
    """An engine that makes its table and takes it away. The client is shared: to make one takes long."""

    def __init__(self, client: Client) -> None:
        self.name = f"store{next(_numbers)}"
        client.call("CreateTable", table_definition(self.name))
        super().__init__(client, self.name)

    def close(self) -> None:
        self._client.call("DeleteTable", {"TableName": self.name})


class MotoTable(TemporaryTable):
    """An engine in an AWS that is mocked in this process, as long as the engine is open."""

    def __init__(self) -> None:
        self._mock = mock_aws()
        self._mock.start()
        super().__init__(_moto_client())

    def close(self) -> None:
        super().close()
        self._mock.stop()


@cache
def _moto_client() -> Client:
    return BotoClient(AwsEndpoint("us-east-1", credentials=Credentials("test", "test")))


@cache
def ministack_client() -> Client:
    """Return a client of the emulator that bears threads."""
    return SignedClient(ministack.endpoint())


def over_ministack() -> TemporaryTable:
    """Return an engine over the emulator that bears threads."""
    return TemporaryTable(ministack_client())
