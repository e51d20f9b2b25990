"""Owners over HTTP, on each store: members change their names, leave, and hand over what they own."""

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


class Office:
    """A service of which an administrator makes members, and these make projects."""

    def __init__(self, service: RunningService) -> None:
        self._service = service

    def rest(self, method: str, path: str, body: Any = None, by: str = "admin") -> Reply:
        """Return the answer to a REST request."""
        headers = {"Content-Type": "application/json", "Authorization": basic(by, PASSWORD)}
        return self._service.request(method, path, headers=headers, body=json.dumps(body))

    def member(self, username: str, password: str = PASSWORD, profile: str = "Member") -> str:
        """Make a member, and return its id once it is let in."""
        given = {"username": username, "email": f"{username}.{len(password)}@example.com", "profile": profile}
        reply = self.rest("POST", MEMBERS, given)
        assert reply.status == 201, reply.body
        id_ = str(reply.json()["id"])
        assert self.rest("PUT", f"{MEMBERS}/{id_}", {"password": password}).status == 200
        eventually(lambda: "errors" not in self.send(username, "{ __typename }", password=password))
        return id_

    def rename(self, id_: str, username: str) -> None:
        """Give a member another name, and return once it is let in by that."""
        assert self.rest("PUT", f"{MEMBERS}/{id_}", {"username": username}).status == 200
        eventually(lambda: "data" in self.send(username, "{ __typename }"))

    def send(self, by: str, query: str, password: str = PASSWORD, **variables: Any) -> Any:
        """Return all of an answer."""
        headers = {"Content-Type": "application/json", "Authorization": basic(by, password)}
        body = json.dumps({"query": query, "variables": variables})
        reply = self._service.request("POST", "/auth/api/graphql/Office", headers=headers, body=body)
        return reply.json()

    def ask(self, by: str, query: str, password: str = PASSWORD, **variables: Any) -> Any:
        """Return what the only field of an answer without errors holds."""
        body = self.send(by, query, password, **variables)
        assert "errors" not in body, body
        (value,) = body["data"].values()
        return value

    def create(self, by: str, class_name: str, **data: Any) -> str:
        """Make an object, and return its id."""
        query = f"mutation($data: {class_name}Create!) {{ {class_name}___create(data: $data) {{ _id }} }}"
        return str(self.ask(by, query, data=data)["_id"])

    def codes(self, by: str, password: str = PASSWORD, options: str = "{}") -> list[str]:
        """Return the codes of the projects that somebody sees."""
        query = f"{{ Project___getPage(options: {options}) {{ items {{ code }} }} }}"
        return sorted(each["code"] for each in self.ask(by, query, password)["items"])


@pytest.fixture(scope="module", params=[over_sqlite, over_dynamodb("office")], ids=["sqlite", "dynamodb"])
def office(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    home: Path = tmp_path_factory.mktemp("office") / "home"
    with running(home, model=MODEL, application="Office", settings=request.param()) as service:
        yield Office(service)


def test_who_is_renamed_keeps_what_it_owns_and_who_takes_the_name_gets_nothing(office: Office) -> None:
    rosa = office.member("rosa")
    project = office.create("rosa", "Project", code="R")
    note = office.create("rosa", "Note", text="n", project=project)
    office.rename(rosa, "rosalind")
    office.member("rosa", ANOTHER_PASSWORD)

    assert office.codes("rosalind") == ["R"]
    assert office.codes("rosa", ANOTHER_PASSWORD) == []
    by_expression = '{filter_exp: "caller.username in [_ownedby]"}'
    assert office.codes("rosalind", options=by_expression) == ["R"]
    shown = office.ask("rosalind", f'{{ Project___get(_id: "{project}") {{ _ownedby mine }} }}')
    assert shown == {"_ownedby": "rosa", "mine": True}  # as it was written

    get_note = f'{{ Note___get(_id: "{note}") {{ text }} }}'
    assert office.ask("rosalind", get_note) == {"text": "n"}
    assert office.ask("rosa", get_note, ANOTHER_PASSWORD) is None

    change = f'mutation {{ Project___update(data: {{_id: "{project}", code: "S"}}) {{ _lastmodifiedby }} }}'
    assert "errors" in office.send("rosa", change, ANOTHER_PASSWORD)
    assert office.ask("rosalind", change) == {"_lastmodifiedby": "rosalind"}
    assert office.ask("rosalind", f'{{ Project___getVersionPage(_id: "{project}") {{ items {{ code }} }} }}')[
        "items"
    ] == [{"code": "R"}, {"code": "S"}]
    # A filter by the name goes by the name as written.
    assert office.codes("rosalind", options='{filter: {_ownedby___eq: "rosa"}}') == ["S"]


def test_the_name_of_a_deleted_member_gives_nothing(office: Office) -> None:
    vera = office.member("vera")
    office.create("vera", "Project", code="V")
    assert office.rest("DELETE", f"{MEMBERS}/{vera}").status == 200
    office.member("vera", ANOTHER_PASSWORD)

    assert office.codes("vera", ANOTHER_PASSWORD) == []
    assert office.codes("admin", options='{filter: {_ownedby___eq: "vera"}}') == ["V"]


def test_ids_of_members_are_shown_nowhere(office: Office) -> None:
    paul = office.member("paul")
    project = office.create("paul", "Project", code="P")
    change = f'mutation {{ Project___update(data: {{_id: "{project}", code: "Q"}}) {{ _id }} }}'
    office.ask("admin", change)
    query = """query($from: Datetime!, $to: Datetime!) {
      Project___getVersionDiff(_id: "%s", from: $from, to: $to) { changes { name old new changedBy } } }"""
    times = {"from": "01-01-2020 00:00:00.000", "to": "01-01-2100 00:00:00.000"}
    answer = office.send("admin", query % project, **times)
    assert "errors" not in answer, answer
    assert paul not in json.dumps(answer)
    assert "_memberIds" not in json.dumps(answer)
    assert "errors" in office.send("admin", f'{{ Project___get(_id: "{project}") {{ _memberIds }} }}')
    by_ids = '{ Project___getPage(options: {filter_exp: "isNull(_memberIds)"}) { totalCount } }'
    assert "errors" in office.send("admin", by_ids)
