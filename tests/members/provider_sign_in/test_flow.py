"""Signing in with a provider, request by request: what begins, comes back, and is refused."""

import html
import json
from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.members.audit.actor import Actor, present_actor
from stratabase.members.provider_sign_in.attempt import ATTEMPT_LIFETIME, s256
from stratabase.members.provider_sign_in.codes import CODE_LIFETIME, owner_of
from stratabase.members.providers.provider import Identity
from stratabase.members.providers.refusals import (
    ProviderFault,
    ProviderUnavailable,
    RefusalReason,
    SignInRefused,
)
from stratabase.values.messages import verbatim
from tests.in_memory_members import InMemoryMembers
from tests.members.provider_sign_in.fake_client import ISSUER, PROVIDER, FakeClient
from tests.members.provider_sign_in.provider_service import (
    ASKED,
    BASE,
    BEGIN,
    BOSS,
    BROWSER,
    CALLBACK,
    PAGE,
    ROSA,
    SIGN_OUT,
    FakeBrowser,
    ProviderService,
    error_url,
    location,
    parameters,
)
from tests.rows import each_row


@pytest.fixture
def service() -> ProviderService:
    return ProviderService()


@pytest.fixture
def browser(service: ProviderService) -> FakeBrowser:
    return FakeBrowser(service)


# --- it begins ---


def test_the_browser_goes_to_the_provider(service: ProviderService, browser: FakeBrowser) -> None:
    reply = browser.get(BEGIN, **ASKED)
    assert reply.status == 302
    assert location(reply).startswith(f"{ISSUER}/authorize?")
    (begun,) = service.provider.begun
    assert begun["redirect_uri"] == f"{BASE}/public/signIn/id/callback"
    assert begun["max_age"] is None
    assert len({begun["state"], begun["nonce"], begun["challenge"], ASKED["challenge"]}) == 4
    assert reply.headers["Cache-Control"] == ["no-store"]
    assert reply.headers["Referrer-Policy"] == ["no-referrer"]
    (cookie,) = reply.headers["Set-Cookie"]
    assert cookie.endswith("; Max-Age=600; Path=/; HttpOnly; SameSite=Lax; Secure")
    assert reply.body == ""


def test_a_front_end_can_require_a_new_sign_in(service: ProviderService, browser: FakeBrowser) -> None:
    state = browser.begin(maxAge="600")
    assert browser.come_back(state).status == 302
    assert service.provider.begun[0]["max_age"] == 600
    assert service.provider.asked[0]["max_age"] == 600


@each_row(
    ("query", "status", "text"),
    [
        ({"returnTo": ""}, 400, "returnTo"),
        ({"returnTo": "https://evil.example/"}, 400, "STRATABASE_ALLOWED_ORIGINS"),
        ({"returnTo": "//app.example.com/"}, 400, "absolute"),
        ({"challenge": ""}, 400, "challenge"),
        ({"challenge": "a" * 42}, 400, "43"),
        ({"challenge": "a" * 42 + "="}, 400, "43"),
        ({"maxAge": "-1"}, 400, "maxAge"),
        ({"maxAge": "1e3"}, 400, "maxAge"),
        ({"maxAge": "86401"}, 400, "maxAge"),
        ({"maxAge": "²"}, 400, "maxAge"),
        ({"purpose": "other"}, 400, "purpose"),
    ],
)
def test_a_bad_parameter_is_named(
    query: dict[str, str], status: int, text: str, service: ProviderService
) -> None:
    reply = FakeBrowser(service).get(BEGIN, **{**ASKED, **query})
    assert (reply.status, "Set-Cookie" in reply.headers) == (status, False)
    assert text in html.unescape(reply.body)
    asked = {name: [value] for name, value in {**ASKED, **query}.items()}
    problem = service.send("GET", BEGIN, parameters={"provider": "id"}, query=asked)
    assert (problem.status, problem.headers["Content-Type"]) == (status, ["application/problem+json"])
    assert text in json.loads(problem.body)["detail"]
    assert service.provider.begun == []


