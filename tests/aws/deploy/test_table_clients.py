"""The two clients of DynamoDB are compared on a table."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.settings import Settings
from stratabase_aws.app.platform import AwsPlatform
from stratabase_aws.deploy import table_clients
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
        client = AwsPlatform(found).dynamodb_client()
        ensure_table(client, found.table)
        mark = {"pk": {"S": "META"}, "sk": {"S": "mark"}, "text": {"S": "ü"}, "number": {"N": "1.50"}}
        client.call("PutItem", {"TableName": found.table, "Item": mark})
        client.close()
        yield found


def test_both_clients_agree_and_nothing_is_written(settings: Settings) -> None:
    said = check_table_clients(settings)
    assert said.startswith("the clients agree in 7 calls; the median of 20 reads: signed ")
    client = AwsPlatform(settings).dynamodb_client()
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

    class Platform(AwsPlatform):
        def dynamodb_client(self) -> Any:
            client = super().dynamodb_client()
            return Differing(client) if self._settings.aws_client == "signed" else client

    monkeypatch.setattr(table_clients, "AwsPlatform", Platform)
    with pytest.raises(CheckFailed, match=r"the clients differ in .*signed: \{'Count': 7\}"):
        check_table_clients(settings)


def test_an_unreachable_table_is_a_failed_check(settings: Settings) -> None:
    with pytest.raises(CheckFailed, match="no response to GetItem"):
        check_table_clients(replace(settings, endpoint="http://127.0.0.1:9"))


def test_the_template_uses_the_client_that_many_deployments_have_proven() -> None:
    assert read_template_file()["Parameters"]["AwsClient"]["Default"] == "botocore"
