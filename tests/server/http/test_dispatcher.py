"""The dispatcher answers requests within their time limit, and tolerates disconnecting clients."""

import itertools
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from stratabase.core import waiting
from stratabase.core.http.base.messages import Request, Response
from tests.server.http.serving import Client, echo, http_server, problem


def waiting_for(future: "Future[Any]", ended: Callable[[], None]) -> Callable[[Request], Response]:
    def respond(request: Request) -> Response:
        if request.path == "/":
            return Response(200)
        waiting.until(future)
        ended()
        return Response(200, body=b"too late")

    return respond


def test_a_request_that_takes_too_long_is_504_and_still_finishes() -> None:
    future: Future[Any] = Future()
    ended = threading.Event()

    with http_server(waiting_for(future, ended.set), time_limit=0.05) as client:
        assert "longer than" in problem(client.get("/slow"), 504)
        assert client.get("/").status == 200
        assert not ended.is_set()
        future.set_result(None)
        assert ended.wait(20)


def test_a_request_that_fails_after_its_time_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    future: Future[Any] = Future()

    with http_server(waiting_for(future, lambda: None), time_limit=0.05) as client:
        assert client.get("/slow").status == 504
        future.set_exception(RuntimeError("afterwards"))

    assert "Call failed after its time limit" in caplog.text
    assert "afterwards" in caplog.text


def test_concurrent_requests_each_get_their_own_response(echoing: Client) -> None:
    connections = [echoing.connection() for _ in range(40)]
    for number, connection in enumerate(connections):
        connection.request("POST", f"/{number}", body=str(number))

    paths = [json.loads(connection.getresponse().read())["path"] for connection in connections]

    assert paths == [f"/{number}" for number in range(40)]
    for connection in connections:
        connection.close()


def test_a_client_that_disconnects_during_its_body_calls_no_endpoint() -> None:
    calls = itertools.count()

    def respond(request: Request) -> Response:
        next(calls)
        return echo(request)

    with http_server(respond) as client:
        connection = client.connection()
        connection.putrequest("POST", "/")
        connection.putheader("Content-Length", "100")
        connection.endheaders(b"half")
        connection.close()
        assert client.get("/").status == 200

    assert next(calls) == 1


def test_a_disconnected_client_does_not_stop_the_call() -> None:
    """A commit that has begun is not to be abandoned halfway."""
    future: Future[Any] = Future()
    begun, ended = threading.Event(), threading.Event()

    def respond(_request: Request) -> Response:
        begun.set()
        waiting.until(future)
        ended.set()
        return Response(200)

    with http_server(respond) as client:
        connection = client.connection()
        connection.request("POST", "/", body="x")
        assert begun.wait(20)
        connection.close()
        future.set_result(None)
        assert ended.wait(20)