def test_parameters_are_not_repeated(service: ProviderService) -> None:
    for name in ASKED:
        query = {key: [value] * (2 if key == name else 1) for key, value in ASKED.items()}
        reply = service.send("GET", BEGIN, parameters={"provider": "id"}, query=query)
        assert (reply.status, name in reply.body) == (400, True)


def test_an_unknown_provider_is_not_found(service: ProviderService, browser: FakeBrowser) -> None:
    for resource in (BEGIN, SIGN_OUT):
        assert browser.get(resource, "other", **ASKED).status == 404
    reply = service.send(
        "GET", BEGIN, parameters={"provider": "<b>"}, query={"format": ["xml"]}, headers=BROWSER
    )
    assert (reply.status, reply.headers["Content-Type"]) == (404, ["application/problem+xml"])
    assert "&lt;b&gt;" in reply.body


def test_only_get_leads_to_a_provider(service: ProviderService) -> None:
    """A provider that posts its answer is refused: the browser would not send the cookie with it."""
    for resource in (BEGIN, CALLBACK):
        for method in ("POST", "HEAD", "PUT"):
            reply = service.send(method, resource, parameters={"provider": "id"}, body="state=1&code=good")
            assert (reply.status, reply.headers["Allow"]) == (405, ["GET, OPTIONS"])


def test_a_provider_that_cannot_be_used_is_said(service: ProviderService, browser: FakeBrowser) -> None:
    service.provider.refusal = ProviderUnavailable(ProviderFault.TIMEOUT, "https://secret.internal: timeout")
    reply = browser.get(BEGIN, **ASKED)
    assert (reply.status, reply.headers["Retry-After"]) == (503, ["10"])
    assert "temporarily unavailable" in reply.body
    assert "secret.internal" not in reply.body
    assert "secret.internal" in service.logged.getvalue()


def test_without_https_nobody_signs_in(service: ProviderService, browser: FakeBrowser) -> None:
    service.handler.http.base_url = "http://api.example.com"
    reply = browser.get(BEGIN, **ASKED)
    assert (reply.status, "STRATABASE_BASE_URL" in reply.body) == (403, True)


# --- it ends ---


def test_the_front_end_gets_a_code(service: ProviderService, browser: FakeBrowser) -> None:
    state = browser.begin()
    (cookie,) = browser.cookies
    reply = browser.come_back(state)
    code = parameters(reply)["code"]
    assert location(reply) == f"{PAGE}?code={code}"
    assert reply.headers["Cache-Control"] == ["no-store"]
    assert reply.headers["Referrer-Policy"] == ["no-referrer"]
    assert reply.headers["Set-Cookie"][0].startswith(f"{cookie}=; Max-Age=0;")
    assert browser.cookies == {}

    (begun,), (asked,) = service.provider.begun, service.provider.asked
    assert asked["redirect_uri"] == begun["redirect_uri"]
    assert asked["nonce"] == begun["nonce"]
    assert s256(asked["verifier"]) == begun["challenge"]

    (stored,) = service.stored().codes
    assert owner_of(code) == "r"
    assert (stored.challenge, stored.way) == (ASKED["challenge"], "id")
    assert (stored.since, stored.until) == (service.clock.instant, service.clock.instant + CODE_LIFETIME)
    assert code not in repr(service.stored())


def test_the_answer_joins_the_query_of_the_front_end(browser: FakeBrowser) -> None:
    reply = browser.come_back(browser.begin(returnTo=f"{PAGE}?next=%2Forders"))
    assert location(reply).startswith(f"{PAGE}?next=%2Forders&code=r.")


def test_the_issuer_of_the_answer_is_passed_on(service: ProviderService, browser: FakeBrowser) -> None:
    browser.come_back(browser.begin(), code="good", iss=ISSUER)
    assert [asked["iss"] for asked in service.provider.asked] == [ISSUER]


