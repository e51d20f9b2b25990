"""The audit trail over HTTP: what requests leave there, who can read it, and what is forgotten."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from stratabase.core.domain.objects.instant import parse_instant
from stratabase.core.store.ids import least_id
from stratabase.members.audit_entry import HOUR
from tests.rows import each_row
from tests.service import PASSWORD, Reply, RunningService, basic, running

AUDIT, MEMBERS = "/auth/administration/audit", "/auth/administration/members"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
HERE = {"address": "127.0.0.1", "device": "Firefox on Linux"}
Entries = list[dict[str, Any]]


class Trail:
    """A service, and the entries of its audit trail."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.admin = self.send("GET", "/auth/administration/member").json()["id"]

    def send(
        self, method: str, path: str, body: Any = None, by: str | None = "admin", password: str = PASSWORD
    ) -> Reply:
        own = {} if by is None else {"Authorization": basic(by, password)}
        headers = {"Content-Type": "application/json", "User-Agent": FIREFOX, **own}
        text = None if body is None else json.dumps(body)
        return self.service.request(method, path, headers=headers, body=text)

    def change(self, id_: str, **fields: Any) -> None:
        reply = self.send("PUT", f"{MEMBERS}/{id_}", fields)
        assert reply.status == 200, reply.body

    def read(self, query: str = "") -> Entries:
        """Return a page of the trail."""
        reply = self.send("GET", f"{AUDIT}?{query}")
        assert reply.status == 200, reply.body
        page: Entries = reply.json()
        return page

    def about(self, member: str, *kinds: str) -> Entries:
        """Return the entries about a member, oldest first."""
        found = self.read(f"limit=200&member={member}")[::-1]
        return [each for each in found if not kinds or each["kind"] in kinds]

    def sign_in(self, username: str, password: str = PASSWORD) -> Reply:
        body = {"username": username, "password": password}
        return self.send("POST", "/public/token/getJwtToken", body, by=None)

    def mailed_token(self) -> str:
        """Return the token of the newest mailed link."""
        newest = max((self.service.home / "outbox").glob("*.eml"), key=lambda file: file.stat().st_mtime_ns)
        mail = message_from_bytes(newest.read_bytes(), policy=policy.default)
        assert isinstance(mail, EmailMessage)
        body = mail.get_body(("plain",))
        assert body is not None
        (token,) = re.findall(r"setPassword\?token=([\w.-]+)", body.get_content())
        return str(token)


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trail]:
    home: Path = tmp_path_factory.mktemp("audit") / "home"
    with running(home) as service:
        yield Trail(service)


def kinds(entries: Entries) -> list[str]:
    return [each["kind"] for each in entries]


def test_a_sign_in_says_who_from_where_and_how(trail: Trail) -> None:
    bert = trail.service.join("bert", "Member")
    assert trail.sign_in("BERT").status == 200
    (entry,) = trail.about(bert, "signedIn")
    assert entry == {
        "id": entry["id"],
        "at": entry["at"],
        "kind": "signedIn",
        "member": bert,
        "username": "bert",
        "actor": bert,
        "actorUsername": "bert",
        "way": "password",
        "session": entry["session"],
        **HERE,
    }
    (session,) = trail.send("GET", f"{MEMBERS}/{bert}/sessions").json()
    assert session["id"] == entry["session"]
    assert session["since"] <= entry["at"]


@pytest.mark.local
def test_refusals_are_counted_without_the_names_that_nobody_has(trail: Trail) -> None:
    carla = trail.service.join("carla", "Member")
    typed = "my secret passw0rd"
    for name in ("carla", "Carla", typed, "nobody", "other"):
        assert trail.sign_in(name, "wrong").status == 401
    assert trail.send("GET", "/auth/administration/member", by="carla", password="wrong").status == 401
    own = trail.about(carla, "signInRefused")
    assert sum(each["count"] for each in own) == 3
    assert all((each["actor"], each["way"], each["address"]) == ("", "", "") for each in own)
    assert all(parse_instant(each["at"]) % HOUR == 0 for each in own)
    everything = trail.read("limit=200")
    unknown = [each for each in everything if each["kind"] == "signInRefused" and not each["member"]]
    assert sum(each["count"] for each in unknown) == 3
    assert typed not in json.dumps(everything)
    stored = b"".join(file.read_bytes() for file in trail.service.home.glob("members.db*"))
    assert carla.encode() in stored
    assert typed.encode() not in stored


