"""The endpoint for forgotten passwords: the same response for every name, in each format."""

import json
from collections.abc import Mapping

import pytest

from stratabase.core.http.base.response_body import ProxyResponse
from stratabase.members.operations.forgotten_password import MAX_MAILS_TO_MEMBER, MAX_REQUESTS_FROM_ADDRESS
from tests.http_fixtures import make_event
from tests.link_service import BASE, FORGOT_PASSWORD, LinkService

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}
XML = {"Content-Type": "application/xml"}
NAMES = ("anna", "anna%40example.com", "nobody", "nobody%40example.com")


@pytest.fixture
def service() -> LinkService:
    return LinkService()


def post(
    service: LinkService, body: str, headers: Mapping[str, str] = JSON, form: str = "json"
) -> ProxyResponse:
    query = {"format": [form]}
    event = make_event("POST", FORGOT_PASSWORD, headers=headers, query=query, body=body)
    return service.handler()(event)


def test_the_response_does_not_depend_on_the_name(service: LinkService) -> None:
    requests = [(f"name={name}", FORM, "json") for name in NAMES]
    requests += [(json.dumps({"username": name}), JSON, "json") for name in NAMES]
    requests += [
        (f"<forgottenPassword><email>{name}</email></forgottenPassword>", XML, "xml") for name in NAMES
    ]
    for kind in (FORM, JSON, XML):
        replies = [post(service, body, headers, form) for body, headers, form in requests if headers is kind]
        assert replies[0]["statusCode"] == 202
        assert all(reply == replies[0] for reply in replies)
    assert [mail.to for mail in service.mails.mails] == ["anna@example.com"] * 3


def test_past_the_limits_the_response_is_the_same_and_nothing_is_sent(service: LinkService) -> None:
    replies = [post(service, '{"username": "anna"}') for _ in range(MAX_REQUESTS_FROM_ADDRESS + 5)]
    assert all(reply == replies[0] for reply in replies)
    assert len(service.mails.mails) == MAX_MAILS_TO_MEMBER


def test_the_link_has_the_base_url_and_not_the_host_of_the_request(service: LinkService) -> None:
    post(
        service,
        '{"email": "anna@example.com"}',
        {**JSON, "Host": "evil.test", "X-Forwarded-Host": "evil.test"},
    )
    assert service.mails.link.startswith(f"{BASE}/public/administration/setPassword?token=")


@pytest.mark.parametrize(
    ("body", "headers", "form"),
    [
        ('{"username": "anna"}', {}, "json"),
        ('{"username": "anna"}', FORM, "json"),
        (' {"email": "anna@example.com"}', FORM, "json"),
        ("<forgottenPassword><username>anna</username></forgottenPassword>", FORM, "xml"),
        ("username=anna", FORM, "json"),
        ("email=anna%40example.com", FORM, "json"),
    ],
)
def test_a_program_need_not_name_the_format(
    body: str, headers: Mapping[str, str], form: str, service: LinkService
) -> None:
    """`curl -d` calls every body a form."""
    reply = post(service, body, headers, form)
    assert reply["statusCode"] == 202
    assert "If a member has this name" in str(reply["body"])
    assert [mail.to for mail in service.mails.mails] == ["anna@example.com"]


@pytest.mark.parametrize(
    ("body", "headers", "words"),
    [
        ("{}", JSON, 'Send either "username" or "email".'),
        ('{"username": " "}', JSON, 'Send either "username" or "email".'),
        ('{"username": "anna", "email": "anna@example.com"}', JSON, 'Send either "username" or "email".'),
        ('{"name": "anna"}', JSON, '"name" is not supported'),
        ('{"username": 7}', JSON, '"username" must be a string'),
        (json.dumps({"username": "x" * 1025}), JSON, "at most 1,024 characters"),
        ("", JSON, "The request body is empty"),
        ("name=", FORM, "Enter your username or your email address."),
        ("name=+", FORM, "Enter your username or your email address."),
    ],
)
def test_a_request_without_a_name_says_what_is_missing(
    body: str, headers: Mapping[str, str], words: str, service: LinkService
) -> None:
    reply = post(service, body, headers)
    assert reply["statusCode"] == 400
    text = str(reply["body"])
    assert words in (text if headers is FORM else json.loads(text)["detail"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("", 'Send either "username" or "email".'),
        ("{}", 'Send either "username" or "email".'),
        ('{"user": "anna"}', "Supported fields: username and email."),
        ("user=anna", "Supported fields: name, username, and email."),
    ],
)
def test_a_program_that_sends_a_form_is_told_the_fields(body: str, words: str, service: LinkService) -> None:
    reply = post(service, body, FORM)
    assert reply["statusCode"] == 400
    assert json.loads(str(reply["body"]))["detail"].endswith(words)


def test_names_are_never_shown_again(service: LinkService) -> None:
    """What somebody typed may be a password."""
    replies = [post(service, f"name={name}", FORM) for name in ("planted", "%3Cscript%3E", "x" * 2000)]
    assert not any("planted" in str(reply) or "<script>" in str(reply) for reply in replies)
    assert "planted" not in service.logged.getvalue()


@pytest.mark.parametrize(
    ("language", "title"), [("en", "Forgot your password?"), ("it", "Password dimenticata?")]
)
def test_the_page_is_in_the_language_of_the_browser(language: str, title: str, service: LinkService) -> None:
    event = make_event("GET", FORGOT_PASSWORD, headers={"Accept-Language": language})
    reply = service.handler()(event)
    assert reply["statusCode"] == 200
    assert title in str(reply["body"])
