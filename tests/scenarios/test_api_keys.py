"""Programs and their API keys over HTTP: what a key reaches, what it does not, and how it ends."""

import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from stratabase.members.api_keys import MAX_KEYS
from stratabase.members.key_text import new_key_text
from tests.rows import each_row
from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running

MEMBERS = "/auth/administration/members"
ME = "/auth/administration/member"
ADMIN = basic("admin", PASSWORD)
SCHEMA = "/auth/api/schema/Hr"
CREATE = """
mutation { Employee___create(data: {first_name: "Ada", last_name: "Byron", email: "ada@x.org"}) { _id } }
"""


class Keys:
    """A service with a program, a person, and keys for both."""

    def __init__(self, service: RunningService) -> None:
        self.service = service
        self.rosa = service.join("rosa", "Manager")
        self.robot = self.program("robot")

    def send(
        self, method: str, path: str, authorization: str = ADMIN, body: Any = None, **rest: Any
    ) -> Reply:
        content = body if body is None or isinstance(body, str) else json.dumps(body)
        headers = {"Content-Type": "application/json", "Authorization": authorization, **rest}
        return self.service.request(method, path, headers=headers, body=content)

    def program(self, name: str, profile: str = "Manager") -> str:
        reply = self.send("POST", MEMBERS, body={"username": name, "profile": profile, "kind": "program"})
        assert reply.status == 201, reply.body
        return str(reply.json()["id"])

    def path(self, id_: str, key: str | None = None) -> str:
        return f"{MEMBERS}/{id_}/keys" + (f"/{key}" if key is not None else "")

    def key(self, id_: str, name: str, by: str = ADMIN, **values: Any) -> tuple[str, str]:
        """Make a key, and return its ID and the credentials with it."""
        reply = self.send("POST", self.path(id_), by, {"name": name, **values})
        assert reply.status == 201, reply.body
        return reply.json()["id"], f"Bearer {reply.json()['key']}"

    def graphql(self, authorization: str, query: str) -> Any:
        return self.send("POST", "/auth/api/graphql/Hr", authorization, {"query": query}).json()

    def admits(self, authorization: str) -> bool:
        reply = self.send("GET", SCHEMA, authorization)
        assert reply.status in {200, 401}, reply.body
        return reply.status == 200


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keys]:
    with running(tmp_path_factory.mktemp("keys") / "home") as service:
        yield Keys(service)


@each_row("form", ["json", "xml"])
def test_a_program_is_shown_as_one(form: str, keys: Keys) -> None:
    body: dict[str, str] = {"username": f"shown-{form}", "profile": "Manager", "kind": "program"}
    inner = "".join(f"<{name}>{value}</{name}>" for name, value in body.items())
    sent = json.dumps(body) if form == "json" else f"<user>{inner}</user>"
    reply = keys.send(
        "POST", f"{MEMBERS}?format={form}", body=sent, **{"Content-Type": f"application/{form}"}
    )
    assert reply.status == 201, reply.body
    id_ = reply.headers["location"].rpartition("/")[2]
    shown = keys.send("GET", f"{MEMBERS}/{id_}?format={form}").body
    fields = (
        json.loads(shown)
        if form == "json"
        else {each.tag: each.text or "" for each in ET.fromstring(shown)} | {"disabled": False}
    )
    assert fields == {**body, "id": id_, "email": "", "disabled": False}
    listed = keys.send("GET", MEMBERS).json()
    assert [each["kind"] for each in listed if each["id"] == id_] == ["program"]
    assert keys.send("DELETE", f"{MEMBERS}/{id_}").status == 200


def test_a_key_reads_and_writes_as_its_member(keys: Keys) -> None:
    _, key = keys.key(keys.robot, "as the member")
    assert keys.send("GET", ME, key).json()["username"] == "robot"
    created = keys.graphql(key, CREATE)["data"]["Employee___create"]["_id"]
    query = f'{{ Employee___get(_id: "{created}") {{ email _createdby }} }}'
    assert keys.graphql(key, query)["data"]["Employee___get"] == {"email": "ada@x.org", "_createdby": "robot"}
    assert (
        keys.graphql(key, f'mutation {{ Employee___delete(_id: "{created}") {{ deleted }} }}').get("errors")
        is None
    )


