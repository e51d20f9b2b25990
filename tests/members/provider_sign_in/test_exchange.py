"""Exchanging codes and access tokens for tokens, request by request."""

import base64
import json
import random
import xml.etree.ElementTree as ET
from dataclasses import replace
from threading import Barrier, Thread
from urllib.parse import urlencode

import pytest

from stratabase.core.domain.caller import SentToken
from stratabase.core.domain.issues.refusals import Unauthenticated
from stratabase.members.credentials import Session
from stratabase.members.endpoints.exchange import ACCESS_TOKEN, GRANT_TYPE
from stratabase.members.member import Member, MemberKind
from stratabase.members.provider_sign_in.codes import CODE_LIFETIME
from stratabase.members.providers.provider import Identity
from stratabase.members.providers.refusals import ProviderFault, ProviderUnavailable
from tests.in_memory_members import InMemoryMembers
from tests.members.provider_sign_in.fake_client import CLAIMS, ISSUER
from tests.members.provider_sign_in.provider_service import (
    BOSS,
    EXCHANGE,
    LINK,
    LINKS,
    VERIFIER,
    FakeBrowser,
    ProviderService,
)
from tests.rows import each_row
from tests.soak import count, seed

FORM = "application/x-www-form-urlencoded"


@pytest.fixture
def service() -> ProviderService:
    return ProviderService()


@pytest.fixture
def code(service: ProviderService) -> str:
    """Return the code with which a sign-in has just ended."""
    return FakeBrowser(service).sign_in()


def by_code(code: str, verifier: str = VERIFIER) -> dict[str, str]:
    return {"code": code, "verifier": verifier}


def by_token(token: str) -> dict[str, str]:
    return {"grant_type": GRANT_TYPE, "subject_token": token, "subject_token_type": ACCESS_TOKEN}


def access_token(issuer: str = ISSUER) -> str:
    """Return a token that claims an issuer. The client of a provider verifies it."""
    parts = ({"alg": "RS256"}, {"iss": issuer})
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode() for part in parts]
    return ".".join([*encoded, "signature"])


# --- codes ---


def test_a_code_gets_a_token(service: ProviderService, code: str) -> None:
    reply = service.exchanged(by_code(code), headers={"user-agent": "curl/8.5"})
    value = reply.json()
    assert (reply.status, value["token_type"], value["expires_in"]) == (200, "Bearer", 1800)
    assert set(value) == {"access_token", "token_type", "expires_in"}
    assert (reply.headers["Cache-Control"], reply.headers["Pragma"]) == (["no-store"], ["no-cache"])
    caller = service.tokens.caller(value["access_token"])
    (session,) = service.stored().sessions
    assert (caller.id, caller.proof) == ("r", SentToken(service.clock.instant, session.id))
    assert (session.way, session.device, session.address) == ("id", "curl", "192.0.2.7")
    assert [each.session for each in service.stored().codes] == [session.id]


def test_xml_and_forms_get_a_token_too(service: ProviderService) -> None:
    browser = FakeBrowser(service)
    fields = by_code(browser.sign_in())
    body = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
    query = {"format": ["xml"]}
    reply = service.send("POST", EXCHANGE, query=query, body=f"<exchange>{body}</exchange>")
    root = ET.fromstring(reply.body)
    assert (root.tag, root.findtext("token_type")) == ("token", "Bearer")
    service.provider.codes = {"good"}
    form = urlencode(by_code(browser.sign_in()))
    reply = service.send("POST", EXCHANGE, body=form, headers={"content-type": FORM})
    assert (reply.status, reply.headers["Content-Type"]) == (200, ["application/json"])
    assert len(service.stored().sessions) == 2


def test_a_code_works_once(service: ProviderService, code: str) -> None:
    assert service.exchanged(by_code(code)).status == 200
    assert service.exchanged(by_code(code, "x" * 43)).status == 401
    assert len(service.stored().sessions) == 1


def test_a_second_use_ends_the_session_of_the_first(service: ProviderService, code: str) -> None:
    """One of the two has stolen the code and its verifier. Who has only the code ends nothing."""
    token = service.exchanged(by_code(code)).json()["access_token"]
    other = service.token_of("r")
    assert service.exchanged(by_code(code)).status == 401
    with pytest.raises(Unauthenticated):
        service.tokens.caller(token)
    assert service.tokens.caller(other).id == "r"
    assert service.exchanged(by_code(code)).status == 401
    assert (len(service.stored().sessions), service.stored().codes) == (1, ())


def test_a_code_that_has_expired_ends_no_session(service: ProviderService, code: str) -> None:
    service.exchanged(by_code(code))
    service.clock.instant += CODE_LIFETIME
    assert service.exchanged(by_code(code)).status == 401
    assert len(service.stored().sessions) == 1


def test_a_code_works_for_a_minute(service: ProviderService) -> None:
    for age, status in ((CODE_LIFETIME - 1, 200), (CODE_LIFETIME, 401)):
        service.provider.codes = {"good"}
        code = FakeBrowser(service).sign_in()
        service.clock.instant += age
        assert service.exchanged(by_code(code)).status == status


