"""Linking accounts at providers, request by request."""

import json
from dataclasses import replace
from threading import Barrier, Thread
from typing import Any

import pytest

from stratabase.members.credentials import ProviderLink
from stratabase.members.member import Member, MemberKind
from stratabase.members.provider_links import MAX_LINKS
from stratabase.members.provider_sign_in.codes import CODE_LIFETIME
from tests.core.http.reply import Reply
from tests.in_memory_members import InMemoryMembers
from tests.members.provider_sign_in.fake_client import ISSUER
from tests.members.provider_sign_in.provider_service import (
    BOSS,
    LINKS,
    REMOVE,
    ROSA,
    VERIFIER,
    FakeBrowser,
    ProviderService,
)

ANNA = Member("a", "Anna", "anna@example.com", "Clerk", password="hash of old")
ROBOT = Member("p", "robot", "", "Clerk", kind=MemberKind.PROGRAM)


@pytest.fixture
def service() -> ProviderService:
    service = ProviderService(InMemoryMembers(BOSS, ROSA, ANNA, ROBOT))
    service.provider.identity_ = replace(service.provider.identity_, subject="2")
    return service


@pytest.fixture
def code(service: ProviderService) -> str:
    """Return the code with which a linking of the account 2 has ended."""
    return FakeBrowser(service).sign_in(purpose="link")


def add(service: ProviderService, id_: str, token: str, **fields: Any) -> Reply:
    return service.send("POST", LINKS, token=token, parameters={"id": id_}, body=json.dumps(fields))


def remove(service: ProviderService, id_: str, token: str, provider: str = "id") -> Reply:
    return service.send("DELETE", REMOVE, token=token, parameters={"id": id_, "provider": provider})


def listed(service: ProviderService, id_: str, token: str) -> Reply:
    return service.send("GET", LINKS, token=token, parameters={"id": id_})


def test_a_member_links_an_account(service: ProviderService, code: str) -> None:
    token = service.token_of("a")
    reply = add(service, "a", token, code=code, verifier=VERIFIER)
    value = {"provider": "id", "issuer": ISSUER, "subject": "2", "since": "01/01/2020 12:00"}
    assert (reply.status, reply.json()) == (201, value)
    assert reply.headers["Cache-Control"] == ["no-store"]
    assert listed(service, "a", token).json() == [value]
    assert listed(service, "a", service.token_of("b")).json() == [value]

    service.provider.codes = {"good"}
    assert FakeBrowser(service).sign_in().startswith("a."), "and signs in with it"


def test_links_can_be_xml(service: ProviderService, code: str) -> None:
    query = {"format": ["xml"]}
    body = f"<link><code>{code}</code><verifier>{VERIFIER}</verifier></link>"
    token = service.token_of("a")
    reply = service.send("POST", LINKS, token=token, parameters={"id": "a"}, body=body, query=query)
    assert (reply.status, "<link><provider>id</provider>" in reply.body) == (201, True)
    reply = service.send("GET", LINKS, token=token, parameters={"id": "a"}, query=query)
    assert "<links><link><provider>id</provider>" in reply.body


def test_a_linking_begins_no_session_and_makes_nobody(service: ProviderService, code: str) -> None:
    assert len(service.members.roster().members) == 4
    reply = service.exchanged({"code": code, "verifier": VERIFIER})
    assert reply.status == 401
    sign_in_code = "a." + "x" * 43
    assert add(service, "a", service.token_of("a"), code=sign_in_code, verifier=VERIFIER).status == 401


def test_the_code_belongs_to_who_has_the_verifier(service: ProviderService, code: str) -> None:
    """So nobody can link an own account to a member whose browser was led to a code."""
    token = service.token_of("a")
    assert add(service, "a", token, code=code, verifier="x" * 43).status == 401
    assert add(service, "a", token, code=code[:-1], verifier=VERIFIER).status == 401
    assert service.stored("a").links == ()
    service.clock.instant += CODE_LIFETIME
    assert add(service, "a", token, code=code, verifier=VERIFIER).status == 401


def test_a_link_that_is_made_twice_is_one(service: ProviderService, code: str) -> None:
    token = service.token_of("a")
    for _number in range(2):
        assert add(service, "a", token, code=code, verifier=VERIFIER).status == 201
    assert len(service.stored("a").links) == 1