def test_a_key_with_a_narrower_profile_does_what_that_profile_may_do(keys: Keys) -> None:
    for id_, by in ((keys.robot, ADMIN), (keys.rosa, basic("rosa", PASSWORD))):
        _, key = keys.key(id_, "reports", by, profile="Reporter")
        assert (
            keys.graphql(key, "{ Employee___getPage { totalCount } }")["data"]["Employee___getPage"]
            is not None
        )
        (error,) = keys.graphql(key, CREATE)["errors"]
        assert error["extensions"]["issueType"] == "ENTITY_GRANT_CREATE"
        assert "create" not in keys.send("GET", SCHEMA, key).body.decode().partition("Mutation")[2]
        # What the member itself may do is unchanged.
        assert keys.send("GET", ME, key).json()["profile"] == "Manager"


@each_row("form", ["json", "xml"])
def test_a_key_reaches_nothing_that_would_outlast_it(form: str, keys: Keys) -> None:
    boss = keys.program(f"boss-{form}", "Administrator")
    key_id, key = keys.key(boss, "all")
    new = {"username": "eve", "email": "eve@example.com", "profile": "Administrator"}
    for method, path, fields in (
        ("GET", "/auth/token/refreshJwtToken", None),
        ("PUT", f"{MEMBERS}/{keys.rosa}", {"password": "correct horse battery"}),
        ("PUT", f"{MEMBERS}/{keys.rosa}", {"email": "eve@example.com"}),
        ("PUT", f"{MEMBERS}/{keys.rosa}", {"profile": "Administrator"}),
        ("POST", MEMBERS, new),
        ("POST", keys.path(boss), {"name": "another"}),
        ("POST", keys.path(keys.robot), {"name": "another"}),
        ("GET", keys.path(keys.robot), None),
        ("DELETE", keys.path(boss, key_id), None),
        ("GET", f"{MEMBERS}/{keys.rosa}/sessions", None),
        ("DELETE", f"{MEMBERS}/{keys.rosa}/sessions", None),
        ("GET", f"{MEMBERS}/{keys.rosa}/resetPassword", None),
    ):
        root = "key" if "/keys" in path else "user"
        inner = "".join(f"<{name}>{value}</{name}>" for name, value in (fields or {}).items())
        body = (
            None if fields is None else json.dumps(fields) if form == "json" else f"<{root}>{inner}</{root}>"
        )
        content_type = {"Content-Type": f"application/{form}"}
        reply = keys.send(method, f"{path}?format={form}", key, body, **content_type)
        # The contract demands 401 for a reset that is refused.
        expected = 401 if path.endswith("resetPassword") else 403
        assert reply.status == expected, (method, path, reply.body)
        assert "API keys and tokens of other services" in reply.body.decode()
    assert keys.send("PUT", f"{MEMBERS}/{keys.rosa}", key, {"notes": "seen"}).status == 200
    assert keys.send("DELETE", f"{MEMBERS}/{boss}").status == 200
    eventually(lambda: not keys.admits(key))


def test_the_last_administrator_is_a_person(keys: Keys) -> None:
    boss = keys.program("only boss", "Administrator")
    admin = keys.send("GET", ME).json()["id"]
    reply = keys.send("DELETE", f"{MEMBERS}/{admin}")
    assert (reply.status, b"only active administrator" in reply.body) == (500, True)
    assert keys.send("DELETE", f"{MEMBERS}/{boss}").status == 200


def test_a_program_has_no_password_and_gets_no_mail(keys: Keys) -> None:
    path = f"{MEMBERS}/{keys.robot}"
    outbox = keys.service.home / "outbox"
    before = sorted(outbox.glob("*")) if outbox.exists() else []
    for fields in ({"password": "correct horse battery"}, {"email": "r@example.com"}, {"kind": "person"}):
        assert keys.send("PUT", path, body=fields).status == 400
    reply = keys.send("GET", f"{path}/resetPassword")
    assert (reply.status, "is a program and has no password" in reply.json()["detail"]) == (400, True)
    for password in ("", PASSWORD):
        assert keys.send("GET", ME, basic("robot", password)).status == 401
    forgot = "/public/administration/forgotPassword"
    replies = [keys.send("POST", forgot, body={"username": name}) for name in ("robot", "nobody at all")]
    assert {(reply.status, reply.body) for reply in replies} == {(202, replies[0].body)}
    assert (sorted(outbox.glob("*")) if outbox.exists() else []) == before


