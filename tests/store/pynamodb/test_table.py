"""The table: asked again while that may help, and nothing of it in what is told."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import orjson
import pytest
from pynamodb.attributes import UnicodeAttribute
from pynamodb.exceptions import DoesNotExist

from stratabase.domain.issues.refusals import Unavailable
from stratabase.store.dynamodb.aws import Credentials, Endpoint
from stratabase.store.dynamodb.retry import PermanentRejection, RetryPolicy
from stratabase.store.pynamodb.record import Record
from stratabase.store.pynamodb.table import Table
from tests import ministack
from tests.store.dynamodb.server import Reply, Server, serving

FEW = RetryPolicy(max_attempts=4, sleep=lambda _: None)


class Note(Record):
    """A record for tests."""

    text = UnicodeAttribute()


class Other(Record):
    """Another one."""


def failed(code: str, status: int = 400, **details: object) -> Reply:
    return Reply({"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": code, **details}, status)


@contextmanager
def table_of(server: Server) -> Iterator[Table]:
    table = Table(Endpoint("eu-west-1", server.url, Credentials("key", "secret")), "notes", FEW)
    yield table
    table.close()


THROTTLED = failed("ProvisionedThroughputExceededException")
BROKEN = failed("InternalServerError", 500)
CONFLICT = failed(
    "TransactionCanceledException", CancellationReasons=[{"Code": "None"}, {"Code": "TransactionConflict"}]
)
FOUND = Reply({"Item": {"pk": {"S": "a"}, "sk": {"S": "b"}, "text": {"S": "é"}}})


def read(table: Table) -> str:
    kind = table.kind(Note)
    return table.read(lambda: kind.get("a", "b", consistent_read=True)).text


@pytest.mark.parametrize("trouble", [THROTTLED, BROKEN, Reply(break_off=True), failed("ThrottlingException")])
def test_what_passes_is_asked_again(trouble: Reply) -> None:
    with serving(trouble, trouble, FOUND) as server, table_of(server) as table:
        assert read(table) == "é"
        assert len(server.asked) == 3


@pytest.mark.parametrize("trouble", [THROTTLED, BROKEN, failed("ResourceNotFoundException")])
def test_a_reader_is_told_that_the_store_is_busy_and_no_more(trouble: Reply) -> None:
    with serving(*[trouble] * 9) as server, table_of(server) as table:
        with pytest.raises(Unavailable) as refusal:
            read(table)
        assert len(server.asked) in (1, FEW.max_attempts)
    text = str(refusal.value).lower()
    assert all(word not in text for word in ("notes", "exception", "dynamo", "error", "throughput"))


def write(table: Table) -> None:
    kind = table.kind(Note)

    def work() -> None:
        with table.transaction("token1") as transaction:
            transaction.delete(kind("a", "b"), Note.pk.exists())
            transaction.save(kind("a", "c", text="x"), Note.pk.does_not_exist())

    table.write(work)


@pytest.mark.parametrize("trouble", [THROTTLED, BROKEN, CONFLICT, Reply(break_off=True)])
def test_a_transaction_is_asked_again_under_the_same_token(trouble: Reply) -> None:
    with serving(trouble, trouble) as server, table_of(server) as table:
        write(table)
        bodies = [orjson.loads(body) for _, body in server.asked]
    assert bodies[0] == bodies[1] == bodies[2]
    assert bodies[0]["ClientRequestToken"] == "token1"


def test_a_writer_is_told_when_it_is_unknown_whether_it_wrote() -> None:
    unknown = r"^The store did not answer; whether it wrote is unknown\.$"
    with (
        serving(BROKEN, *[THROTTLED] * 9) as server,
        table_of(server) as table,
        pytest.raises(Unavailable, match=unknown),
    ):
        write(table)


def test_a_condition_that_fails_is_no_trouble_and_not_asked_again() -> None:
    reasons = [{"Code": "ConditionalCheckFailed", "Message": "x"}, {"Code": "None"}]
    refused = failed("TransactionCanceledException", CancellationReasons=reasons)
    with serving(refused) as server, table_of(server) as table:
        with pytest.raises(PermanentRejection) as refusal:
            write(table)
        assert len(server.asked) == 1
    assert [reason["Code"] for reason in refusal.value.rejected.reasons] == ["ConditionalCheckFailed", "None"]


def test_what_nobody_reaches_is_unavailable() -> None:
    with serving() as server:
        pass
    with table_of(server) as table, pytest.raises(Unavailable, match="too busy"):
        read(table)


def test_all_kinds_of_records_share_one_connection() -> None:
    with serving(FOUND, FOUND, FOUND) as server, table_of(server) as table:
        for kind in (table.kind(Note), table.kind(Other), table.kind(Note)):
            table.read(lambda kind=kind: kind.get("a", "b"))  # type: ignore[misc]
        assert server.connections == 1


def test_tables_do_not_mix() -> None:
    with serving() as one, serving() as other, table_of(one) as first, table_of(other) as second:
        second.kind(Note)
        with pytest.raises(DoesNotExist):
            read(first)
        assert (len(one.asked), len(other.asked)) == (1, 0)


def test_a_table_is_made_once_and_forgets_what_expires() -> None:
    table = Table(ministack.endpoint(), "notes-ensured")
    table.ensure()
    table.ensure()
    described = table._root.describe_table()
    ttl = table._connection.client._make_api_call("DescribeTimeToLive", {"TableName": "notes-ensured"})
    table.drop()
    assert described["KeySchema"] == [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert ttl["TimeToLiveDescription"] == {"AttributeName": "expires", "TimeToLiveStatus": "ENABLED"}


def test_a_record_does_not_show_what_is_in_it() -> None:
    assert "secret" not in repr(Note("a", "b", text="secret"))


def test_nothing_of_it_is_loaded_where_it_is_not_used() -> None:
    script = (
        "import sys, pkgutil, importlib, stratabase.operations as o, stratabase.domain as d;"
        "import stratabase.store.sqlite.members, stratabase.operations.members.update;"
        "names = [m.name for p in (o, d) for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.')];"
        "[importlib.import_module(name) for name in names];"
        "assert not {'pynamodb', 'botocore', 'zxcvbn'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
