"""Compares the two clients of DynamoDB on the table of a deployed instance. Nothing is written."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from statistics import median
from typing import Any
from uuid import uuid4

from stratabase.core.app.platform import platform_of
from stratabase.core.setting_values import AWS_CLIENTS
from stratabase.core.settings import Settings
from stratabase_aws.app.platform import DynamoDBPlatform
from stratabase_aws.deploy.smoke import CheckFailed
from stratabase_aws.dynamodb.client import Client, Rejected, Unanswered

_TIMED_CALLS = 20
_LARGE = "ü" * 100_000
"""A text that makes a request of 200 KB, which must be signed, too."""


def check_table_clients(settings: Settings) -> str:
    """Check that both clients get the same responses from the table, and return how long each took.

    Raises CheckFailed.
    """
    if not isinstance(platform_of(settings), DynamoDBPlatform):
        raise CheckFailed("the instance has no table in DynamoDB.")
    clients = {
        name: DynamoDBPlatform(replace(settings, aws_client=name)).dynamodb_client() for name in AWS_CLIENTS
    }
    try:
        calls = list(_calls(settings.table))
        for title, operation, parameters in calls:
            responses = {name: _response(client, operation, parameters) for name, client in clients.items()}
            first, *others = responses.values()
            if any(other != first for other in others):
                shown = "; ".join(f"{name}: {str(found)[:200]}" for name, found in responses.items())
                raise CheckFailed(f"the clients differ in {title}: {shown}.")
        _title, operation, parameters = calls[0]
        times = {name: _milliseconds(client, operation, parameters) for name, client in clients.items()}
    finally:
        for client in clients.values():
            client.close()
    shown = ", ".join(f"{name} {milliseconds:.1f} ms" for name, milliseconds in times.items())
    return f"the clients agree in {len(calls)} calls; the median of {_TIMED_CALLS} reads: {shown}"


def _calls(table: str) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield calls that write nothing, because no condition of theirs holds."""
    key = {"pk": {"S": "META"}, "sk": {"S": "mark"}}
    missing = {"pk": {"S": f"SMOKE#{uuid4()}"}, "sk": {"S": "ü € 𝄞"}}
    exists = {"ConditionExpression": "attribute_exists(pk)"}
    item = {**missing, "text": {"S": _LARGE}}
    yield "a read", "GetItem", {"TableName": table, "Key": key, "ConsistentRead": True}
    yield "a read of what does not exist", "GetItem", {"TableName": table, "Key": missing}
    yield (
        "a read of several keys",
        "BatchGetItem",
        {"RequestItems": {table: {"Keys": [key, missing], "ConsistentRead": True}}},
    )
    yield (
        "a query",
        "Query",
        {
            "TableName": table,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": "META"}},
            "Limit": 20,
        },
    )
    yield "a refused write", "PutItem", {"TableName": table, "Item": item, **exists}
    put = {"Put": {"TableName": table, "Item": item, **exists}}
    check = {"ConditionCheck": {"TableName": table, "Key": {**missing, "sk": {"S": "other"}}, **exists}}
    yield "a cancelled transaction", "TransactWriteItems", {"TransactItems": [put, check]}
    yield "an invalid request", "Query", {"TableName": table, "KeyConditionExpression": "pk = :missing"}


def _response(client: Client, operation: str, parameters: Mapping[str, Any]) -> object:
    """Return the response, without what differs from request to request."""
    try:
        response = client.call(operation, parameters)
    except Rejected as error:
        return error.code, error.status, error.found, [each.get("Code") for each in error.reasons]
    except Unanswered as error:
        raise CheckFailed(f"no response to {operation}: {error}.") from error
    return {
        name: value for name, value in response.items() if name in {"Item", "Items", "Count", "Responses"}
    }


def _milliseconds(client: Client, operation: str, parameters: Mapping[str, Any]) -> float:
    def timed() -> float:
        began = time.perf_counter()
        _response(client, operation, parameters)
        return (time.perf_counter() - began) * 1000

    return median(timed() for _ in range(_TIMED_CALLS))