def test_an_ended_key_a_disabled_program_and_a_deleted_one(keys: Keys) -> None:
    program = keys.program("short-lived")
    first, second = (keys.key(program, name) for name in ("first", "second"))
    assert all(keys.admits(key) for _, key in (first, second))
    assert keys.send("DELETE", keys.path(program, first[0])).status == 204
    eventually(lambda: not keys.admits(first[1]))
    assert keys.admits(second[1])
    for disabled in (True, False):
        keys.send("PUT", f"{MEMBERS}/{program}", body={"disabled": disabled})
        eventually(lambda disabled=disabled: keys.admits(second[1]) is not disabled)  # type: ignore[misc]
    assert keys.send("DELETE", f"{MEMBERS}/{program}").status == 200
    eventually(lambda: not keys.admits(second[1]))


def test_the_objects_of_a_program_are_handed_over(keys: Keys) -> None:
    program = keys.program("owner")
    _, key = keys.key(program, "all")
    customer = keys.graphql(key, 'mutation { Customer___create(data: {name: "Somebody"}) { _id } }')
    id_ = customer["data"]["Customer___create"]["_id"]
    project = f'{{code: "PRJ-0001", title: "A program\'s", customer: "{id_}"}}'
    created = keys.graphql(key, f"mutation {{ Project___create(data: {project}) {{ _ownedby }} }}")
    assert created.get("errors") is None, created
    assert created["data"]["Project___create"]["_ownedby"] == "owner"
    reply = keys.send("POST", f"{MEMBERS}/{program}/handOver", body={"to": keys.rosa})
    assert reply.json() == {"complete": True, "handedOver": 1, "locked": 0, "refused": 0}


def test_the_last_use_of_a_key_is_listed_by_the_hour(keys: Keys) -> None:
    program = keys.program("used")
    unused, (used, key) = keys.key(program, "unused")[0], keys.key(program, "used")
    assert keys.admits(key)
    listed = {each["id"]: each["lastUsed"] for each in keys.send("GET", keys.path(program)).json()}
    assert listed[unused] is None
    assert listed[used].endswith(":00:00.000Z")


def test_wrong_keys_get_the_same_response(keys: Keys) -> None:
    wrong = [
        new_key_text(keys.robot),
        new_key_text("06h0593dq73cnpjf43obui653g"),
        "stratabase_x",
        "stratabase_",
    ]
    replies = [keys.send("GET", ME, f"Bearer {text}") for text in wrong]
    assert {(reply.status, reply.json()["detail"]) for reply in replies} == {
        (401, "The API key is not valid.")
    }
    sizes = {
        tuple(sorted((name, value) for name, value in reply.headers.items() if name != "date"))
        for reply in replies
    }
    assert len({len(each) for each in sizes}) == 1


def test_a_key_can_be_sent_from_its_networks_only(keys: Keys) -> None:
    program = keys.program("confined")
    _, near = keys.key(program, "near", networks="127.0.0.0/8 203.0.113.0/24")
    _, far = keys.key(program, "far", networks="198.51.100.0/24")
    source = {"X-Forwarded-For": "203.0.113.9"}
    assert keys.send("GET", ME, near, **source).status == 200
    reply = keys.send("GET", ME, far, **source)
    assert (reply.status, "can't be sent from the address" in reply.json()["detail"]) == (403, True)


@pytest.mark.local
@pytest.mark.parametrize("arguments", [(), ("--workers=4",)], ids=["one process", "four processes"])
def test_keys_that_are_made_at_once_keep_their_limits(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """Of 60 keys at the same time, 50 are made; of 20 with one name, one. All work at once."""
    with running(tmp_path / "home", arguments=arguments) as service:
        keys = Keys(service)

        def make(name: str) -> Reply:
            return keys.send("POST", keys.path(keys.robot), body={"name": name})

        with ThreadPoolExecutor(20) as threads:
            same = [*threads.map(make, ["same"] * 20)]
            assert Counter(each.status for each in same) == {201: 1, 409: 19}
            others = [*threads.map(make, [f"key {number}" for number in range(60)])]
            assert Counter(each.status for each in others) == {201: MAX_KEYS - 1, 409: 60 - MAX_KEYS + 1}
            made = [f"Bearer {each.json()['key']}" for each in (*same, *others) if each.status == 201]
            assert len(set(made)) == MAX_KEYS
            assert all(threads.map(keys.admits, made * 4))
        assert len(keys.send("GET", keys.path(keys.robot)).json()) == MAX_KEYS
