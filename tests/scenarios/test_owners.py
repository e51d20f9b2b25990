"""Owners over HTTP, on each store: members are renamed or deleted, and their objects handed over."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.graph_client import over_dynamodb, over_sqlite
from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running

MODEL = Path(__file__).parent / "models" / "office.graphql"
MEMBERS = "/auth/administration/members"
ANOTHER_PASSWORD = "another battery staple"


class OwnersService:
    """A service in which an administrator creates members, and these create projects."""

    def __init__(self, service: RunningService) -> None:
        self._service = service

    def rest(self, method: str, path: str, body: Any = None, by: str = "admin") -> Reply:
        """Send a REST request, and return the response."""
        headers = {"Content-Type": "application/json", "Authorization": basic(by, PASSWORD)}
        if isinstance(body, str):
            headers["Content-Type"] = "application/xml"
        text = body if isinstance(body, str) else json.dumps(body)
        return self._service.request(method, path, headers=headers, body=text)

    def member(self, username: str, password: str = PASSWORD, profile: str = "Member") -> str:
        """Create a member, and return the id when the member can sign in."""
        value = {"username": username, "email": f"{username}.{len(password)}@example.com", "profile": profile}
        reply = self.rest("POST", MEMBERS, value)
        assert reply.status == 201, reply.body
        id_ = str(reply.json()["id"])
        assert self.rest("PUT", f"{MEMBERS}/{id_}", {"password": password}).status == 200
        eventually(lambda: "errors" not in self.send(username, "{ __typename }", password=password))
        return id_

    def rename(self, id_: str, username: str) -> None:
        """Rename a member, and return when the member can sign in under the new name."""
        assert self.rest("PUT", f"{MEMBERS}/{id_}", {"username": username}).status == 200
        eventually(lambda: "data" in self.send(username, "{ __typename }"))

    def send(self, by: str, query: str, password: str = PASSWORD, **variables: Any) -> Any:
        """Send a request, and return the whole response."""
        headers = {"Content-Type": "application/json", "Authorization": basic(by, password)}
        body = json.dumps({"query": query, "variables": variables})
        reply = self._service.request("POST", "/auth/api/graphql/Office", headers=headers, body=body)
        return reply.json()

    def ask(self, by: str, query: str, password: str = PASSWORD, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = self.send(by, query, password, **variables)
        assert "errors" not in body, body
        (value,) = body["data"].values()
        return value

    def create(self, by: str, class_name: str, **data: Any) -> str:
        """Create an object, and return its id."""
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(by, query, data=data)["_id"])

    def codes(self, by: str, password: str = PASSWORD, options: str = "{}") -> list[str]:
        """Return the codes of the projects that a member sees."""
        query = f"{{ Project___getPage(options: {options}) {{ items {{ code }} }} }}"
        return sorted(each["code"] for each in self.ask(by, query, password)["items"])


@pytest.fixture(
    scope="module",
    params=[over_sqlite, pytest.param(over_dynamodb("owners"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
def owners(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OwnersService]:
    home: Path = tmp_path_factory.mktemp("owners") / "home"
    with running(home, model=MODEL, application="Office", settings=request.param()) as service:
        yield OwnersService(service)


def test_a_renamed_member_keeps_their_objects_and_a_member_with_the_old_name_gets_none(
    owners: OwnersService,
) -> None:
    rosa = owners.member("rosa")
    project = owners.create("rosa", "Project", code="R")
    note = owners.create("rosa", "Note", text="n", project=project)
    owners.rename(rosa, "rosalind")
    owners.member("rosa", ANOTHER_PASSWORD)

    assert owners.codes("rosalind") == ["R"]
    assert owners.codes("rosa", ANOTHER_PASSWORD) == []
    by_expression = '{filter_exp: "caller.username in [_ownedby]"}'
    assert owners.codes("rosalind", options=by_expression) == ["R"]
    shown = owners.ask("rosalind", f'{{ Project___get(_id: "{project}") {{ _ownedby mine }} }}')
    assert shown == {"_ownedby": "rosa", "mine": True}  # as it was written

    get_note = f'{{ Note___get(_id: "{note}") {{ text }} }}'
    assert owners.ask("rosalind", get_note) == {"text": "n"}
    assert owners.ask("rosa", get_note, ANOTHER_PASSWORD) is None

    change = f'mutation {{ Project___update(data: {{_id: "{project}", code: "S"}}) {{ _lastmodifiedby }} }}'
    assert "errors" in owners.send("rosa", change, ANOTHER_PASSWORD)
    assert owners.ask("rosalind", change) == {"_lastmodifiedby": "rosalind"}
    assert owners.ask("rosalind", f'{{ Project___getVersionPage(_id: "{project}") {{ items {{ code }} }} }}')[
        "items"
    ] == [{"code": "R"}, {"code": "S"}]
    # A filter by the name goes by the name as written.
    assert owners.codes("rosalind", options='{filter: {_ownedby___eq: "rosa"}}') == ["S"]


def test_a_restored_object_belongs_to_its_owner_by_id(owners: OwnersService) -> None:
    lena, (project,) = projects_of(owners, "lena", 1)
    start = '_versionStart(format: "dd-MM-yyyy HH:mm:ss.SSS")'
    when = owners.ask("lena", f'{{ Project___get(_id: "{project}") {{ {start} }} }}')["_versionStart"]
    assert owners.ask("lena", f'mutation {{ Project___delete(_id: "{project}") {{ deleted }} }}')["deleted"]
    owners.rename(lena, "lenore")
    owners.member("lena", ANOTHER_PASSWORD)
    restore = (
        f'mutation {{ Project___restoreVersion(_id: "{project}", atVersion: "{when}") {{ code _ownedby }} }}'
    )

    assert "errors" in owners.send("lena", restore, ANOTHER_PASSWORD)
    assert owners.ask("lenore", restore) == {"code": "lena0", "_ownedby": "lena"}
    assert owners.codes("lenore") == ["lena0"]
    assert owners.codes("lena", ANOTHER_PASSWORD) == []


def test_a_new_member_with_the_name_of_a_deleted_one_gets_no_objects(owners: OwnersService) -> None:
    vera = owners.member("vera")
    owners.create("vera", "Project", code="V")
    assert owners.rest("DELETE", f"{MEMBERS}/{vera}").status == 200
    owners.member("vera", ANOTHER_PASSWORD)

    assert owners.codes("vera", ANOTHER_PASSWORD) == []
    assert owners.codes("admin", options='{filter: {_ownedby___eq: "vera"}}') == ["V"]


def test_member_ids_are_never_shown(owners: OwnersService) -> None:
    paul = owners.member("paul")
    project = owners.create("paul", "Project", code="P")
    change = f'mutation {{ Project___update(data: {{_id: "{project}", code: "Q"}}) {{ _id }} }}'
    owners.ask("admin", change)
    query = """query($from: Datetime!, $to: Datetime!) {
      Project___getVersionDiff(_id: "%s", from: $from, to: $to) { changes { name old new changedBy } } }"""
    times = {"from": "01-01-2020 00:00:00.000", "to": "01-01-2100 00:00:00.000"}
    answer = owners.send("admin", query % project, **times)
    assert "errors" not in answer, answer
    assert paul not in json.dumps(answer)
    assert "_memberIds" not in json.dumps(answer)
    assert "errors" in owners.send("admin", f'{{ Project___get(_id: "{project}") {{ _memberIds }} }}')
    by_ids = '{ Project___getPage(options: {filter_exp: "isNull(_memberIds)"}) { totalCount } }'
    assert "errors" in owners.send("admin", by_ids)


def projects_of(owners: OwnersService, username: str, number: int) -> tuple[str, list[str]]:
    """Create a member and some projects, and return the ids of all."""
    id_ = owners.member(username)
    codes = (f"{username}{each}" for each in range(number))
    return id_, [owners.create(username, "Project", code=code) for code in codes]


def test_an_administrator_hands_over_the_objects_of_a_member(owners: OwnersService) -> None:
    dora, projects = projects_of(owners, "dora", 3)
    note = owners.create("dora", "Note", text="n")
    erik = owners.member("erik")
    lock = f'mutation {{ lock(locks: [{{entityName: Project, _id: "{projects[0]}"}}]) {{ locked }} }}'
    assert owners.ask("dora", lock) == {"locked": True}

    reply = owners.rest("POST", f"{MEMBERS}/{dora}/handOver", {"to": erik})

    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json() == {"complete": True, "handedOver": 3, "locked": 1, "refused": 0}
    assert owners.codes("dora") == ["dora0"]
    assert owners.codes("erik") == ["dora1", "dora2"]
    owner = "{ _createdby _ownedby _lastmodifiedby }"
    shown = owners.ask("admin", f'{{ Project___get(_id: "{projects[1]}") {owner} }}')
    assert shown == {"_createdby": "dora", "_ownedby": "erik", "_lastmodifiedby": "admin"}
    assert owners.ask("dora", f'{{ Note___get(_id: "{note}") {{ _ownedby }} }}') == {"_ownedby": "erik"}
    versions = owners.ask(
        "admin", f'{{ Project___getVersionPage(_id: "{projects[1]}") {{ items {owner} }} }}'
    )
    assert [each["_ownedby"] for each in versions["items"]] == ["dora", "erik"]


def test_objects_of_a_deleted_member_are_handed_over_by_member_id(owners: OwnersService) -> None:
    finn, _ = projects_of(owners, "finn", 2)
    gina = owners.member("gina")
    assert owners.rest("DELETE", f"{MEMBERS}/{finn}").status == 200

    body = f"<handOver><to>{gina}</to><class>Project</class></handOver>"
    reply = owners.rest("POST", f"{MEMBERS}/{finn}/handOver?format=xml", body)

    assert reply.status == 200, reply.body
    counts = "<complete>true</complete><handedOver>2</handedOver><locked>0</locked><refused>0</refused>"
    assert f"<handOver>{counts}</handOver>" in reply.body.decode()
    assert owners.codes("gina") == ["finn0", "finn1"]
    assert owners.rest("POST", f"{MEMBERS}/{finn}/handOver", {"to": gina}).status == 404
