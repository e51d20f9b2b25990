"""The table of members: retries, and refusals that reveal nothing about the table."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import orjson
import pytest
from pynamodb.attributes import UnicodeAttribute
from pynamodb.exceptions import DoesNotExist

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.request_log import record_usage
from stratabase.core.waiting import deadline_after
from stratabase_aws.dynamodb.botocore_client import BotocoreClient
from stratabase_aws.dynamodb.retry import PermanentRejection, RetryBudget, RetryPolicy
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from stratabase_aws.members.pynamodb_table import PynamoRecord, PynamoTable
from tests import ministack
from tests.aws.dynamodb.server import Reply, Server, serving
from tests.rows import each_row

FEW = RetryPolicy(max_attempts=4, sleep=lambda _: None, budget=RetryBudget(10**9))


class Note(PynamoRecord):
    """A record for tests."""

    text = UnicodeAttribute()


class Other(PynamoRecord):
    """Another record for tests."""


def failed(code: str, status: int = 400, **details: object) -> Reply:
    return Reply({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code, **details}, status)


@contextmanager
def table_of(server: Server) -> Iterator[PynamoTable]:
    table = PynamoTable(AwsEndpoint("eu-west-1", server.url, Credentials("key", "secret")), "notes", FEW)
    yield table
    table.close()


THROTTLED = failed("ProvisionedThroughputExceededException")
BROKEN = failed("InternalServerError", 500)
CONFLICT = failed(
    "TransactionCanceledException", CancellationReasons=[{"Code": "None"}, {"Code": "TransactionConflict"}]
)
FOUND = Reply({"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "text": {"S": "é"}}})


def read(table: PynamoTable) -> str:
    bound = table.bind(Note)
    return table.read(lambda: bound.get("a", "b", consistent_read=True)).text


@each_row("failure", [THROTTLED, BROKEN, Reply(break_off=True), failed("ThrottlingException")])
def test_a_read_is_retried_after_a_temporary_failure(failure: Reply) -> None:
    with serving(failure, failure, FOUND) as server, table_of(server) as table:
        assert read(table) == "é"
        assert len(server.asked) == 3


@each_row("failure", [THROTTLED, BROKEN, failed("ResourceNotFoundException")])
def test_an_error_from_a_refused_read_does_not_name_the_table(failure: Reply) -> None:
    with serving(*[failure] * 9) as server, table_of(server) as table:
        with pytest.raises(Unavailable) as refusal:
            read(table)
        assert len(server.asked) in (1, FEW.max_attempts)
    text = str(refusal.value).lower()
    assert all(word not in text for word in ("notes", "exception", "dynamo", "error", "throughput"))


def test_the_usage_of_a_request_has_the_units_of_the_table() -> None:
    found = Reply({**FOUND.content, "ConsumedCapacity": {"TableName": "notes", "CapacityUnits": 0.5}})
    written = Reply({"ConsumedCapacity": [{"TableName": "notes", "CapacityUnits": 3}]})
    with serving(found, THROTTLED, written) as server, table_of(server) as table:
        with record_usage() as usage:
            read(table)
            write(table)
        assert (usage.read_units, usage.write_units, usage.retries) == (0.5, 3, 1)
        assert all(b'"ReturnConsumedCapacity": "TOTAL"' in body for _, body in server.asked)


def test_requests_to_other_tables_by_the_same_client_report_no_units() -> None:
    found = Reply({**FOUND.content, "ConsumedCapacity": {"TableName": "notes", "CapacityUnits": 0.5}})
    with serving(found, found) as server:
        endpoint = AwsEndpoint("eu-west-1", server.url, Credentials("key", "secret"))
        client = BotocoreClient(endpoint)
        table = PynamoTable(endpoint, "notes", FEW, client)
        with record_usage() as usage:
            read(table)
            client.call("GetItem", {"TableName": "objects", "Key": {"pk": {"S": "a"}, "sk": {"S": "b"}}})
        table.close()
        assert usage.read_units == 0.5
        assert [b"ReturnConsumedCapacity" in body for _, body in server.asked] == [True, False]


def test_nothing_is_sent_after_the_deadline() -> None:
    with serving(FOUND) as server, table_of(server) as table:
        with deadline_after(0), pytest.raises(Unavailable, match="too busy"):
            read(table)
        with deadline_after(0), pytest.raises(Unavailable, match="too busy"):
            write(table)
        assert server.asked == []
        with deadline_after(60):
            assert read(table) == "é"


def test_a_write_that_was_sent_before_the_deadline_may_be_done() -> None:
    with serving(Reply(), Reply(silent=True)) as server, table_of(server) as table:
        write(table)  # what a first request sets up can take longer than the deadline
        with deadline_after(1), pytest.raises(Unavailable, match="might not have been saved"):
            write(table)
        assert len(server.asked) == 2


def write(table: PynamoTable) -> None:
    bound = table.bind(Note)

    def work() -> None:
        with table.transaction("token1") as transaction:
            transaction.delete(bound("a", "b"), Note.pk.exists())
            transaction.save(bound("a", "c", text="x"), Note.pk.does_not_exist())

    table.write(work)


@each_row("failure", [THROTTLED, BROKEN, CONFLICT, Reply(break_off=True)])
def test_a_transaction_is_retried_with_the_same_token(failure: Reply) -> None:
    with serving(failure, failure) as server, table_of(server) as table:
        write(table)
        bodies = [orjson.loads(body) for _, body in server.asked]
    assert bodies[0] == bodies[1] == bodies[2]
    assert bodies[0]["ClientRequestToken"] == "token1"


def test_a_refusal_says_when_it_is_unknown_whether_a_write_happened() -> None:
    unknown = "the data might not have been saved"
    with (
        serving(BROKEN, *[THROTTLED] * 9) as server,
        table_of(server) as table,
        pytest.raises(Unavailable, match=unknown),
    ):
        write(table)


def test_a_failed_condition_is_not_retried() -> None:
    reasons = [{"Code": "ConditionalCheckFailed", "Message": "x"}, {"Code": "None"}]
    refused = failed("TransactionCanceledException", CancellationReasons=reasons)
    with serving(refused) as server, table_of(server) as table:
        with pytest.raises(PermanentRejection) as refusal:
            write(table)
        assert len(server.asked) == 1
    assert [reason["Code"] for reason in refusal.value.rejected.reasons] == ["ConditionalCheckFailed", "None"]


def test_an_unreachable_endpoint_is_unavailable() -> None:
    with serving() as server:
        pass
    with table_of(server) as table, pytest.raises(Unavailable, match="too busy"):
        read(table)


def test_all_classes_of_records_share_one_connection() -> None:
    with serving(FOUND, FOUND, FOUND) as server, table_of(server) as table:
        for bound in (table.bind(Note), table.bind(Other), table.bind(Note)):
            table.read(lambda bound=bound: bound.get("a", "b"))  # type: ignore[misc]
        assert server.connections == 1


def test_tables_are_independent() -> None:
    with serving() as one, serving() as other, table_of(one) as first, table_of(other) as second:
        second.bind(Note)
        with pytest.raises(DoesNotExist):
            read(first)
        assert (len(one.asked), len(other.asked)) == (1, 0)


def test_a_table_is_created_once_with_its_keys_and_expiry() -> None:
    table = PynamoTable(ministack.endpoint(), "notes-ensured")
    table.ensure()
    table.ensure()
    described = table._base_model.describe_table()
    ttl = table._connection.client._make_api_call("DescribeTimeToLive", {"TableName": "notes-ensured"})
    table.drop()
    assert described["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert ttl["TimeToLiveDescription"] == {"AttributeName": "expires", "TimeToLiveStatus": "ENABLED"}


def test_the_repr_of_a_record_shows_no_attributes() -> None:
    assert "secret" not in repr(Note("a", "b", text="secret"))


def test_pynamodb_and_botocore_are_loaded_only_on_aws() -> None:
    script = (
        "import sys, pkgutil, importlib, stratabase.core.operations as o, stratabase.core.domain as d;"
        "import stratabase.members.stores.sqlite_members, stratabase.members.operations.update;"
        "names = [m.name for p in (o, d) for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.')];"
        "[importlib.import_module(name) for name in names];"
        "assert not {'pynamodb', 'botocore', 'zxcvbn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