def test_a_new_member_is_made_once(service: ProviderService, browser: FakeBrowser) -> None:
    claims = {**service.provider.identity_.claims, "preferred_username": "carla"}
    service.provider.identity_ = Identity(ISSUER, "2", claims)
    code = browser.sign_in()
    member = service.stored(owner_of(code) or "")
    assert (member.username, [link.subject for link in member.links]) == ("carla", ["2"])
    assert len(member.codes) == 1


@each_row(
    ("error", "shown"),
    [
        ("access_denied", "access_denied"),
        ("temporarily_unavailable", "unavailable"),
        ("server_error", "unavailable"),
        ("login_required", "provider_refused"),
        ("<script>&code=evil", "provider_refused"),
        ("", "provider_refused"),
    ],
)
def test_an_error_of_the_provider_is_given_to_the_front_end(error: str, shown: str) -> None:
    service = ProviderService()
    browser = FakeBrowser(service)
    reply = browser.come_back(browser.begin(), error=error, error_description="<b>", code="good")
    assert location(reply) == error_url(shown)
    assert (browser.cookies, service.provider.asked, service.stored().codes) == ({}, [], ())


def test_an_error_of_another_provider_is_refused(service: ProviderService, browser: FakeBrowser) -> None:
    """The issuer of an answer is compared also if it has no code (RFC 9207, section 2.4)."""
    reply = browser.come_back(browser.begin(), error="access_denied", iss="https://other.example.com")
    assert reply.status == 401
    assert f'href="{error_url("invalid_answer")}"' in html.unescape(reply.body)
    reply = browser.come_back(browser.begin(), error="access_denied", iss=service.provider.provider.issuer)
    assert location(reply) == error_url("access_denied")


def refused(browser: FakeBrowser, status: int, error: str, **answer: str) -> str:
    """Come back to a refusal, and return the page, which leads back with an error."""
    client = browser.service.provider
    refusal, client.refusal = client.refusal, None
    state = browser.begin()
    client.refusal = refusal
    reply = browser.come_back(state, **answer)
    assert reply.status == status
    assert browser.cookies == {}
    page = html.unescape(reply.body)
    assert f'href="{error_url(error)}"' in page
    return page


def test_what_proves_nothing_is_refused(service: ProviderService, browser: FakeBrowser) -> None:
    assert "not valid (code)" in refused(browser, 401, "invalid_answer", code="bad")
    assert "not complete" in refused(browser, 400, "invalid_answer", iss=ISSUER)
    service.provider.refusal = SignInRefused(RefusalReason.NONCE)
    assert "not valid (nonce)" in refused(browser, 401, "invalid_answer")
    service.provider.refusal = ProviderUnavailable(ProviderFault.SIZE, "too large")
    assert "can't be used" in refused(browser, 503, "unavailable")
    assert service.stored() == ROSA


def test_who_is_not_admitted_reads_why(service: ProviderService, browser: FakeBrowser) -> None:
    usual = service.provider.identity_.claims
    changes: list[tuple[dict[str, object], str, str]] = [
        ({"preferred_username": ""}, "username_missing", "no name"),
        ({"email_verified": False}, "email_missing", "verified"),
        ({"preferred_username": "bea"}, "name_taken", "taken"),
        ({"groups": []}, "not_admitted", "administrator"),
    ]
    for claims, error, text in changes:
        service.provider.identity_ = Identity(ISSUER, "2", {**usual, **claims})
        service.provider.codes.add("good")
        assert text in refused(browser, 403, error)
    assert "(taken)" in service.logged.getvalue()
    assert "bea" not in service.logged.getvalue().lower()


def test_a_disabled_member_is_refused_like_an_unknown_one() -> None:
    pages = []
    for members in (InMemoryMembers(BOSS, replace(ROSA, disabled=True)), InMemoryMembers(BOSS)):
        provider = FakeClient(replace(PROVIDER, creates_members=False))
        pages.append(refused(FakeBrowser(ProviderService(members, provider)), 403, "not_admitted"))
    assert pages[0] == pages[1]


