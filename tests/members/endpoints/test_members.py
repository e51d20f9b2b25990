"""The member endpoints: each method, format and status."""

import json
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.core.http.fakes import ANNA, BERT, FakeServices
from tests.core.http.member_requests import READERS, WRITERS, as_xml, credentials
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


STRAY = ["\x00", "\x07", "\x1b", "\x7f", "\x85", "\ufffe", "\uffff", "\ud800"]


@pytest.mark.parametrize("form", ["json", "xml"])
@pytest.mark.parametrize("name", ["username", "email", "notes", "profile", *FORMATS, "password"])
@pytest.mark.parametrize("stray", STRAY, ids=lambda stray: f"U+{ord(stray):04X}")
def test_unencodable_characters_are_refused_in_every_field(
    form: str, name: str, stray: str, send: Any, fakes: FakeServices
) -> None:
    text = f"correct horse{stray}battery"
    if form == "xml" and not stray.isprintable() and stray in "\x7f\x85":
        body = f"<user><{name}>{text}</{name}></user>"
    elif form == "xml":
        body = f"<user><{name}>correct horse&#{ord(stray)};battery</{name}></user>"
    else:
        body = json.dumps({name: text})
    reply = send("PUT", ONE, signed_in=True, query={"format": [form]}, parameters={"id": "2"}, body=body)
    assert reply.status == 400, reply.body
    assert f'"{name}"' in reply.body or "The password" in reply.body or "must be" in reply.body
    assert fakes.members.by_id("2") == BERT


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


ENTITY = '<!DOCTYPE user [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
ATTACKS = [
    (f"{ENTITY}<user><notes>&x;</notes></user>", 400, "without a DOCTYPE"),
    ('<?xml version="1.0" encoding="UTF-7"?><user/>', 400, "must be XML in UTF-8"),
    ("<user>" * 9_000, 400, "It must contain only text."),
    ("<user>" * 100_000, 413, "more than the limit of 65,536 bytes"),
    ("<user><notes>a</notes><notes>b</notes></user>", 400, "repeats the element"),
    ('<user xmlns="urn:x"/>', 400, "in a namespace"),
]


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack[0][:30])
def test_dangerous_xml_is_refused(
    method: str, attack: tuple[str, int, str], send: Any, fakes: FakeServices
) -> None:
    body, status, words = attack
    resource, parameters = (ALL, None) if method == "POST" else (ONE, {"id": "2"})
    reply = send(
        method, resource, signed_in=True, parameters=parameters, query={"format": ["xml"]}, body=body
    )
    assert (reply.status, words in reply.body) == (status, True)
    assert {member.id for member in fakes.members.roster().members} == {"1", "2"}
    assert fakes.members.by_id("2") == BERT


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_body_in_another_format_is_refused(method: str, send: Any) -> None:
    resource, parameters = (ALL, None) if method == "POST" else (ONE, {"id": "2"})
    headers = {"Content-Type": "application/xml"}
    reply = send(method, resource, signed_in=True, parameters=parameters, body=as_xml(ADA), headers=headers)
    assert reply.status == 415
    assert "must be JSON, but the Content-Type header is application/xml" in reply.body


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_body_of_more_than_64_kb_is_refused(method: str, send: Any, fakes: FakeServices) -> None:
    resource, parameters = (ALL, None) if method == "POST" else (ONE, {"id": "2"})
    body = json.dumps({**ADA, "notes": "n" * 70_000})
    reply = send(method, resource, signed_in=True, parameters=parameters, body=body)
    assert (reply.status, "more than the limit of 65,536 bytes" in reply.body) == (413, True)
    assert fakes.members.by_id("id1") is None


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