def test_a_session_counts_from_the_sign_in(service: ProviderService, code: str) -> None:
    begun = service.clock.instant
    service.clock.instant += 30_000
    service.exchanged(by_code(code))
    (session,) = service.stored().sessions
    assert (session.since, session.renewed) == (begun, begun + 30_000)


def test_an_old_sign_in_to_the_provider_is_not_fresh(service: ProviderService) -> None:
    hour_ago = service.clock.instant // 1000 - 3600
    service.provider.identity_ = replace(service.provider.identity_, authenticated=hour_ago)
    token = service.exchanged(by_code(FakeBrowser(service).sign_in())).json()["access_token"]
    (session,) = service.stored().sessions
    assert session.since == service.clock.instant - 601_000
    assert service.tokens.caller(token).id == "r"


def test_who_has_only_the_code_gets_nothing(service: ProviderService, code: str) -> None:
    texts = set()
    for fields in (
        by_code(code, "x" * 43),
        by_code(code, ""),
        by_code(f"b.{code.partition('.')[2]}"),
        by_code(f"nobody.{code.partition('.')[2]}"),
        by_code(code[:-1] + ("A" if code[-1] != "A" else "B")),
        by_code(code + " "),
        by_code(""),
        by_code("r." + "ä" * 43),
    ):
        reply = service.send("POST", EXCHANGE, body=json.dumps(fields))
        assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, ['Bearer realm="Stratabase"'])
        texts.add(reply.json()["detail"])
        service.attempts.noted.clear()
    assert len(texts) == 1, "the reasons are not told apart"
    assert service.exchanged(by_code(code)).status == 200, "a wrong verifier does not end a code"


def test_a_disabled_member_gets_nothing(service: ProviderService, code: str) -> None:
    before = service.stored()
    service.members.change(before, replace(before, disabled=True))
    assert service.exchanged(by_code(code)).status == 401


def test_a_profile_that_the_model_lacks_is_said(service: ProviderService, code: str) -> None:
    def issue(member: Member, session: Session) -> None:
        service.tokens._callers(member)  # as the app does

    before = service.stored()
    service.members.change(before, replace(before, profile="Gone"))
    service.issue = issue  # type: ignore[method-assign, assignment]
    assert service.exchanged(by_code(code)).status == 403
    assert service.stored().sessions == ()


@each_row(
    ("fields", "text"),
    [
        ({}, "verifier"),
        ({"code": "x"}, "verifier"),
        ({"verifier": "x"}, "code"),
        ({"code": "x", "verifier": 7}, "verifier"),
        ({"code": None, "verifier": "x"}, "code"),
        ({"code": "x", "verifier": "x" * 129}, "128"),
        ({"code": "x" * 4097, "verifier": "x"}, "4,096"),
        ({"code": "x", "verifier": "x", "redirect_uri": "x"}, "redirect_uri"),
        ({**by_token("x"), "code": "x", "verifier": "x"}, "code"),
        ({"subject_token": "x", "subject_token_type": ACCESS_TOKEN}, "grant_type"),
        ({**by_token("x"), "grant_type": "password"}, GRANT_TYPE),
        ({**by_token("x"), "subject_token_type": "urn:ietf:params:oauth:token-type:id_token"}, ACCESS_TOKEN),
        ({**by_token("x"), "requested_token_type": "urn:ietf:params:oauth:token-type:jwt"}, ACCESS_TOKEN),
        ({**by_token("x"), "actor_token": "x"}, "actor_token"),
        ({**by_token("x" * 8193)}, "8,192"),
    ],
)
def test_a_body_that_proves_nothing_is_refused(fields: dict[str, object], text: str) -> None:
    service = ProviderService()
    reply = service.send("POST", EXCHANGE, body=json.dumps(fields))
    assert (reply.status, text in reply.body) == (400, True)
    assert service.attempts.noted == {}


def test_failures_are_limited_by_network(service: ProviderService, code: str) -> None:
    """As those of passwords are, and for codes and access tokens together."""
    statuses = [
        service.exchanged(by_code("r.x") if number % 2 else by_token(access_token())).status
        for number in range(12)
    ]
    assert statuses == [401] * 10 + [429] * 2
    reply = service.exchanged(by_code(code))
    assert (reply.status, "Retry-After" in reply.headers) == (429, True)


def test_of_two_uses_at_the_same_time_one_wins() -> None:
    """Threads that share the members: the stores decide the same race in the tests of contracts."""
    chance = random.Random(seed())
    for _round in range(count(20, 1000)):
        service = ProviderService()
        code = FakeBrowser(service).sign_in()
        threads = chance.choice([2, 2, 3, 8])
        barrier, statuses = Barrier(threads), list[int]()

        def use(
            service: ProviderService = service,
            code: str = code,
            barrier: Barrier = barrier,
            statuses: list[int] = statuses,
        ) -> None:
            _ = service.handler
            barrier.wait()
            statuses.append(service.exchanged(by_code(code)).status)

        _ = service.handler, service.documented, service.exchange, service.tokens
        users = [Thread(target=use) for _number in range(threads)]
        for user in users:
            user.start()
        for user in users:
            user.join()
        assert sorted(statuses) == [200] + [401] * (threads - 1)
        assert service.stored().sessions == (), "the others came second, which ends the session"