def test_refusals_are_noted(service: ProviderService, browser: FakeBrowser) -> None:
    refused(browser, 401, "invalid_answer", code="bad")
    service.provider.identity_ = Identity(ISSUER, "1", {"groups": []})
    refused(browser, 403, "not_admitted")
    service.provider.codes.add("good")
    service.provider.identity_ = Identity(ISSUER, "2", {"groups": []})
    refused(browser, 403, "not_admitted")
    assert service.refused == ["", "r", ""]


def test_changes_are_made_in_the_name_of_the_provider(
    service: ProviderService, browser: FakeBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    actors: list[Actor] = []
    change = service.members.change

    def noted(*arguments: Any, **options: Any) -> None:
        actors.append(present_actor())
        change(*arguments, **options)

    monkeypatch.setattr(service.members, "change", noted)
    browser.sign_in()
    assert actors == [Actor(way="id")]


def test_a_store_that_is_down_is_said(service: ProviderService, browser: FakeBrowser) -> None:
    state = browser.begin()

    def fail(issuer: str, subject: str) -> None:
        raise Unavailable(verbatim("The store is too busy."))

    service.members.by_link = fail  # type: ignore[method-assign]
    assert browser.come_back(state).status == 503


# --- attacks ---


def test_the_callback_works_once(service: ProviderService, browser: FakeBrowser) -> None:
    state = browser.begin()
    assert browser.come_back(state).status == 302
    service.provider.codes.add("good")
    reply = browser.come_back(state)
    assert (reply.status, "Location" in reply.headers) == (400, False)
    assert "already completed" in reply.body
    assert len(service.provider.asked) == 1


def test_a_replayed_cookie_gets_as_far_as_the_provider(service: ProviderService) -> None:
    """The functions keep nothing. The provider takes its code once."""
    browser = FakeBrowser(service)
    state = browser.begin()
    kept = dict(browser.cookies)
    assert browser.come_back(state).status == 302
    browser.cookies = kept
    assert browser.come_back(state).status == 401
    assert len(service.stored().codes) == 1


def test_another_browser_cannot_end_it(service: ProviderService, browser: FakeBrowser) -> None:
    """Neither one without an attempt, nor one with an attempt of its own."""
    state = browser.begin()
    other = FakeBrowser(service)
    assert other.come_back(state).status == 400
    other.begin()
    assert other.come_back(state).status == 400
    assert service.provider.asked == []
    assert browser.come_back(state).status == 302


def test_two_tabs_do_not_meet(service: ProviderService, browser: FakeBrowser) -> None:
    first, second = browser.begin(returnTo=f"{PAGE}?tab=1"), browser.begin(returnTo=f"{PAGE}?tab=2")
    service.provider.codes = {"of 1", "of 2"}
    assert location(browser.come_back(second, code="of 2")).startswith(f"{PAGE}?tab=2&code=")
    assert location(browser.come_back(first, code="of 1")).startswith(f"{PAGE}?tab=1&code=")
    verifiers = [s256(asked["verifier"]) for asked in service.provider.asked]
    assert verifiers == [begun["challenge"] for begun in reversed(service.provider.begun)]


def test_an_attempt_ends_after_ten_minutes(service: ProviderService, browser: FakeBrowser) -> None:
    for age, status in ((ATTEMPT_LIFETIME - 1, 302), (ATTEMPT_LIFETIME, 400)):
        service.provider.codes = {"good"}
        state = browser.begin()
        service.clock.instant += age
        assert browser.come_back(state).status == status


def test_providers_are_not_mixed_up() -> None:
    """An answer that comes to the address of another provider never reaches that provider."""
    other = FakeClient(replace(PROVIDER, name="other", issuer="https://other.example.com"))
    service = ProviderService(others={"other": other})
    browser = FakeBrowser(service)
    state = browser.begin()
    assert browser.come_back(state, "other").status == 400
    assert (other.asked, service.provider.asked) == ([], [])


@each_row("state", ["", "x", "a" * 43, "a" * 5000, "\r\nSet-Cookie: a=b", "ä"])
def test_a_foreign_state_is_refused(state: str) -> None:
    service = ProviderService()
    browser = FakeBrowser(service)
    browser.begin()
    reply = browser.come_back(state)
    assert reply.status == 400
    assert all("\n" not in cookie for cookie in reply.headers["Set-Cookie"])
    assert service.provider.asked == []


def test_repeated_parameters_of_the_answer_are_refused(service: ProviderService) -> None:
    browser = FakeBrowser(service)
    for name in ("code", "error", "iss"):
        state = browser.begin()
        sent = "; ".join(f"{key}={value}" for key, value in browser.cookies.items())
        query = {"state": [state], "code": ["good"], name: ["good", "good"]}
        reply = service.send(
            "GET", CALLBACK, parameters={"provider": "id"}, query=query, headers={"cookie": sent}
        )
        assert (reply.status, name in reply.body) == (400, True)
    assert service.provider.asked == []


def test_failures_are_limited_by_network(service: ProviderService, browser: FakeBrowser) -> None:
    statuses = [browser.come_back(browser.begin(), code="bad").status for _number in range(12)]
    assert statuses == [401] * 10 + [429] * 2
    service.clock.instant += 60_000
    reply = browser.come_back(browser.begin())
    assert (reply.status, reply.headers["Retry-After"]) == (429, ["840"])
    assert "too_many_attempts" in reply.body
    assert len(service.provider.asked) == 10
    service.clock.instant += 840_001
    service.provider.codes = {"good"}
    assert browser.come_back(browser.begin()).status == 302


def test_many_can_sign_in_at_the_same_time(service: ProviderService) -> None:
    """Such as those of an office, which have one address: attempts that wait for the provider don't count."""
    browsers = [FakeBrowser(service) for _number in range(30)]
    service.provider.codes = {str(number) for number in range(len(browsers))}
    states = [browser.begin() for browser in browsers]
    barrier, statuses = Barrier(len(browsers)), list[int]()
    service.provider.before_identity = barrier.wait

    def come_back(number: int) -> None:
        statuses.append(browsers[number].come_back(states[number], code=str(number)).status)

    threads = [Thread(target=come_back, args=[number]) for number in range(len(browsers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [302] * len(browsers)


def test_sign_ins_that_succeed_are_not_limited(service: ProviderService, browser: FakeBrowser) -> None:
    for _number in range(30):
        service.provider.codes = {"good"}
        browser.sign_in()
    assert len(service.stored().codes) == 10


def test_no_secret_is_logged(service: ProviderService, browser: FakeBrowser) -> None:
    state = browser.begin()
    cookie = [*browser.cookies.values()]
    code = parameters(browser.come_back(state))["code"]
    browser.come_back(state)
    browser.come_back(browser.begin(), code="bad-but-secret")
    logged = service.logged.getvalue()
    secrets = [state, code, *cookie, "bad-but-secret", *(each["verifier"] for each in service.provider.asked)]
    assert [secret for secret in secrets if secret in logged] == []
    assert logged


# --- signing out ---


def test_signing_out_leads_to_the_provider(service: ProviderService, browser: FakeBrowser) -> None:
    reply = browser.get(SIGN_OUT, returnTo=PAGE)
    assert location(reply).startswith(f"{ISSUER}/logout?post_logout_redirect_uri=https%3A%2F%2Fapp.")
    service.provider.leaves = None
    assert location(browser.get(SIGN_OUT, returnTo=PAGE)) == PAGE
    reply = browser.get(SIGN_OUT, returnTo="https://evil.example/")
    assert (reply.status, "Location" in reply.headers) == (400, False)
