"""The endpoints of password links, request by request."""

import base64
import html
import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import pytest

from stratabase.members.mailed_link import LINK_LIFETIME
from stratabase.values.formats.preferences import Formats
from tests.core.http.documented import Documented
from tests.core.http.reply import Reply
from tests.link_service import ANNA, BASE, NEW, LinkService
from tests.rows import each_row

RESET = "/auth/administration/members/{id}/resetPassword"
SET = "/public/administration/setPassword"
FORM = "application/x-www-form-urlencoded"

Values = Mapping[str, Any]


Send = Callable[..., Reply]


@pytest.fixture
def service() -> LinkService:
    return LinkService()


@pytest.fixture
def send(service: LinkService, event: Callable[..., dict[str, Any]]) -> Send:
    """Send a request, whose answer must be as the OpenAPI document says."""
    documented = Documented(service.endpoints())

    def sent(method: str, resource: str, *, who: str | None = None, **rest: Any) -> Reply:
        headers = dict(rest.pop("headers", {}))
        if who:
            headers["Authorization"] = f"Basic {base64.b64encode(f'{who}:right'.encode()).decode()}"
        answer = service.handler()(event(method, resource, headers=headers, **rest))
        if answer["statusCode"] != 405:
            documented.check(method, resource, answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


def by_form(**fields: str) -> dict[str, Any]:
    return {"headers": {"Content-Type": FORM}, "body": urlencode(fields)}


# --- resetPassword ---


@pytest.mark.parametrize(
    ("who", "id_", "status"),
    [
        ("ada", "m1", 205),
        ("anna", "m1", 401),
        ("anna", "m9", 401),
        ("anna", "nobody", 401),
        ("ada", "nobody", 404),
        (None, "m1", 401),
    ],
)
def test_administrators_reset_passwords(
    who: str | None, id_: str, status: int, send: Send, service: LinkService
) -> None:
    reply = send("GET", RESET, who=who, parameters={"id": id_})
    assert (reply.status, len(service.mails.mails)) == (status, status == 205)


def test_an_accepted_reset_has_no_body(send: Send) -> None:
    reply = send("GET", RESET, who="ada", parameters={"id": "m1"})
    assert (reply.body, reply.header("Content-Type")) == ("", None)
    assert reply.header("Cache-Control") == "no-store"


@each_row(
    ("form", "content_type", "start"),
    [("json", "application/problem+json", "{"), ("xml", "application/problem+xml", "<?xml")],
)
def test_a_refused_reset_is_a_problem_without_a_challenge(
    form: str, content_type: str, start: str, send: Send
) -> None:
    reply = send("GET", RESET, who="anna", parameters={"id": "m9"}, query={"format": [form]})
    assert (reply.header("Content-Type"), reply.header("WWW-Authenticate")) == (content_type, None)
    assert reply.body.startswith(start)
    assert "Only administrators can" in reply.body


def test_a_disabled_member_cannot_be_reset(send: Send, service: LinkService) -> None:
    service.edit(disabled=True)
    reply = send("GET", RESET, who="ada", parameters={"id": "m1"})
    assert (reply.status, service.mails.mails) == (401, [])
    assert "is disabled" in json.loads(reply.body)["detail"]


def test_an_undeliverable_mail_is_reported(send: Send, service: LinkService) -> None:
    service.mails.refuse = True
    reply = send("GET", RESET, who="ada", parameters={"id": "m1"})
    assert (reply.status, reply.header("Retry-After")) == (503, "1")
    assert service.anna().password == ANNA.password


@each_row("name", ["X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "Origin", "Referer"])
def test_request_headers_do_not_affect_the_mail(name: str, send: Send, service: LinkService) -> None:
    headers = {"Host": "evil.example.net", name: "https://evil.example.net"}
    send("GET", RESET, who="ada", parameters={"id": "m1"}, headers=headers)
    assert service.mails.link.startswith(f"{BASE}{SET}?token=m1.")
    assert "evil" not in service.mails.mails[-1].text


# --- setPassword, for programs ---


def as_json(token: str, password: str = NEW) -> dict[str, Any]:
    return {"body": json.dumps({"token": token, "password": password})}


def as_xml(token: str, password: str = NEW) -> dict[str, Any]:
    body = f"<credentials><token>{token}</token><password>{password}</password></credentials>"
    return {"body": body, "query": {"format": ["xml"]}}


@each_row("written", [as_json, as_xml])
@each_row("typed", [False, True])
def test_a_password_is_set_once(
    written: Callable[..., Values], typed: bool, send: Send, service: LinkService
) -> None:
    request = dict(written(service.token()))
    if typed:
        request["headers"] = {"Content-Type": "application/xml" if "query" in request else "application/json"}
    first = send("POST", SET, **request)
    second = send("POST", SET, **request)
    assert (first.status, first.body, second.status) == (205, "", 401)
    assert service.anna().password == f"hash of {NEW}"


@each_row("written", [as_json, as_xml])
def test_an_invalid_token_is_a_problem_without_a_challenge(
    written: Callable[..., Values], send: Send, service: LinkService
) -> None:
    service.token()
    reply = send("POST", SET, **written("m1." + "A" * 43))
    assert (reply.status, reply.header("WWW-Authenticate")) == (401, None)
    assert "used" in reply.body


def test_an_expired_token_is_reported(send: Send, service: LinkService) -> None:
    request = as_json(service.token())
    service.clock.instant += LINK_LIFETIME
    reply = send("POST", SET, **request)
    assert (reply.status, "This link has expired." in reply.body) == (401, True)


@each_row(
    ("password", "reason"),
    [
        ("", "too short. Use at least 12 characters"),
        ("x" * 129, "too long. Use at most 128 characters"),
        ("commonpassword", "This password is too common"),
        ("anna@example.com", "the username or the email address"),
        ("with a bell \x07 in it", "an unsupported character"),
    ],
)
def test_a_weak_password_is_refused_with_the_reason(
    password: str, reason: str, send: Send, service: LinkService
) -> None:
    token = service.token()
    reply = send("POST", SET, **as_json(token, password))
    assert (reply.status, reason in json.loads(reply.body)["detail"]) == (400, True)
    assert send("POST", SET, **as_json(token)).status == 205


@each_row(
    ("request_", "status", "words"),
    [
        ({"body": ""}, 400, "empty"),
        ({"body": "{"}, 400, "JSON object"),
        ({"body": "[]"}, 400, "not an array"),
        ({"body": '{"token": "x"}'}, 400, '"password" is required'),
        ({"body": '{"token": 1, "password": null}'}, 400, '"token" must be a string'),
        ({"body": '{"token": "x", "password": "y", "id": "m1"}'}, 400, 'The field "id" is not supported'),
        ({"body": "<credentials/>", "query": {"format": ["xml"]}}, 400, '"token" is required'),
        ({"body": "x", "query": {"format": ["yaml"]}}, 400, "json or xml"),
        ({"body": "{}", "headers": {"Content-Type": "application/xml"}}, 415, "must be JSON"),
        ({"body": "{}", "headers": {"Content-Type": "text/plain"}}, 415, "not text/plain"),
        ({"body": "x", "headers": {"Content-Type": "multipart/form-data; boundary=x"}}, 415, "multipart"),
        ({"body": "x" * 70_000}, 413, "bytes"),
        ({"body": "x" * 70_000, "headers": {"Content-Type": FORM}}, 413, "bytes"),
        ({"body": "token=a", "headers": {"Content-Type": FORM}}, 400, '"password" is required'),
        ({"body": "token=a&token=b", "headers": {"Content-Type": FORM}}, 400, 'The form repeats "token"'),
        ({"body": "token=%ff", "headers": {"Content-Type": FORM}}, 400, "UTF-8"),
        ({"body": "&".join(f"a{n}=" for n in range(200)), "headers": {"Content-Type": FORM}}, 400, "fields"),
        (
            {"body": "token=&password=&repeat=&x=", "headers": {"Content-Type": FORM}},
            400,
            '"x" is not supported',
        ),
    ],
)
def test_an_unreadable_body_is_reported(request_: Values, status: int, words: str, send: Send) -> None:
    reply = send("POST", SET, **request_)
    form = "xml" if request_.get("query") == {"format": ["xml"]} else "json"
    assert (reply.status, reply.header("Content-Type")) == (status, f"application/problem+{form}")
    assert words in html.unescape(reply.body.replace('\\"', '"'))


def test_an_unavailable_store_is_503(send: Send, service: LinkService) -> None:
    request = as_json(service.token())
    service.members.unreachable = True
    reply = send("POST", SET, **request)
    assert (reply.status, reply.header("Retry-After")) == (503, "7")


# --- setPassword, for people ---


def form(token: str, password: str = NEW, repeat: str | None = None, **more: str) -> dict[str, Any]:
    return by_form(token=token, password=password, repeat=password if repeat is None else repeat, **more)


def test_a_submitted_form_redirects_to_a_confirmation_page(send: Send, service: LinkService) -> None:
    reply = send("POST", SET, **form(service.token(), username="anna"))
    assert (reply.status, reply.header("Location")) == (
        303,
        f"{BASE}{SET}?result=done&language=en",
    )
    assert service.anna().password == f"hash of {NEW}"


@each_row(
    "content_type", ["Application/X-WWW-Form-URLEncoded", "application/x-www-form-urlencoded; charset=UTF-8"]
)
def test_the_content_type_of_a_form_may_vary_in_case_and_parameters(
    content_type: str, send: Send, service: LinkService
) -> None:
    request = form(service.token())
    request["headers"] = {"Content-Type": content_type}
    assert send("POST", SET, **request).status == 303


def test_the_link_shows_the_form_and_changes_nothing(send: Send, service: LinkService) -> None:
    token = service.token()
    before = service.anna()
    replies = [send(method, SET, query={"token": [token]}) for method in ("GET", "HEAD", "GET")]
    assert [reply.status for reply in replies] == [200, 200, 200]
    assert service.anna() == before
    assert f'value="{token}"' in replies[0].body
    assert "anna" in replies[0].body


@each_row(
    ("password", "repeat", "words"),
    [
        ("short", "short", "too short"),
        ("short", "other", "Enter them again"),
        (NEW, "", "Enter them again"),
        ("", "", "too short"),
        ("commonpassword", "commonpassword", "too common"),
    ],
)
def test_an_error_page_does_not_repeat_the_password(
    password: str, repeat: str, words: str, send: Send, service: LinkService
) -> None:
    token = service.token()
    reply = send("POST", SET, **form(token, password, repeat))
    assert (reply.status, words in reply.body) == (400, True)
    typed = re.findall(r'<input type="password"[^>]*value=', reply.body)
    assert (typed, NEW in reply.body) == ([], False)
    assert send("POST", SET, **form(token)).status == 303


def test_both_password_fields_are_compared_after_normalization(send: Send, service: LinkService) -> None:
    assert send("POST", SET, **form(service.token(), "e\u0301" * 12, "\u00e9" * 12)).status == 303


@pytest.mark.parametrize("by", ["link", "form"])
@pytest.mark.parametrize("why", ["used", "expired", "unknown", "disabled"])
def test_an_invalid_link_shows_an_error_page(by: str, why: str, send: Send, service: LinkService) -> None:
    token = service.token()
    if why == "used":
        service.recovery.finish(token, NEW)
    if why == "expired":
        service.clock.instant += LINK_LIFETIME
    if why == "unknown":
        token = "nobody." + "A" * 43
    if why == "disabled":
        service.edit(disabled=True)
    reply = send("GET", SET, query={"token": [token]}) if by == "link" else send("POST", SET, **form(token))
    assert (reply.status, reply.header("WWW-Authenticate")) == (401, None)
    assert ("has expired" if why == "expired" else "doesn't work") in html.unescape(reply.body)
    assert token not in reply.body
    assert "<form" not in reply.body


def test_an_expired_link_is_reported_in_the_language_of_its_member(send: Send, service: LinkService) -> None:
    service.edit(formats=Formats(language="it"))
    token = service.token()
    service.clock.instant += LINK_LIFETIME
    assert "Questo link è scaduto" in send("GET", SET, query={"token": [token]}).body


@each_row("by", ["link", "form"])
def test_a_used_link_is_reported_in_the_language_of_its_member(
    by: str, send: Send, service: LinkService
) -> None:
    service.edit(formats=Formats(language="it"))
    token = service.token()
    assert send("POST", SET, **form(token)).status == 303
    reply = send("GET", SET, query={"token": [token]}) if by == "link" else send("POST", SET, **form(token))
    assert (reply.status, "Questo link non funziona" in reply.body) == (401, True)
    forged = token[:-43] + "A" * 43
    assert "This link doesn't work" in html.unescape(send("GET", SET, query={"token": [forged]}).body)


@each_row(
    ("query", "words"),
    [
        ({}, "open the link in the email"),
        ({"result": ["done"]}, "Your password is set"),
        ({"result": ["done"], "language": ["it"]}, "La password è impostata"),
        ({"result": ["done"], "language": ["<script>"]}, "Your password is set"),
        ({"result": ["other"]}, "open the link in the email"),
    ],
)
def test_pages_without_a_token_are_shown(query: Values, words: str, send: Send) -> None:
    reply = send("GET", SET, query=query)
    assert (reply.status, words in reply.body) == (200, True)


@each_row(
    ("member", "accept", "language"),
    [
        ("it", "en", "it"),
        ("en", "it", "en"),
        ("de", "it, en;q=0.5", "it"),
        ("de", "fr, it;q=0.2, en;q=0.1", "it"),
        ("de", "it;q=0, en", "en"),
        ("de", "", "en"),
        ("de", ",;;q=,*", "en"),
    ],
)
def test_a_page_is_in_the_language_of_the_member_or_else_of_the_browser(
    member: str, accept: str, language: str, send: Send, service: LinkService
) -> None:
    service.edit(formats=Formats(language=member))
    headers = {"Accept-Language": accept}
    reply = send("GET", SET, query={"token": [service.token()]}, headers=headers)
    assert f'<html lang="{language}">' in reply.body
    assert reply.header("Content-Language") == language


def test_a_page_without_a_link_is_in_the_language_of_the_browser(send: Send) -> None:
    reply = send("GET", SET, query={"token": ["x"]}, headers={"Accept-Language": "it-CH, en"})
    assert "Questo link non funziona" in reply.body


@pytest.mark.parametrize("by", ["link", "form"])
def test_an_unavailable_store_shows_an_error_page(by: str, send: Send, service: LinkService) -> None:
    token = service.token()
    service.members.unreachable = True
    reply = send("GET", SET, query={"token": [token]}) if by == "link" else send("POST", SET, **form(token))
    assert (reply.status, reply.header("Retry-After")) == (503, "7")
    assert (reply.header("Content-Type"), "Try again" in reply.body) == ("text/html; charset=utf-8", True)
    assert "the table is busy" not in reply.body
    assert "the table is busy" in service.logged.getvalue()


def test_a_failed_write_shows_the_form_again(send: Send, service: LinkService) -> None:
    token = service.token()
    service.members.unchangeable = True
    reply = send("POST", SET, **form(token))
    assert (reply.status, reply.header("Retry-After"), "<form" in reply.body) == (503, "7", True)
    service.members.unchangeable = False
    assert send("POST", SET, **form(token)).status == 303


def test_no_log_line_holds_a_token_a_password_or_a_hash(send: Send, service: LinkService) -> None:
    token = service.token()
    hashed = getattr(service.anna().reset, "hash", "")
    password = "pass-that-is-planted"
    send("GET", SET, query={"token": [token]})
    send("GET", SET, query={"token": [token + "x"]})
    send("POST", SET, **form(token, password, "another"))
    send("POST", SET, **as_json(token, password[:5]))
    send("POST", SET, **form(token, password))
    send("POST", SET, **form(token, password))
    send("POST", SET, **as_json(token, password))
    service.members.unreachable = True
    send("GET", SET, query={"token": [token]})
    send("POST", SET, **as_xml(token, password))
    logged = service.logged.getvalue()
    assert "Request refused" in logged
    assert [text for text in (token, token[3:], password, hashed) if text in logged] == []