def test_basic_is_one_entry_an_hour(trail: Trail) -> None:
    dora = trail.service.join("dora", "Member")
    for _request in range(3):
        assert trail.send("GET", "/auth/administration/member", by="dora").status == 200
    found = trail.about(dora, "usedBasic")
    assert 1 <= len(found) <= 2  # an hour can end during the test
    assert all("count" not in each for each in found)
    assert {**found[0], **HERE, "actor": dora, "way": "password"} == found[0]


def test_the_life_of_a_member_is_reported_from_creation_to_deletion(trail: Trail) -> None:
    phrase = "a new pass phrase"
    new = {"username": "emil", "email": "emil@example.com", "profile": "Member"}
    emil = trail.send("POST", MEMBERS, new).json()["id"]
    token = trail.mailed_token()
    link = {"token": token, "password": phrase}
    assert trail.send("POST", "/public/administration/setPassword", link, by=None).status == 205
    trail.change(emil, profile="Manager", username="emilio")
    trail.change(emil, email="emilio@example.com")
    trail.change(emil, disabled=True)
    trail.change(emil, disabled=False)
    trail.change(emil, notes="nothing to report")
    found = trail.about(emil)
    assert kinds(found) == [
        "memberCreated",
        "passwordLinkMade",
        "passwordChanged",
        "profileChanged",
        "usernameChanged",
        "emailChanged",
        "memberDisabled",
        "memberEnabled",
    ]
    created, link_made, password, profile = found[:4]
    assert (created["profile"], created["memberKind"], created["actor"]) == ("Member", "person", trail.admin)
    assert (link_made["actor"], link_made["way"]) == (trail.admin, "password")
    assert (password["actor"], password["way"], password["device"]) == (emil, "link", "Firefox on Linux")
    assert (profile["from"], profile["to"]) == ("Member", "Manager")
    assert {**profile, **HERE, "actor": trail.admin, "actorUsername": "admin"} == profile
    assert trail.send("GET", "/auth/administration/member", by="emilio", password=phrase).status == 200
    assert trail.send("DELETE", f"{MEMBERS}/{emil}").status == 200
    after = trail.about(emil)
    assert [kind for kind in kinds(after) if kind != "usedBasic"] == [*kinds(found), "memberDeleted"]
    own = [each for each in after if each["actor"] == emil]
    assert len(own) >= 2
    assert {(each["address"], each["device"], each["username"]) for each in own} == {("", "", "")}
    assert after[-1]["actor"] == trail.admin or after[-2]["actor"] == trail.admin
    assert "emil" not in json.dumps(after)


def test_ended_sessions_are_reported(trail: Trail) -> None:
    fritz = trail.service.join("fritz", "Member")
    for _session in range(3):
        assert trail.sign_in("fritz").status == 200
    sessions = trail.send("GET", f"{MEMBERS}/{fritz}/sessions").json()
    one = sessions[0]["id"]
    assert trail.send("DELETE", f"{MEMBERS}/{fritz}/sessions/{one}", by="fritz").status == 204
    assert trail.send("DELETE", f"{MEMBERS}/{fritz}/sessions").status == 204
    first, second = trail.about(fritz, "sessionEnded")
    assert (first["session"], first["actor"]) == (one, fritz)
    assert (second["sessions"], second["actor"]) == ("2", trail.admin)


def test_keys_are_reported_with_their_names_until_the_member_is_deleted(trail: Trail) -> None:
    robot = {"username": "nightly", "profile": "Member", "kind": "program"}
    id_ = trail.send("POST", MEMBERS, robot).json()["id"]
    made = trail.send("POST", f"{MEMBERS}/{id_}/keys", {"name": "Laptop of Ines"})
    assert made.status == 201, made.body
    key = made.json()
    used = trail.service.request(
        "GET", "/auth/administration/member", headers={"Authorization": f"Bearer {key['key']}"}
    )
    assert used.status == 200, used.body
    assert trail.send("DELETE", f"{MEMBERS}/{id_}/keys/{key['id']}").status == 204
    created, ended = trail.about(id_, "keyCreated", "keyEnded")
    for entry in (created, ended):
        assert (entry["key"], entry["name"], entry["actor"]) == (key["id"], "Laptop of Ines", trail.admin)
    assert key["key"] not in json.dumps(trail.about(id_))
    assert trail.send("DELETE", f"{MEMBERS}/{id_}").status == 200
    after = trail.about(id_, "keyCreated", "keyEnded")
    assert [each.get("name") for each in after] == [None, None]
    assert [each["address"] for each in after] == ["127.0.0.1"] * 2, "that of the administrator"