def test_members_link_only_their_own_accounts(service: ProviderService, code: str) -> None:
    for id_, token in (("r", service.token_of("a")), ("a", service.token_of("b"))):
        assert add(service, id_, token, code=code, verifier=VERIFIER).status == 403
    assert listed(service, "r", service.token_of("a")).status == 403
    assert remove(service, "r", service.token_of("a")).status == 403
    assert listed(service, "unknown", service.token_of("b")).status == 404


def test_links_require_a_fresh_sign_in(service: ProviderService, code: str) -> None:
    old = service.token_of("r", age=601_000)
    for reply in (
        add(service, "r", old, code=code, verifier=VERIFIER),
        remove(service, "r", old),
        add(service, "p", service.token_of("b", age=601_000), provider="id", subject="x"),
    ):
        assert reply.status == 401
        (challenge,) = reply.headers["WWW-Authenticate"]
        assert 'error="insufficient_user_authentication"' in challenge
        assert 'max_age="600"' in challenge
    assert listed(service, "r", old).status == 200
    assert add(service, "r", service.token_of("r"), code=code, verifier=VERIFIER).status == 201


def test_an_account_belongs_to_one_member(service: ProviderService, code: str) -> None:
    assert add(service, "a", service.token_of("a"), code=code, verifier=VERIFIER).status == 201
    reply = add(service, "r", service.token_of("r"), code=code, verifier=VERIFIER)
    assert reply.status == 409
    assert "anna" not in reply.body.lower()


def test_of_two_members_who_link_one_account_one_wins(service: ProviderService, code: str) -> None:
    _ = service.handler, service.documented, service.links, service.tokens
    tokens = {id_: service.token_of(id_) for id_ in ("a", "r", "b")}
    barrier, statuses = Barrier(len(tokens)), list[int]()

    def link(id_: str) -> None:
        barrier.wait()
        statuses.append(add(service, id_, tokens[id_], code=code, verifier=VERIFIER).status)

    threads = [Thread(target=link, args=[id_]) for id_ in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [201, 409, 409]


def test_the_number_of_links_is_limited(service: ProviderService, code: str) -> None:
    before = service.stored("a")
    links = tuple(ProviderLink("https://other.example", str(each), "other", 0) for each in range(MAX_LINKS))
    service.members.change(before, replace(before, links=links))
    reply = add(service, "a", service.token_of("a"), code=code, verifier=VERIFIER)
    assert (reply.status, "20" in reply.body) == (409, True)


# --- removing ---


def test_a_removed_link_ends_its_sessions(service: ProviderService, code: str) -> None:
    add(service, "a", service.token_of("a"), code=code, verifier=VERIFIER)
    by_password, by_provider = service.token_of("a"), service.token_of("a", way="id")
    own = service.token_of("a", way="id")
    reply = remove(service, "a", own)
    assert (reply.status, reply.body) == (204, "")
    assert service.stored("a").links == ()
    service.clock.instant += 20_000
    assert listed(service, "a", by_provider).status == 401
    assert listed(service, "a", by_password).status == 200
    assert listed(service, "a", own).status == 200
    assert remove(service, "a", own).status == 404


def test_the_last_way_to_sign_in_stays(service: ProviderService, code: str) -> None:
    token = service.token_of("r")
    reply = remove(service, "r", token)
    assert (reply.status, "password" in reply.body) == (409, True)
    assert remove(service, "r", service.token_of("b")).status == 204, "an administrator can"
    assert add(service, "r", token, code=code, verifier=VERIFIER).status == 201


# --- programs ---


def test_administrators_link_programs(service: ProviderService) -> None:
    token = service.token_of("b")
    reply = add(service, "p", token, provider="id", subject="robot-1")
    assert (reply.status, reply.json()["issuer"]) == (201, ISSUER)
    assert service.stored("p").links[0].subject == "robot-1"
    assert add(service, "p", service.token_of("a"), provider="id", subject="x").status == 403
    assert add(service, "p", token, provider="other", subject="x").status == 404
    assert add(service, "a", token, provider="id", subject="x").status == 400, "a person signs in"
    assert add(service, "p", token, provider="id", subject="1").status == 409, "it is Rosa's"
    assert remove(service, "p", token).status == 204


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"code": "x"},
        {"provider": "id"},
        {"provider": "id", "subject": ""},
        {"code": "x", "verifier": "x", "provider": "id"},
        {"provider": "id", "subject": "x" * 256},
        {"provider": "id", "subject": 7},
        {"link": "x"},
    ],
)
def test_other_bodies_are_refused(service: ProviderService, fields: dict[str, Any]) -> None:
    assert add(service, "p", service.token_of("b"), **fields).status == 400
