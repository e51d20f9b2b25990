"""The observer gets one record of each request, also of those that reach no endpoint or get no response."""

import io
import json
import socket
from concurrent.futures import Future
from ipaddress import ip_network
from typing import Any

from stratabase.core import waiting
from stratabase.core.domain.query.taken_plan import TakenPlan
from stratabase.core.http.base.messages import Request, Response
from stratabase.core.observe import Log
from stratabase.core.request_log import RequestRecord
from stratabase.server.http.forwarded import TrustedProxies
from stratabase.server.http.observer import RequestObserver
from tests.rows import each_row
from tests.server.http.serving import http_server
from tests.service import eventually


def observer(records: list[RequestRecord], **options: Any) -> RequestObserver:
    return RequestObserver([records.append], Log(stream=io.StringIO(), service="observed"), **options)


def described(records: list[RequestRecord], number: int) -> list[tuple[str, str, int]]:
    """Return the method, route and status of each record, once there are so many."""
    eventually(lambda: len(records) == number)
    return [(record.method, record.route, record.status) for record in records]


def test_each_request_has_a_record_of_its_route_and_status() -> None:
    records: list[RequestRecord] = []
    with http_server(observer=observer(records)) as client:
        client.get("/auth/file/Employee/anna?key=secret")
        client.request("POST", "/files/a", body="secret")
        client.get("/", **{"X-Long": "x" * 11_000})
        client.request("POST", "/", {"Content-Length": "99999999"})
        found = described(records, 4)

    assert found == [
        ("GET", "/auth/file/{class}/{entity}", 200),
        ("POST", "/files/{name}", 200),
        ("GET", "-", 431),
        ("POST", "-", 413),
    ]
    assert "secret" not in repr(records)
    assert len({record.trace_id for record in records}) == 4
    assert all(record.client == "127.0.0.1" for record in records)


def test_a_request_that_times_out_has_one_record() -> None:
    records: list[RequestRecord] = []
    future: Future[None] = Future()

    def wait(_request: Request) -> Response:
        waiting.until(future)
        return Response(200)

    with http_server(wait, observer=observer(records), time_limit=0.05) as client:
        assert client.get("/").status == 504
        future.set_result(None)
        found = described(records, 1)

    assert found == [("GET", "/", 504)]
    assert records[0].milliseconds >= 50


def test_a_client_that_leaves_has_a_record_with_status_499() -> None:
    records: list[RequestRecord] = []
    entered: Future[None] = Future()

    def wait(_request: Request) -> Response:
        waiting.only_reads()
        entered.set_result(None)
        while True:
            waiting.pause(0.005)

    with http_server(wait, observer=observer(records)) as client:
        with socket.create_connection(("127.0.0.1", client.port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            entered.result(20)
        assert described(records, 1) == [("GET", "/", 499)]


@each_row("slow", [0, 1e-9, 1e9])
def test_plans_are_recorded_only_for_the_log_of_slow_requests(slow: float) -> None:
    lines = io.StringIO()
    log = Log(stream=lines, service=f"slow-{slow}")

    def read(_request: Request) -> Response:
        from stratabase.core.store.query import planner  # noqa: PLC0415 - the test reads its state

        note = planner._note.get()
        if note is not None:
            note(TakenPlan("Employee", "index name"))
            note(TakenPlan("Employee", "index name"))
        return Response(200, body=json.dumps({"notes": note is not None}).encode())

    with http_server(read, observer=RequestObserver([], log, slow)) as client:
        assert client.get("/").json() == {"notes": slow > 0}
        eventually(lambda: bool(lines.getvalue()) is (slow == 1e-9))
    if slow == 1e-9:
        (line,) = map(json.loads, lines.getvalue().splitlines())
        assert (line["level"], line["message"], line["route"]) == ("WARNING", "Slow request", "/")
        assert line["plans"] == ["Employee: index name"]


def test_an_endpoint_gets_the_address_that_a_trusted_proxy_forwards() -> None:
    header = {"X-Forwarded-For": "203.0.113.9"}
    trusted, other = TrustedProxies([ip_network("127.0.0.0/8")]), TrustedProxies([ip_network("10.0.0.0/8")])
    for proxies, address in ((None, "127.0.0.1"), (other, "127.0.0.1"), (trusted, "203.0.113.9")):
        with http_server(proxies=proxies) as client:
            assert client.received("GET", "/", headers=header)["source_address"] == address
