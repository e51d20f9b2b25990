"""The endpoint that confirms a new email address, and the pending address of a member."""

import html
import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import pytest

from stratabase.members.mailed_link import LINK_LIFETIME
from stratabase.values.formats.preferences import Formats
from tests.core.http.documented import Documented
from tests.core.http.fakes import FakeServices
from tests.core.http.member_requests import READERS, WRITERS, credentials
from tests.core.http.member_scenarios import ALL, ME, ONE
from tests.core.http.reply import Reply
from tests.link_service import BASE, NEW_EMAIL, LinkService

CONFIRM = "/public/administration/confirmEmail"
FORM = "application/x-www-form-urlencoded"

Send = Callable[..., Any]


@pytest.fixture
def service() -> LinkService:
    return LinkService()


@pytest.fixture
def ask(service: LinkService, event: Callable[..., dict[str, Any]]) -> Send:
    """Send a request to the service of links, whose answer must be as the OpenAPI document says."""
    documented = Documented(service.endpoints())

    def sent(method: str, **rest: Any) -> Reply:
        answer = service.handler()(event(method, CONFIRM, **rest))
        if answer["statusCode"] != 405:
            documented.check(method, CONFIRM, answer)
        return Reply(answer["statusCode"], answer["multiValueHeaders"], answer["body"])

    return sent


def as_json(token: str) -> dict[str, Any]:
    return {"body": json.dumps({"token": token})}


def as_xml(token: str) -> dict[str, Any]:
    return {"body": f"<confirmation><token>{token}</token></confirmation>", "query": {"format": ["xml"]}}


def by_button(token: str) -> dict[str, Any]:
    return {"body": urlencode({"token": token}), "headers": {"Content-Type": FORM}}


def test_the_mailed_link_leads_to_the_confirmation_page(service: LinkService) -> None:
    token = service.email_token()
    assert service.mails.link == f"{BASE}{CONFIRM}?token={token}"


@pytest.mark.parametrize("written", [as_json, as_xml])
def test_an_address_is_confirmed_once(
    written: Callable[[str], Mapping[str, Any]], ask: Send, service: LinkService
) -> None:
    request = written(service.email_token())
    first, second = ask("POST", **request), ask("POST", **request)
    assert (first.status, first.body, second.status) == (205, "", 401)
    assert second.header("WWW-Authenticate") is None
    assert service.anna().email == NEW_EMAIL


def test_an_expired_token_is_reported(ask: Send, service: LinkService) -> None:
    request = as_json(service.email_token())
    service.clock.instant += LINK_LIFETIME
    reply = ask("POST", **request)
    assert (reply.status, "This link has expired." in reply.body) == (401, True)
    assert service.anna().email == "anna@example.com"


@pytest.mark.parametrize("written", [as_json, as_xml])
def test_an_address_taken_by_another_member_is_reported(
    written: Callable[[str], Mapping[str, Any]], ask: Send, service: LinkService
) -> None:
    token = service.email_token()
    service.take(NEW_EMAIL.upper())
    reply = ask("POST", **written(token))
    assert reply.status == 409
    assert 'Another member already has this "email"' in html.unescape(reply.body).replace("\\", "")


# --- for people ---


def test_the_link_shows_a_button_and_changes_nothing(ask: Send, service: LinkService) -> None:
    token = service.email_token()
    before = service.anna()
    replies = [ask(method, query={"token": [token]}) for method in ("GET", "HEAD", "GET")]
    assert [reply.status for reply in replies] == [200, 200, 200]
    assert service.anna() == before
    body = replies[0].body
    assert f'value="{token}"' in body
    assert (">anna<" in body, f">{NEW_EMAIL}<" in body, "<script" in body) == (True, True, False)
    assert replies[0].header("Referrer-Policy") == "no-referrer"
    assert replies[0].header("Cache-Control") == "no-store"


@pytest.mark.parametrize("language", ["en", "it"])
def test_the_button_redirects_to_a_result_page(language: str, ask: Send, service: LinkService) -> None:
    service.edit(formats=Formats(language=language))
    reply = ask("POST", **by_button(service.email_token()))
    assert (reply.status, reply.header("Location")) == (
        303,
        f"{BASE}{CONFIRM}?result=done&language={language}",
    )
    assert service.anna().email == NEW_EMAIL
    page = ask("GET", query={"result": ["done"], "language": [language]})
    words = {"en": "Your email address is confirmed", "it": "Il tuo indirizzo email è confermato"}
    assert (page.status, words[language] in page.body) == (200, True)


