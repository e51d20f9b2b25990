"""Requests and their calls to the store, as X-Ray's daemon receives them."""

import json
import os
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError, EndpointConnectionError
from urllib3 import HTTPResponse

from stratabase.core.store.engine.parallel import ThreadedMap
from stratabase_aws.dynamodb.client import Rejected, Unanswered
from stratabase_aws.dynamodb.retry import RetryingClient, RetryPolicy
from stratabase_aws.endpoint import AwsEndpoint, Credentials, create_client
from stratabase_aws.functions.request_log import RequestLog
from stratabase_aws.tracing import trace_call, trace_request

ROUTE = "/auth/file/{class}/{name}"
ROOT = "1-5759e988-bd862e3fe1be46a994272793"
PARENT = "53995c3f42cd8ad8"
ENDPOINT = AwsEndpoint("us-east-1", "http://127.0.0.1:1", Credentials("local", "local"))
Documents = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[Documents]:
    """A function that returns the documents that the daemon has received since the last call."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        connection.bind(("127.0.0.1", 0))
        connection.setblocking(False)
        port = connection.getsockname()[1]
        monkeypatch.setenv("AWS_XRAY_DAEMON_ADDRESS", f"127.0.0.1:{port}")
        monkeypatch.setenv("_X_AMZN_TRACE_ID", f"Root={ROOT};Parent={PARENT};Sampled=1;Lineage=a:0")

        def received() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = []
            while True:
                try:
                    header, document = connection.recv(65_535).split(b"\n")
                except BlockingIOError:
                    return found
                assert json.loads(header) == {"format": "json", "version": 1}
                found.append(json.loads(document))

        yield received


class Table:
    """A client that rejects the first request, and answers all others."""

    def __init__(self) -> None:
        self._asked = 0

    def call(self, _operation: str, _parameters: Any) -> dict[str, Any]:
        self._asked += 1
        if self._asked == 1:
            raise Rejected("ThrottlingException", 400)
        return {}

    def close(self) -> None:
        """Do nothing."""


def serve(status: int = 200) -> None:
    """Serve a request that reads once, and then twice in threads."""
    client = RetryingClient(Table(), RetryPolicy(sleep=lambda _seconds: None))
    with closing(ThreadedMap(2)) as parallel_map, RequestLog("files").line(ROUTE, "GET", "trace-1") as line:
        client.read("GetItem", {})
        parallel_map(lambda name: client.read(name, {}), ["Query", "Query"])
        line.status = status


def test_a_request_is_a_subsegment_of_the_invocation(daemon: Documents) -> None:
    serve()
    *_, request = daemon()
    assert (request["type"], request["trace_id"], request["parent_id"]) == ("subsegment", ROOT, PARENT)
    assert request["name"] == "GET /auth/file/class/name"
    assert re.fullmatch("[0-9a-f]{16}", request["id"])
    assert request["start_time"] <= request["end_time"]
    assert request["annotations"] == {
        "route": ROUTE,
        "method": "GET",
        "traceId": "trace-1",
        "service": "files",
    }
    assert request["http"] == {"response": {"status": 200}}
    assert not {"error", "fault", "throttle"} & request.keys()


def test_each_call_to_the_table_is_a_subsegment_of_the_request(daemon: Documents) -> None:
    serve()
    *calls, request = daemon()
    assert {(each["name"], each["namespace"], each["parent_id"]) for each in calls} == {
        ("DynamoDB", "aws", request["id"])
    }
    assert [each["aws"]["operation"] for each in calls] == ["GetItem", "GetItem", "Query", "Query"]
    assert all(request["start_time"] <= each["start_time"] <= each["end_time"] for each in calls)
    rejected, *others = calls
    assert (rejected["http"], rejected["error"]) == ({"response": {"status": 400}}, True)
    assert not any({"error", "fault"} & each.keys() for each in others)
    assert len({each["id"] for each in [*calls, request]}) == 5


@pytest.mark.parametrize(
    ("status", "flags"),
    [(404, {"error"}), (429, {"error", "throttle"}), (503, {"fault"})],
)
def test_a_status_says_what_failed(daemon: Documents, status: int, flags: set[str]) -> None:
    serve(status)
    *_, request = daemon()
    assert {"error", "fault", "throttle"} & request.keys() == flags


def test_a_call_without_an_answer_is_a_fault(daemon: Documents) -> None:
    with pytest.raises(Unanswered), trace_request("GET /"), trace_call("DynamoDB", "GetItem"):
        raise Unanswered
    assert [each["fault"] for each in daemon()] == [True, True]


def bucket_that_answers(status: int) -> Any:
    """Return a botocore client that gets an empty answer with a status to each request."""
    client = create_client("s3", ENDPOINT, retries={"total_max_attempts": 1})
    client.meta.events.register(
        "before-send", lambda request, **_: AWSResponse(request.url, status, {}, HTTPResponse(BytesIO()))
    )
    return client


def test_each_call_of_a_botocore_client_is_a_subsegment_of_the_request(daemon: Documents) -> None:
    with trace_request("GET /") as request:
        bucket_that_answers(200).head_object(Bucket="files", Key="secret")
        with pytest.raises(ClientError):
            bucket_that_answers(404).get_object(Bucket="files", Key="secret")
    assert request is not None
    found, missing, _request = daemon()
    assert {(each["name"], each["namespace"], each["parent_id"]) for each in (found, missing)} == {
        ("S3", "aws", request.id)
    }
    assert [each["aws"] for each in (found, missing)] == [
        {"operation": "HeadObject"},
        {"operation": "GetObject"},
    ]
    assert [each["http"]["response"]["status"] for each in (found, missing)] == [200, 404]
    assert missing["error"] is True
    assert "secret" not in json.dumps([found, missing])


def test_a_botocore_call_without_an_answer_is_a_fault(daemon: Documents) -> None:
    client = create_client("s3", ENDPOINT, retries={"total_max_attempts": 1})
    with trace_request("GET /"), pytest.raises(EndpointConnectionError):
        client.head_object(Bucket="files", Key="a")
    call, _request = daemon()
    assert (call["name"], call["fault"]) == ("S3", True)


def test_a_botocore_call_is_not_recorded_twice(daemon: Documents) -> None:
    with trace_request("GET /"), trace_call("S3", "HeadObject"):
        bucket_that_answers(200).head_object(Bucket="files", Key="a")
    assert [each["name"] for each in daemon()] == ["S3", "GET /"]


def test_a_botocore_client_needs_no_request(daemon: Documents) -> None:
    bucket_that_answers(200).head_object(Bucket="files", Key="a")
    assert daemon() == []


def test_the_documents_name_no_argument_and_no_address(daemon: Documents) -> None:
    serve()
    keys = {key for document in daemon() for key in document}
    assert keys == {
        *("type", "name", "id", "trace_id", "parent_id", "start_time", "end_time"),
        *("annotations", "metadata", "http", "namespace", "aws", "error"),
    }


@pytest.mark.parametrize("header", ["", f"Root={ROOT};Parent={PARENT};Sampled=0", "Root=1-5e7f-00", "?"])
def test_an_invocation_that_is_not_sampled_is_not_traced(
    daemon: Documents, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", header)
    serve()
    assert daemon() == []


@pytest.mark.parametrize("form", ["udp:{0}", "tcp:127.0.0.1:1 udp:{0}"])
def test_the_daemon_has_an_address_for_udp(
    daemon: Documents, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setenv("AWS_XRAY_DAEMON_ADDRESS", form.format(os.environ["AWS_XRAY_DAEMON_ADDRESS"]))
    serve()
    assert len(daemon()) == 5


@pytest.mark.parametrize("address", ["", "tcp:127.0.0.1:1", "nowhere", "127.0.0.1:99999"])
def test_a_request_needs_no_daemon(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", f"Root={ROOT};Parent={PARENT};Sampled=1")
    monkeypatch.setenv("AWS_XRAY_DAEMON_ADDRESS", address)
    serve()
