"""The line of each request on Lambda: what it says, and which metrics it has."""

import io
import json
from types import SimpleNamespace
from typing import Any

import pytest

from stratabase.core import observe
from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.http.base.authentication import Authentication
from stratabase.core.http.base.endpoint import Endpoint, Operation, ResponseSpec
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.http.handler import HttpHandler
from stratabase.core.observe import Log
from stratabase.core.request_log import current_usage
from stratabase.values.messages import verbatim
from stratabase_aws.functions.handler import LambdaHandler
from stratabase_aws.functions.request_log import RequestLog, publish_metric
from tests.http_fixtures import make_event
from tests.rows import each_row

ROUTE = "/things/{id}"
CONTEXT = SimpleNamespace(
    aws_request_id="invocation-1", function_name="graphql", get_remaining_time_in_millis=lambda: 30_000
)


class Service:
    """A handler with one address, and what it writes."""

    def __init__(self, respond: Any) -> None:
        self.stream, self.log = io.StringIO(), io.StringIO()
        operation = Operation(respond, "look", "Look.", {200: ResponseSpec("Done.")})
        self.handler = LambdaHandler(
            HttpHandler(
                {ROUTE: Endpoint({"GET": operation})},
                Authentication({}),
                log=Log("DEBUG", self.log, service=f"request-log-{id(self)}"),
            ),
            RequestLog("graphql", "hr-prod", self.stream),
        )

    def ask(self, *, streams: bool = False) -> dict[str, Any]:
        """Send a request, and return its line."""
        event = make_event("GET", ROUTE, parameters={"id": "anna@example.com"})
        (self.handler.stream if streams else self.handler)(event, CONTEXT)
        *_, line = self.stream.getvalue().splitlines()
        return dict(json.loads(line))


def answer(_request: Request, _caller: Caller | None) -> Response:
    usage = current_usage()
    assert usage is not None
    usage.add_operation("Thing___get")
    usage.add_capacity({"TableName": "t", "CapacityUnits": 1.5}, writes=False)
    usage.add_capacity([{"CapacityUnits": 2}, {"CapacityUnits": 4.0}], writes=True)
    usage.add_retry(after_conflict=True)
    usage.add_retry(after_conflict=False)
    usage.add_refusal("ENTITY_LOCK_PERSIST")
    return Response(200)


@each_row("streams", [False, True])
def test_a_request_writes_one_line(*, streams: bool) -> None:
    line = Service(answer).ask(streams=streams)
    said = {name: line[name] for name in ("level", "message", "service", "route", "method", "status")}
    assert said == {
        "level": "INFO",
        "message": "Request",
        "service": "graphql",
        "route": ROUTE,
        "method": "GET",
        "status": 200,
    }
    assert (line["function_request_id"], line["function_name"]) == ("invocation-1", "graphql")
    assert line["operations"] == ["Thing___get"]
    assert line["Milliseconds"] >= 0


def test_the_metrics_are_those_of_the_request() -> None:
    line = Service(answer).ask()
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("Stratabase", [["stack", "service"]])
    metrics = {each["Name"]: line[each["Name"]] for each in directive["Metrics"]}
    del metrics["Milliseconds"]
    assert metrics == {
        "Requests": 1,
        "ReadUnits": 1.5,
        "WriteUnits": 6,
        "Retries": 2,
        "TransactionConflicts": 1,
        "LockConflicts": 1,
        "Refusals.ENTITY_LOCK_PERSIST": 1,
    }
    assert all(each["Unit"] in {"Count", "Milliseconds"} for each in directive["Metrics"])
    assert isinstance(line["_aws"]["Timestamp"], int)


def test_a_count_of_zero_is_neither_a_field_nor_a_metric() -> None:
    line = Service(lambda _request, _caller: Response(200)).ask()
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    published = {each["Name"]: each["Unit"] for each in directive["Metrics"]}
    assert published == {"Requests": "Count", "Milliseconds": "Milliseconds"}
    assert {name for name in line if name[0].isupper()} == set(published)


def test_the_line_has_no_personal_data() -> None:
    service = Service(answer)
    service.ask()
    assert "anna" not in service.stream.getvalue()


def test_a_refusal_is_counted_by_its_type() -> None:
    def refuse(_request: Request, _caller: Caller | None) -> Response:
        raise Unavailable(verbatim("busy"))

    line = Service(refuse).ask()
    assert (line["status"], line["Errors"], line["Refusals.Unavailable"]) == (503, 1, 1)


def test_a_bug_is_an_error() -> None:
    def fail(_request: Request, _caller: Caller | None) -> Response:
        raise RuntimeError("bug")

    service = Service(fail)
    assert service.ask()["status"] == 500
    # The other lines of the request name the invocation too.
    (logged,) = map(json.loads, service.log.getvalue().splitlines())
    assert (logged["message"], logged["function_request_id"]) == ("Request failed", "invocation-1")


def test_only_the_first_request_of_a_process_is_a_cold_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observe, "_is_cold_start", True)
    service = Service(answer)
    assert [service.ask()["cold_start"] for _ in range(3)] == [True, False, False]


def test_a_function_without_requests_publishes_a_metric() -> None:
    stream = io.StringIO()
    publish_metric("sweep", "OldestPurgeSeconds", 90.5, "hr-prod", stream)
    publish_metric("sweep", "OldestPurgeSeconds", 0, "hr-prod", stream)
    (line,) = map(json.loads, stream.getvalue().splitlines())
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert (line["service"], line["OldestPurgeSeconds"]) == ("sweep", 90.5)
    assert directive["Metrics"] == [{"Name": "OldestPurgeSeconds", "Unit": "Seconds"}]
    assert (directive["Namespace"], directive["Dimensions"]) == ("Stratabase", [["stack", "service"]])


def test_nothing_is_recorded_outside_of_a_request() -> None:
    Service(answer).ask()
    assert current_usage() is None
    assert observe.invocation_fields() == {}
