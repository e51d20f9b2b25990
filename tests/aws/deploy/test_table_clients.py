"""The two clients of DynamoDB are compared on a table."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.settings import Settings
from stratabase_aws.app.platform import DynamoDBPlatform
from stratabase_aws.deploy.smoke import CheckFailed
from stratabase_aws.deploy.table_clients import check_table_clients
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.table import ensure_table
from tests.ministack import endpoint
from tests.transformed_template import read_template_file


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        found = Settings(store="dynamodb", endpoint=endpoint().url, table="compared")
        client = DynamoDBPlatform(found).dynamodb_client()
        ensure_table(client, found.table)
        mark = {"pk": {"S": "META"}, "sk": {"S": "mark"}, "text": {"S": "ü"}, "number": {"N": "1.50"}}
        client.call("PutItem", {"TableName": found.table, "Item": mark})
        client.close()
        yield found


def test_both_clients_agree_and_nothing_is_written(settings: Settings) -> None:
    said = check_table_clients(settings)
    assert said.startswith("the clients agree in 7 calls; the median of 20 reads: signed ")
    client = DynamoDBPlatform(settings).dynamodb_client()
    assert client.call("Scan", {"TableName": settings.table})["Count"] == 1
    client.close()


@pytest.mark.parametrize("operation", ["GetItem", "Query", "TransactWriteItems"])
def test_a_client_that_differs_is_named(
    operation: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Differing:
        def __init__(self, client: Client) -> None:
            self._client = client
            self.close = client.close

        def call(self, called: str, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
            return {"Count": 7} if called == operation else self._client.call(called, parameters)

    original = DynamoDBPlatform.dynamodb_client
    opened: list[Client] = []

    def dynamodb_client(platform: DynamoDBPlatform) -> Any:
        opened.append(original(platform))
        return Differing(opened[0]) if len(opened) == 1 else opened[-1]

    monkeypatch.setattr(DynamoDBPlatform, "dynamodb_client", dynamodb_client)
    with pytest.raises(CheckFailed, match=r"the clients differ in .*signed: \{'Count': 7\}"):
        check_table_clients(settings)


def test_an_unreachable_table_is_a_failed_check(settings: Settings) -> None:
    with pytest.raises(CheckFailed, match="no response to GetItem"):
        check_table_clients(replace(settings, endpoint="http://127.0.0.1:9"))


def test_the_template_uses_the_client_that_many_deployments_have_proven() -> None:
    assert read_template_file()["Parameters"]["AwsClient"]["Default"] == "botocore"
