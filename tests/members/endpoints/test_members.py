"""The member endpoints: each method, format and status."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.core.http.fakes import ANNA, BERT, FakeServices
from tests.core.http.member_requests import READERS, WRITERS, credentials
from tests.core.http.member_scenarios import ADA, ALL, FORMATS, ME, ONE, ROOT, SCENARIOS, Scenario
from tests.in_memory_members import InMemoryMembers


def go(scenario: Scenario, form: str, send: Any, **more: Any) -> Any:
    return send(
        scenario.method,
        scenario.resource,
        headers=credentials(scenario.by) if scenario.by else {},
        query={"format": [form]},
        parameters={"id": scenario.id} if scenario.id else None,
        body=None if scenario.sent is None else WRITERS[form](scenario.sent),
        **more,
    )


@pytest.mark.parametrize("form", ["json", "xml"])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: f"{scenario.method} {scenario.name}")
def test_each_request_gets_its_expected_response(
    scenario: Scenario, form: str, send: Any, fakes: FakeServices
) -> None:
    reply = go(scenario, form, send)
    assert reply.status == scenario.status, reply.body
    (content_type,) = reply.headers["Content-Type"]
    if scenario.method in ("PUT", "DELETE") and scenario.status != 405:
        assert content_type == "text/plain; charset=utf-8"
        assert scenario.answer in reply.body
        assert reply.status >= 400 or scenario.answer == reply.body
    elif scenario.status < 400:
        assert content_type == f"application/{form}"
        assert READERS[form](reply.body) == scenario.answer
    else:
        assert content_type == f"application/problem+{form}"
        detail = (
            reply.json()["detail"] if form == "json" else ET.fromstring(reply.body).findtext("{*}detail", "")
        )
        assert scenario.answer in detail
    assert reply.headers["Cache-Control"] == ["no-store"]
    for id_, expected in scenario.members.items():
        member = fakes.members.by_id(id_)
        found = {} if member is None else {name: getattr(member, name) for name in expected}
        assert found == {name: value for name, value in expected.items() if name not in FORMATS}


def test_a_creation_returns_the_location_and_sends_a_mail(send: Any, fakes: FakeServices) -> None:
    reply = send("POST", ALL, signed_in=True, body=json.dumps(ADA), headers={"Host": "evil.test"})
    assert reply.headers["Location"] == [f"{ROOT}/id1"]
    assert fakes.invitations == [("id1", "https://api.example.com/prod")]


@pytest.mark.parametrize("form", ["json", "xml"])
def test_a_creation_with_a_failed_mail_reports_it(form: str, send: Any, fakes: FakeServices) -> None:
    fakes.mail_is_taken = False
    reply = go(Scenario("", "POST", ALL, 503, sent=ADA), form, send)
    assert (reply.status, reply.headers["Retry-After"]) == (503, ["5"])
    assert "was created with the ID id1, but the invitation wasn't sent" in reply.body
    assert fakes.members.by_id("id1") is not None


def test_a_member_that_is_read_can_be_put_back(send: Any, fakes: FakeServices) -> None:
    for form in ("json", "xml"):
        before = fakes.members.by_id("1")
        shown = READERS[form](go(Scenario("", "GET", ME, 200), form, send).body)
        assert go(Scenario("", "PUT", ONE, 200, id="1", sent=shown), form, send).status == 200
        assert fakes.members.by_id("1") == before
        for by, id_ in (("anna", "2"), ("bert", "2")):
            before = fakes.members.by_id(id_)
            shown = READERS[form](go(Scenario("", "GET", ONE, 200, by, id_), form, send).body)
            assert go(Scenario("", "PUT", ONE, 200, by, id_, sent=shown), form, send).status == 200
            assert fakes.members.by_id(id_) == before


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize(
    ("body", "headers"),
    [
        ("{", {}),
        ("", {}),
        ("n" * 70_000, {}),
        ("{}", {"Content-Type": "application/xml"}),
        ("{}", {"Content-Encoding": "gzip"}),
    ],
)
def test_permission_is_checked_before_the_body(
    method: str, body: str, headers: Mapping[str, str], send: Any
) -> None:
    resource, parameters = (ALL, None) if method == "POST" else (ONE, {"id": "1"})
    sent = {**credentials("bert"), **headers}
    reply = send(method, resource, headers=sent, parameters=parameters, body=body)
    assert (reply.status, "Only administrators can" in reply.body) == (403, True)


@pytest.mark.parametrize("form", ["json", "xml"])
def test_every_stored_member_can_be_read(form: str, send: Any, fakes: FakeServices) -> None:
    """This includes members that were stored before these checks existed."""
    odd = replace(BERT, username="b<&>\x07é😀", notes="\x00]]>\r\n")
    fakes.members.members = InMemoryMembers(ANNA, odd).members
    for resource, id_ in ((ALL, None), (ONE, "2")):
        reply = go(Scenario("", "GET", resource, 200, id=id_), form, send)
        assert reply.status == 200
        assert "é😀" in json.dumps(READERS[form](reply.body), ensure_ascii=False)


@pytest.mark.parametrize(
    ("resource", "allowed"),
    [(ME, "GET, HEAD, OPTIONS"), (ALL, "GET, POST, HEAD, OPTIONS"), (ONE, "GET, PUT, DELETE, HEAD, OPTIONS")],
)
def test_options_lists_the_methods_without_credentials(resource: str, allowed: str, send: Any) -> None:
    reply = send("OPTIONS", resource, parameters={"id": "2"})
    assert (reply.status, reply.headers["Allow"], reply.body) == (204, [allowed], "")


@pytest.mark.parametrize(("resource", "id_"), [(ME, None), (ALL, None), (ONE, "2")])
def test_head_has_no_body(resource: str, id_: str | None, send: Any) -> None:
    reply = go(Scenario("", "HEAD", resource, 200, id=id_), "json", send)
    assert (reply.status, reply.body) == (200, "")


def test_passwords_are_never_returned(send: Any, fakes: FakeServices) -> None:
    fakes.members.members["bert"] = replace(BERT, password="$argon2id$secret")
    body = json.dumps({"password": "correct horse battery"})
    replies = [
        send("PUT", ONE, signed_in=True, parameters={"id": "2"}, body=body),
        *(send("GET", each, signed_in=True, parameters={"id": "2"}) for each in (ME, ALL, ONE)),
    ]
    result = fakes.logged.getvalue() + "".join(reply.body for reply in replies)
    assert "argon2id" not in result
    assert "battery" not in result