@pytest.mark.parametrize("by", ["link", "button"])
@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("used", "Questo link non funziona"),
        ("expired", "Questo link è scaduto"),
        ("cancelled", "Questo link non funziona"),
        ("disabled", "Questo link non funziona"),
        ("unknown", "This link doesn't work"),
    ],
)
def test_an_invalid_link_shows_an_error_page_in_the_language_of_its_member(
    by: str, why: str, words: str, ask: Send, service: LinkService
) -> None:
    service.edit(formats=Formats(language="it"))
    token = service.email_token()
    if why == "used":
        service.emails.confirm(token)
    if why == "expired":
        service.clock.instant += LINK_LIFETIME
    if why == "cancelled":
        service.cancel_email()
    if why == "disabled":
        service.edit(disabled=True)
    if why == "unknown":
        token = token[:-43] + "A" * 43
    reply = ask("GET", query={"token": [token]}) if by == "link" else ask("POST", **by_button(token))
    assert (reply.status, words in html.unescape(reply.body), "<form" in reply.body) == (401, True, False)
    assert token not in reply.body


def test_an_address_taken_by_another_member_shows_an_error_page(ask: Send, service: LinkService) -> None:
    service.edit(formats=Formats(language="it"))
    token = service.email_token()
    service.take(NEW_EMAIL)
    reply = ask("POST", **by_button(token))
    assert (reply.status, "appartiene a un altro account" in reply.body) == (409, True)


@pytest.mark.parametrize("by", ["link", "button"])
def test_an_unavailable_store_shows_an_error_page(by: str, ask: Send, service: LinkService) -> None:
    token = service.email_token()
    service.members.unreachable = True
    reply = ask("GET", query={"token": [token]}) if by == "link" else ask("POST", **by_button(token))
    assert (reply.status, reply.header("Retry-After")) == (503, "7")
    assert ("Try again" in reply.body, "the table is busy" in reply.body) == (True, False)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ({}, "open the link in the email"),
        ({"result": ["done"], "language": ["<script>"]}, "Your email address is confirmed"),
        ({"result": ["other"]}, "open the link in the email"),
    ],
)
def test_pages_without_a_token_are_shown(query: Mapping[str, Any], words: str, ask: Send) -> None:
    reply = ask("GET", query=query)
    assert (reply.status, words in reply.body) == (200, True)


def test_no_log_line_holds_a_token_an_address_or_a_hash(ask: Send, service: LinkService) -> None:
    token = service.email_token()
    hashed = getattr(service.anna().confirmation, "hash", "")
    ask("GET", query={"token": [token + "x"]})
    ask("POST", **by_button(token))
    ask("POST", **by_button(token))
    ask("POST", **as_json(token))
    ask("GET", query={"token": [token]})
    logged = service.logged.getvalue()
    assert "Request refused" in logged
    assert [text for text in (token, token[3:], hashed, NEW_EMAIL) if text in logged] == []


# --- what members show of it, and take ---


def put(send: Send, form: str, by: str, **fields: Any) -> Any:
    body = WRITERS[form](fields)
    return send(
        "PUT", ONE, headers=credentials(by), query={"format": [form]}, parameters={"id": "2"}, body=body
    )


def shown(send: Send, form: str, by: str, resource: str = ONE) -> Any:
    reply = send("GET", resource, headers=credentials(by), query={"format": [form]}, parameters={"id": "2"})
    assert reply.status == 200
    return READERS[form](reply.body)


@pytest.mark.parametrize("form", ["json", "xml"])
def test_a_pending_address_is_shown_to_the_member_and_to_administrators(
    form: str, send: Send, fakes: FakeServices
) -> None:
    assert "pendingEmail" not in shown(send, form, "bert")
    reply = put(send, form, "bert", email="bert@example.org", notes="mine")
    assert (reply.status, reply.body) == (200, "Update Complete")
    for read in (shown(send, form, "bert"), shown(send, form, "anna"), shown(send, form, "bert", ME)):
        assert (read["email"], read["pendingEmail"]) == ("bert@example.com", "bert@example.org")
    assert shown(send, form, "bert", ME)["notes"] == "mine"
    link, result = fakes.mails.mails
    assert (link.to, result.to) == ("bert@example.org", "bert@example.com")
    assert "https://api.example.com/prod/public/administration/confirmEmail?token=2." in link.text
    fakes.clock.instant += LINK_LIFETIME
    assert "pendingEmail" not in shown(send, form, "bert")


@pytest.mark.parametrize("form", ["json", "xml"])
@pytest.mark.parametrize("by", ["anna", "bert"])
@pytest.mark.parametrize("resource", [ONE, ME])
def test_a_member_read_during_a_pending_change_can_be_put_back(
    form: str, by: str, resource: str, send: Send, fakes: FakeServices
) -> None:
    put(send, form, "bert", email="bert@example.org")
    before = fakes.members.by_id("2")
    read = shown(send, form, "bert" if resource == ME else by, resource)
    assert put(send, form, by, **read).status == 200
    assert fakes.members.by_id("2") == before
    assert len(fakes.mails.mails) == 2


def test_a_new_member_cannot_have_a_pending_address(send: Send) -> None:
    body = json.dumps(
        {"username": "carla", "email": "c@example.com", "profile": "Clerk", "pendingEmail": "x"}
    )
    reply = send("POST", ALL, headers=credentials("anna"), body=body)
    assert (reply.status, "pendingEmail" in reply.body) == (400, True)
