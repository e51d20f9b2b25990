"""Signing in on the page of the service, over HTTP and without JavaScript."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest

from tests.scenarios.sign_in_page import (
    ACCOUNT,
    BROWSER,
    FORM,
    SIGN_IN,
    code_of,
    exchange,
    proof,
    submit,
)
from tests.service import PASSWORD, RunningService

ELSEWHERE = "https://app.example.com"
PAGE = f"{ELSEWHERE}/signed-in?from=menu"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home: Path = tmp_path_factory.mktemp("sign-in-page") / "home"
    service = RunningService(home, settings={"STRATABASE_ALLOWED_ORIGINS": ELSEWHERE}).start()
    service.join("anna", "Manager")
    yield service
    service.stop()


def test_a_sign_in_ends_at_the_front_end_with_a_code_for_it_alone(service: RunningService) -> None:
    mine, other = proof(), proof("w" * 43)
    page = service.request(
        "GET", f"{SIGN_IN}?{urlencode({'returnTo': PAGE, 'challenge': mine.challenge})}", headers=BROWSER
    )
    assert page.status == 200
    assert b'<form id="form" method="post" action="signIn"' in page.body
    reply = submit(service, PAGE, mine.challenge, "anna", PASSWORD)
    code = code_of(reply)
    assert reply.headers["location"].startswith(f"{PAGE}&code=")
    assert "eyJ" not in reply.headers["location"]
    assert reply.headers["cache-control"] == "no-store"
    assert "set-cookie" not in reply.headers

    assert exchange(service, code, other.verifier).status == 401, "the code is of no use to another front end"
    token = exchange(service, code, mine.verifier)
    assert token.status == 200, token.body
    bearer = {"Authorization": f"Bearer {token.json()['access_token']}"}
    me = service.request("GET", "/auth/administration/member", headers=bearer).json()
    assert me["username"] == "anna"
    path = f"/auth/administration/members/{me['id']}/sessions"
    (session,) = service.request("GET", path, headers=bearer).json()
    assert (session["way"], session["current"]) == ("password", True)
    assert exchange(service, code, mine.verifier).status == 401, "it works once"
    renewed = service.request("GET", "/auth/token/refreshJwtToken", headers=bearer)
    assert renewed.status == 401, "a second use ends the session of the first"


def test_a_browser_without_an_end_is_led_to_the_account_page(service: RunningService) -> None:
    reply = service.request("GET", SIGN_IN, headers=BROWSER)
    assert (reply.status, urlsplit(reply.headers["location"]).path) == (302, ACCOUNT)
    page = service.request("GET", ACCOUNT, headers=BROWSER)
    assert (page.status, b"Your account" in page.body) == (200, True)


@pytest.mark.parametrize(
    "return_to",
    ["https://evil.example/", "//evil.example", "javascript:alert(1)", f"{ELSEWHERE}.evil.example/", ""],
)
def test_a_sign_in_leads_nowhere_else(return_to: str, service: RunningService) -> None:
    reply = submit(service, return_to, proof().challenge, "anna", PASSWORD)
    assert (reply.status, "location" in reply.headers) == (400, False)
    query = urlencode({"returnTo": return_to, "challenge": proof().challenge})
    shown = service.request("GET", f"{SIGN_IN}?{query}", headers=BROWSER)
    assert (shown.status, b"<form" in shown.body) == (400, False)


def test_known_and_unknown_names_get_the_same_page(service: RunningService) -> None:
    pages = {}
    for username in ("anna", "nemo"):
        reply = submit(service, PAGE, proof().challenge, username, "not the password")
        assert reply.status == 401
        assert b"not the password" not in reply.body
        headers = {
            name: value for name, value in reply.headers.items() if name not in {"date", "x-amzn-requestid"}
        }
        pages[username] = (headers, reply.body.replace(username.encode(), b"NAME"))
    assert pages["anna"] == pages["nemo"]
    assert b"The username or password is incorrect." in pages["anna"][1]


@pytest.mark.local
@pytest.mark.parametrize("username", ["Berta", "nobody"])
def test_guesses_are_limited_and_a_page_says_so(username: str, service: RunningService) -> None:
    """They count together with those at `getJwtToken`."""
    if username == "Berta":
        service.join("Berta", "Manager")
    challenge = proof().challenge
    for number in range(10):
        if number % 2:
            body = json.dumps({"username": username, "password": f"guess {number}"})
            assert service.request("POST", "/public/token/getJwtToken", body=body).status == 401
        else:
            assert submit(service, PAGE, challenge, username, f"guess {number}").status == 401
    refused = submit(service, PAGE, challenge, username, PASSWORD)
    assert refused.status == 429
    assert 800 < int(refused.headers["retry-after"]) <= 900
    assert refused.headers["content-type"] == "text/html; charset=utf-8"
    assert b"Too many failed sign-in attempts" in refused.body


def test_a_form_without_its_fields_is_refused(service: RunningService) -> None:
    for body in (
        "",
        "username=anna",
        "%ff",
        "a=1&a=2",
        urlencode({"returnTo": PAGE, "challenge": proof().challenge}),
    ):
        reply = service.request("POST", SIGN_IN, headers=FORM, body=body)
        assert (reply.status, reply.headers["content-type"]) == (400, "text/html; charset=utf-8"), body


def test_options_say_what_is_possible(service: RunningService) -> None:
    assert service.request("OPTIONS", SIGN_IN).headers["allow"] == "GET, POST, HEAD, OPTIONS"
    assert service.request("OPTIONS", ACCOUNT).headers["allow"] == "GET, HEAD, OPTIONS"
