"""The endpoint that describes the model."""

import base64
from typing import Any

from tests.rows import each_row

MODEL = "/auth/api/model/{application}"
HR = {"application": "hr"}


def test_the_description_is_json_that_clients_may_keep(send: Any) -> None:
    reply = send("GET", MODEL, signed_in=True, parameters=HR)
    assert (reply.status, reply.json()) == (
        200,
        {
            "application": "Hr",
            "profile": "Administrator",
            "administrator": True,
            "profiles": [],
            "classes": [],
        },
    )
    assert reply.headers["Content-Type"] == ["application/json"]
    assert reply.headers["Cache-Control"] == ["private, no-cache"]

    (tag,) = reply.headers["ETag"]
    again = send("GET", MODEL, signed_in=True, parameters=HR, headers={"If-None-Match": tag})
    assert (again.status, again.body) == (304, "")
    assert again.headers["ETag"] == [tag]
    head = send("HEAD", MODEL, signed_in=True, parameters=HR)
    assert (head.status, head.body, head.headers["ETag"]) == (200, "", [tag])
    options = send("OPTIONS", MODEL, parameters=HR)
    assert (options.status, options.headers["Allow"]) == (204, ["GET, HEAD, OPTIONS"])


@each_row("format_", ["xml", "yaml"])
def test_another_format_is_refused(send: Any, format_: str) -> None:
    reply = send("GET", MODEL, signed_in=True, parameters=HR, query={"format": [format_]})
    assert (reply.status, reply.headers["Content-Type"]) == (400, ["application/problem+json"])
    assert send("GET", MODEL, signed_in=True, parameters=HR, query={"format": ["json"]}).status == 200


def test_the_description_is_for_members_with_rights_in_the_application(send: Any) -> None:
    assert send("GET", MODEL, parameters=HR).status == 401
    clerk = {"Authorization": "Basic " + base64.b64encode(b"bert:right").decode()}
    assert send("GET", MODEL, headers=clerk, parameters=HR).status == 403
    assert send("GET", MODEL, signed_in=True, parameters={"application": "Crm"}).status == 404
    assert send("POST", MODEL, signed_in=True, parameters=HR, body="{}").status == 405
