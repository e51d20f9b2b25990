"""The health of the service."""

from typing import Any


def test_an_unavailable_store_makes_health_fail(send: Any, fakes: Any) -> None:
    fakes.reachable = False
    reply = send("GET", "/public/health")
    assert (reply.status, reply.json()) == (503, {"version": "1.2.3", "store": "unreachable"})
