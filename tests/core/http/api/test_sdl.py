"""The schema endpoint."""

import base64
from typing import Any

SCHEMA = "/auth/api/schema/{application}"


def test_the_sdl_is_plain_text(send: Any) -> None:
    reply = send("GET", SCHEMA, signed_in=True, parameters={"application": "HR"})
    assert (reply.status, reply.body) == (200, "type Query { x: Int }")
    assert reply.headers["Content-Type"] == ["text/plain; charset=utf-8"]


def test_the_sdl_requires_authentication(send: Any) -> None:
    reply = send("GET", SCHEMA, parameters={"application": "Hr"})
    assert (reply.status, "Query" in reply.body) == (401, False)


def test_an_unknown_application_has_no_sdl(send: Any) -> None:
    assert send("GET", SCHEMA, signed_in=True, parameters={"application": "Crm"}).status == 404


def test_the_sdl_is_refused_to_callers_without_rights(send: Any) -> None:
    clerk = {"Authorization": "Basic " + base64.b64encode(b"bert:right").decode()}
    reply = send("GET", SCHEMA, headers=clerk, parameters={"application": "Hr"})
    assert (reply.status, "Query" in reply.body) == (403, False)
