"""The health of the service: whether it is ready, and whether it runs."""

from typing import Any


def test_the_service_is_not_ready_without_its_store(send: Any, fakes: Any) -> None:
    fakes.reachable = False
    reply = send("GET", "/public/health")
    assert (reply.status, reply.json()) == (503, {"version": "1.2.3", "store": "unreachable"})
    assert reply.headers["Retry-After"] == ["5"]


def test_the_service_is_not_ready_without_its_keys(send: Any, fakes: Any) -> None:
    fakes.problems = {"keys": "unreadable"}
    reply = send("GET", "/public/health")
    assert reply.status == 503
    assert reply.json() == {"version": "1.2.3", "store": "reachable", "keys": "unreadable"}
    assert reply.headers["Retry-After"] == ["5"]


def test_the_service_is_not_ready_while_it_stops(send: Any, fakes: Any) -> None:
    fakes.stopping = True
    reply = send("GET", "/public/health")
    assert reply.status == 503
    assert reply.json() == {"version": "1.2.3", "store": "reachable", "stopping": True}
    assert reply.headers["Retry-After"] == ["5"]


def test_the_process_is_alive_as_long_as_it_responds(send: Any, fakes: Any) -> None:
    fakes.reachable, fakes.stopping = False, True
    reply = send("GET", "/public/health/live")
    assert (reply.status, reply.json()) == (200, {"version": "1.2.3"})