# --- access tokens of providers ---


def test_an_access_token_gets_a_token(service: ProviderService) -> None:
    token = access_token()
    service.provider.tokens[token] = Identity(ISSUER, "1", {"scope": "x"})
    reply = service.exchanged({**by_token(token), "requested_token_type": ACCESS_TOKEN})
    value = reply.json()
    assert (reply.status, value["issued_token_type"]) == (200, ACCESS_TOKEN)
    assert service.tokens.caller(value["access_token"]).id == "r"
    (session,) = service.stored().sessions
    assert (session.way, session.since) == ("id", service.clock.instant - 601_000)


def test_a_form_is_what_the_standard_has(service: ProviderService) -> None:
    token = access_token()
    service.provider.tokens[token] = Identity(ISSUER, "1", dict(CLAIMS))
    reply = service.send("POST", EXCHANGE, body=urlencode(by_token(token)), headers={"content-type": FORM})
    assert reply.status == 200
    assert service.stored().profile == "Clerk"


def test_a_program_gets_a_token(service: ProviderService) -> None:
    service.members = InMemoryMembers(
        BOSS, Member("p", "robot", "", "Clerk", kind=MemberKind.PROGRAM, links=(LINK,))
    )
    token = access_token()
    service.provider.tokens[token] = Identity(ISSUER, "1", {})
    value = service.exchanged(by_token(token)).json()
    assert service.tokens.caller(value["access_token"]).id == "p"


def test_a_program_has_not_signed_in_whatever_its_token_says(service: ProviderService) -> None:
    """So who gets hold of the token of an administrator's program makes no administrator, as with a key."""
    service.members = InMemoryMembers(
        BOSS, Member("p", "robot", "", "Boss", kind=MemberKind.PROGRAM, links=(LINK,))
    )
    token = access_token()
    service.provider.tokens[token] = Identity(ISSUER, "1", {}, service.clock.instant // 1000)
    own = service.exchanged(by_token(token)).json()["access_token"]
    (session,) = service.stored("p").sessions
    assert session.since == service.clock.instant
    assert service.tokens.caller(own).proof == SentToken(None, session.id)
    for id_ in ("p", "b"):
        for method, body in (("GET", None), ("POST", '{"provider": "id", "subject": "2"}')):
            reply = service.send(method, LINKS, parameters={"id": id_}, token=own, body=body)
            assert (reply.status, "API keys and tokens of other services" in reply.body) == (403, True)


def test_all_others_get_the_same_refusal(service: ProviderService) -> None:
    known, unknown, gone = access_token(), f"{access_token()}2", f"{access_token()}3"
    service.provider.tokens = {
        unknown: Identity(ISSUER, "2", dict(CLAIMS)),
        gone: Identity(ISSUER, "1", {"groups": []}),
    }
    texts = set()
    for token in (known, unknown, gone, access_token("https://evil.example"), "x", "", "a.b.c", "..", "ä"):
        reply = service.exchanged(by_token(token))
        assert (reply.status, reply.headers["WWW-Authenticate"]) == (401, ['Bearer realm="Stratabase"'])
        texts.add(reply.json()["detail"])
        service.attempts.noted.clear()
    assert len(texts) == 1
    assert len(service.members.roster().members) == 2, "nobody was made a member"
    own = service.exchanged(by_token(service.token_of("b")))
    assert own.status == 401, "own tokens are not exchanged"


def test_refusals_are_noted(service: ProviderService) -> None:
    token, unknown = access_token(), f"{access_token()}2"
    service.provider.tokens = {
        token: Identity(ISSUER, "1", {"groups": []}),
        unknown: Identity(ISSUER, "2", {}),
    }
    for fields in (by_code("r.x"), by_token(token), by_token(unknown), by_token("x")):
        assert service.exchanged(fields).status == 401
    assert service.refused == ["", "r", "", ""]


def test_a_provider_that_cannot_be_used_is_said(service: ProviderService) -> None:
    service.provider.refusal = ProviderUnavailable(ProviderFault.TIMEOUT, "too slow")
    assert service.exchanged(by_token(access_token())).status == 503
    assert all(not noted for noted in service.attempts.noted.values()), "it is no failure of the client"


def test_no_secret_is_logged(service: ProviderService, code: str) -> None:
    service.exchanged(by_code(code, "x" * 43))
    token = service.exchanged(by_code(code)).json()["access_token"]
    service.exchanged(by_token("secret.of.another"))
    logged = service.logged.getvalue()
    assert [each for each in (code, VERIFIER, token, "secret.of.another") if each in logged] == []
    assert logged