def test_pages_lead_to_each_other(trail: Trail) -> None:
    everything = trail.read("limit=200")
    assert [each["id"] for each in everything] == sorted((each["id"] for each in everything), reverse=True)
    seen: Entries = []
    path: str | None = f"{AUDIT}?limit=3&format=json"
    while path:
        reply = trail.send("GET", path)
        assert len(reply.json()) <= 3
        seen += reply.json()
        link = re.fullmatch(r'<(.+)>; rel="next"', reply.headers.get("link", ""))
        parts = urlsplit(link[1]) if link else None
        path = parts and f"{parts.path}?{parts.query}"
        assert path is None or "limit=3" in path
    assert [each["id"] for each in seen] == [each["id"] for each in everything]
    assert trail.read(f"after={everything[0]['id']}&limit=1") == everything[1:2]
    assert trail.read(f"after={least_id(1)}") == []


def test_the_trail_is_the_same_in_xml(trail: Trail) -> None:
    reply = trail.send("GET", f"{AUDIT}?format=xml&limit=5")
    assert (reply.status, reply.headers["content-type"]) == (200, "application/xml")
    assert reply.headers["cache-control"] == "no-store"
    root = ET.fromstring(reply.body)
    assert root.tag == "entries"
    found = [{each.tag: each.text or "" for each in entry} for entry in root]
    assert found == [{name: str(text) for name, text in each.items()} for each in trail.read("limit=5")]


BAD = [
    ("limit=0", "limit"),
    ("limit=201", "limit"),
    ("limit=-1", "limit"),
    ("limit=1.5", "limit"),
    ("limit=", "limit"),
    ("limit=%D9%A3", "limit"),
    (f"limit={'9' * 5000}", "limit"),
    ("limit=1&limit=2", "limit"),
    ("after=", "after"),
    ("after=x", "after"),
    (f"after={'v' * 26}", "after"),
    (f"after={'0' * 27}", "after"),
    ("after=%00", "after"),
    (f"after={least_id(1)}&after={least_id(2)}", "after"),
    ("member=", "member"),
    ("member=anna", "member"),
    ("member=%ED%A0%80", "member"),
]


@each_row(("query", "name"), BAD)
@each_row("form", ["json", "xml"])
def test_a_wrong_parameter_is_a_clear_refusal(query: str, name: str, form: str, trail: Trail) -> None:
    reply = trail.send("GET", f"{AUDIT}?{query}&format={form}")
    assert (reply.status, reply.headers["content-type"]) == (400, f"application/problem+{form}")
    assert name.encode() in reply.body
    assert len(reply.body) < 600


def test_only_administrators_read_the_trail(trail: Trail) -> None:
    trail.service.join("gina", "Member")
    assert trail.send("GET", AUDIT, by="gina").status == 403
    assert trail.send("GET", AUDIT, by=None).status == 401
    reply = trail.send("OPTIONS", AUDIT, by=None)
    assert (reply.status, reply.headers["allow"]) == (204, "GET, HEAD, OPTIONS")
    assert trail.send("POST", AUDIT, {}).status == 405
    assert trail.send("GET", f"{AUDIT}?format=csv").status == 400
    assert trail.read(f"member={least_id(1)}") == []


def test_lines_of_the_log_have_no_usernames_or_email_addresses(trail: Trail) -> None:
    hanna = trail.service.join("hanna", "Member", email="hanna@example.com")
    assert trail.sign_in("hanna").status == 200
    assert trail.sign_in("hanna", "wrong").status == 401
    trail.change(hanna, profile="Manager")
    assert trail.send("DELETE", f"{MEMBERS}/{hanna}").status == 200
    lines = [line for line in trail.service.log().splitlines() if line.startswith("{")]
    assert lines
    assert "hanna" not in "".join(lines)
