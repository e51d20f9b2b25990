"""Sessions over HTTP: each sign-in is one, members see and end them, and their end ends their tokens."""

import json
import time
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jwt
import pytest

from stratabase.core.domain.objects.instant import parse_instant
from stratabase.members.keys.file import FileKeyring
from stratabase.members.keys.key_rotation import find_signing_key
from stratabase.members.sessions import MAX_SESSIONS
from stratabase.members.sign_in.json_web_tokens import sign_token
from tests.rows import each_row
from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running
from tests.soak import count

GET, REFRESH = "/public/token/getJwtToken", "/auth/token/refreshJwtToken"
MEMBERS = "/auth/administration/members"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
STALE = 'Bearer realm="Stratabase", error="insufficient_user_authentication", max_age="600"'
NAMES = ("admin", "bert", "carla", "dora", "emil", "fritz", "gina")


class Sessions:
    """A service with some members, who sign in."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.ids = {name: service.join(name, "Member") for name in NAMES[1:]}
        self.ids["admin"] = self.send("GET", "/auth/administration/member", basic("admin", PASSWORD)).json()[
            "id"
        ]

    def send(self, method: str, path: str, authorization: str = "", **rest: Any) -> Reply:
        own = {"Authorization": authorization} if authorization else {}
        return self.service.request(method, path, headers={**own, **rest.pop("headers", {})}, **rest)

    def sign_in(self, name: str, **headers: str) -> str:
        """Return the credentials of a new session."""
        body = json.dumps({"username": name, "password": PASSWORD})
        reply = self.send("POST", GET, body=body, headers={"User-Agent": FIREFOX, **headers})
        assert reply.status == 200, reply.body
        return f"Bearer {reply.json()['access_token']}"

    def path(self, name: str, session: str | None = None) -> str:
        return f"{MEMBERS}/{self.ids[name]}/sessions" + (f"/{session}" if session is not None else "")

    def of(self, name: str) -> list[Any]:
        """Return the sessions of a member, as an administrator sees them."""
        listed: list[Any] = self.send("GET", self.path(name), basic("admin", PASSWORD)).json()
        return listed

    def admits(self, credentials: str) -> bool:
        reply = self.send("GET", "/auth/administration/member", credentials)
        assert reply.status in {200, 401}, reply.body
        return reply.status == 200

    def forged(self, name: str, age: int, **claims: Any) -> str:
        """Return credentials that the service could have issued, for a sign-in some seconds ago."""
        now = int(time.time())
        key = find_signing_key(FileKeyring(self.service.home).keys(), now * 1000)
        assert key is not None
        common = {"iss": "stratabase", "aud": "Hr", "iat": now, "nbf": now, "exp": now + 600, "jti": "forged"}
        own = {"sub": name, "username": name, "__id": self.ids[name], "__generation": 1}
        signed = sign_token({**common, **own, "auth_time": now - age, **claims}, key)
        return f"Bearer {signed}"


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    home: Path = tmp_path_factory.mktemp("sessions") / "home"
    with running(home) as service:
        yield Sessions(service)


def session_of(credentials: str) -> str:
    return str(jwt.decode(credentials.partition(" ")[2], options={"verify_signature": False})["sid"])


def challenges(reply: Reply) -> str:
    return reply.headers["www-authenticate"]


def test_a_session_is_shown_with_what_tells_whose_it_is(sessions: Sessions) -> None:
    began = int(time.time() * 1000)
    first = sessions.sign_in("bert")
    second = sessions.sign_in("bert", **{"User-Agent": "curl/8.5.0"})
    reply = sessions.send("GET", sessions.path("bert"), second)
    listed = {each["id"]: each for each in reply.json()}
    assert (reply.status, reply.headers["cache-control"]) == (200, "no-store")
    assert listed.keys() == {session_of(first), session_of(second)}
    shown = listed[session_of(first)]
    assert shown == {
        "id": session_of(first),
        "since": shown["since"],
        "renewed": shown["since"],
        "way": "password",
        "device": "Firefox on Linux",
        "address": "127.0.0.1",
        "current": False,
    }
    assert began <= parse_instant(shown["since"]) <= int(time.time() * 1000)
    assert (listed[session_of(second)]["device"], listed[session_of(second)]["current"]) == ("curl", True)


def test_the_list_is_the_same_in_xml(sessions: Sessions) -> None:
    credentials = sessions.sign_in("carla")
    reply = sessions.send("GET", f"{sessions.path('carla')}?format=xml", credentials)
    assert (reply.status, reply.headers["content-type"]) == (200, "application/xml")
    root = ET.fromstring(reply.body)
    (shown,) = root
    assert (root.tag, shown.tag) == ("sessions", "session")
    assert {each.tag: each.text or "" for each in shown} == {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in sessions.send("GET", sessions.path("carla"), credentials).json()[0].items()
    }


def test_a_renewal_is_the_last_use_of_a_session(sessions: Sessions) -> None:
    first = sessions.sign_in("dora")
    (before,) = sessions.of("dora")
    reply = sessions.send("GET", REFRESH, first)
    assert reply.status == 200
    second = f"Bearer {reply.json()['access_token']}"
    (after,) = sessions.of("dora")
    assert session_of(second) == session_of(first) == after["id"]
    assert (after["since"], after["renewed"] >= before["renewed"]) == (before["since"], True)
    assert (after["device"], after["address"]) == ("Firefox on Linux", "127.0.0.1")


def test_whoever_signs_out_ends_that_session_only(sessions: Sessions) -> None:
    kept, ended = sessions.sign_in("emil"), sessions.sign_in("emil")
    assert sessions.admits(ended)
    reply = sessions.send("DELETE", sessions.path("emil", session_of(ended)), ended)
    assert (reply.status, reply.body) == (204, b"")
    assert [each["id"] for each in sessions.of("emil")] == [session_of(kept)]
    eventually(lambda: not sessions.admits(ended))
    reply = sessions.send("GET", REFRESH, ended)
    assert (reply.status, reply.json()["detail"]) == (401, "The token is not valid.")
    assert sessions.admits(kept)
    assert sessions.send("DELETE", sessions.path("emil", session_of(ended)), kept).status == 404


def test_all_sessions_end_together(sessions: Sessions) -> None:
    own = [sessions.sign_in("fritz") for _ in range(3)]
    assert all(map(sessions.admits, own))
    assert sessions.send("DELETE", sessions.path("fritz"), own[0]).status == 204
    assert sessions.of("fritz") == []
    for each in own:
        eventually(lambda each=each: not sessions.admits(each))  # type: ignore[misc]
    assert sessions.admits(sessions.sign_in("fritz"))


def test_a_new_password_ends_all_sessions(sessions: Sessions) -> None:
    credentials = sessions.sign_in("gina")
    change = json.dumps({"password": f"another {PASSWORD}"})
    path = f"{MEMBERS}/{sessions.ids['gina']}"
    assert sessions.send("PUT", path, basic("admin", PASSWORD), body=change).status == 200
    assert sessions.of("gina") == []
    eventually(lambda: not sessions.admits(credentials))


@each_row("form", ["json", "xml"])
def test_wrong_requests_say_what_is_wrong(form: str, sessions: Sessions) -> None:
    admin, bert = basic("admin", PASSWORD), sessions.sign_in("bert")
    nobody = f"{MEMBERS}/nobody/sessions"
    of_bert = session_of(bert)
    answers = {
        ("GET", sessions.path("admin"), bert): (403, "Only administrators can see and end sessions"),
        ("DELETE", sessions.path("admin"), bert): (403, "Only administrators can see and end sessions"),
        ("DELETE", sessions.path("admin", of_bert), bert): (403, "Only administrators can see and end"),
        ("GET", nobody, admin): (404, "A member with this ID does not exist"),
        ("DELETE", nobody, admin): (404, "A member with this ID does not exist"),
        ("DELETE", f"{nobody}/{of_bert}", admin): (404, "A member with this ID does not exist"),
        ("DELETE", sessions.path("carla", of_bert), admin): (404, "no session with this ID"),
        ("DELETE", sessions.path("bert", "none"), bert): (404, "no session with this ID"),
        ("DELETE", sessions.path("bert", "%00"), bert): (404, "no session with this ID"),
        ("DELETE", sessions.path("bert", "%ED%A0%80"), bert): (404, "no session with this ID"),
        ("DELETE", sessions.path("bert", "x" * 3000), bert): (404, "no session with this ID"),
        ("GET", sessions.path("bert"), ""): (401, "exactly one Authorization header"),
        ("DELETE", sessions.path("bert"), ""): (401, "exactly one Authorization header"),
        ("POST", sessions.path("bert"), bert): (405, "The method POST is not supported"),
        ("GET", sessions.path("bert", of_bert), bert): (405, "The method GET is not supported"),
    }
    for (method, path, authorization), (status, detail) in answers.items():
        reply = sessions.send(method, f"{path}?format={form}", authorization)
        assert (reply.status, detail in reply.body.decode()) == (status, True), (method, path, reply.body)
        assert reply.headers["content-type"] == f"application/problem+{form}"
    assert sessions.send("GET", f"{sessions.path('bert')}?format=yaml", bert).status == 400
    assert sessions.admits(bert)


def test_the_addresses_answer_options(sessions: Sessions) -> None:
    for path, allowed in (
        (sessions.path("bert"), "GET, DELETE, HEAD, OPTIONS"),
        (sessions.path("bert", "x"), "DELETE, OPTIONS"),
    ):
        reply = sessions.send("OPTIONS", path)
        assert (reply.status, reply.headers["allow"]) == (204, allowed)


@pytest.mark.local
def test_administrators_end_sessions_of_others_only_after_a_fresh_sign_in(sessions: Sessions) -> None:
    """The keys are in a file here, so that the test can sign a token that is old enough."""
    victim = sessions.sign_in("bert")
    fresh = sessions.sign_in("admin")
    old = sessions.forged("admin", 601, sid=session_of(fresh), __generation=0)
    assert sessions.send("GET", sessions.path("bert"), old).status == 200
    for path in (sessions.path("bert", session_of(victim)), sessions.path("bert")):
        reply = sessions.send("DELETE", path, old)
        assert (reply.status, challenges(reply)) == (401, STALE)
        assert "sign in again" in reply.json()["detail"]
    assert sessions.admits(victim)
    assert sessions.send("DELETE", sessions.path("bert", session_of(victim)), fresh).status == 204
    own = sessions.path("admin", session_of(fresh))
    assert sessions.send("DELETE", own, old).status == 204


@pytest.mark.local
@each_row("form", ["json", "xml"])
def test_administrators_change_passwords_of_others_only_after_a_fresh_sign_in(
    form: str, sessions: Sessions
) -> None:
    old = sessions.forged("admin", 601, sid=session_of(sessions.sign_in("admin")), __generation=0)
    path = f"{MEMBERS}/{sessions.ids['carla']}?format={form}"

    def put(**fields: str) -> Reply:
        inner = "".join(f"<{name}>{value}</{name}>" for name, value in fields.items())
        return sessions.send(
            "PUT", path, old, body=json.dumps(fields) if form == "json" else f"<user>{inner}</user>"
        )

    for fields in ({"password": f"changed {PASSWORD}"}, {"email": f"carla.{form}@example.org"}):
        reply = put(**fields)
        assert (reply.status, challenges(reply)) == (401, STALE)
        assert "sign in again, or send your current password" in reply.body.decode()
        reply = put(**fields, currentPassword="wrong")
        assert (reply.status, challenges(reply)) == (401, 'Bearer realm="Stratabase"')
        assert put(**fields, currentPassword=PASSWORD).status == 200
    assert put(notes="needs no fresh sign-in").status == 200
    assert put(password=PASSWORD, currentPassword=PASSWORD).status == 200


@pytest.mark.local
def test_a_token_from_before_sessions_begins_one_when_it_is_renewed(sessions: Sessions) -> None:
    before = sessions.forged("dora", 3600)
    assert sessions.admits(before)
    known = {each["id"] for each in sessions.of("dora")}
    reply = sessions.send("GET", REFRESH, before)
    assert reply.status == 200
    after = f"Bearer {reply.json()['access_token']}"
    (new,) = [each for each in sessions.of("dora") if each["id"] not in known]
    assert new["id"] == session_of(after)
    assert abs(parse_instant(new["since"]) / 1000 - (time.time() - 3600)) < 600
    assert sessions.admits(after)
    assert sessions.send("DELETE", sessions.path("dora"), basic("admin", PASSWORD)).status == 204
    eventually(lambda: not sessions.admits(before))


@pytest.mark.soak
@pytest.mark.parametrize("arguments", [(), ("--workers=4",)], ids=["one process", "four processes"])
def test_sign_ins_at_the_same_time_all_get_a_session(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Of more than fifty, those that began last live."""
    clients = count(100, 100)
    with running(tmp_path / "home", arguments=arguments) as service:
        body = json.dumps({"username": "admin", "password": PASSWORD})
        for _ in range(count(1, 20)):
            with ThreadPoolExecutor(clients) as threads:
                replies = [*threads.map(lambda _: service.request("POST", GET, body=body), range(clients))]
            assert Counter(reply.status for reply in replies) == {200: clients}
            tokens = [f"Bearer {reply.json()['access_token']}" for reply in replies]
            me = service.request("GET", "/auth/administration/member", headers=AUTHORIZATION).json()["id"]
            path = f"{MEMBERS}/{me}/sessions"
            living = {each["id"] for each in service.request("GET", path, headers=AUTHORIZATION).json()}
            of_these = {session_of(token): token for token in tokens}
            assert len(of_these) == clients
            assert len(living) == MAX_SESSIONS
            assert living < of_these.keys()
            for session in living:
                headers = {"Authorization": of_these[session]}
                assert service.request("GET", path, headers=headers).status == 200
                assert service.request("GET", REFRESH, headers=headers).status == 200


AUTHORIZATION = {"Authorization": basic("admin", PASSWORD)}
