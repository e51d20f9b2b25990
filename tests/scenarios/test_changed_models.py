"""The model file changes while a service runs: everything is renamed at once, or much must be built."""

import json
import re
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import pytest

from stratabase.cli.main import main
from tests.core.http.files.forms import CONTENT_TYPE, form, part
from tests.scenarios.graph_client import over_dynamodb, over_sqlite
from tests.service import PASSWORD, Reply, RunningService, basic, eventually, running

STORES = pytest.mark.parametrize(
    "store",
    [over_sqlite, pytest.param(over_dynamodb("changed-models"), marks=pytest.mark.thorough)],
    ids=["sqlite", "dynamodb"],
)
FORMAT = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
HEADING = 'extend schema @application(name: "Works") @profile(name: "Administrator", administrator: true)\n'
OLD = f"""{HEADING} @profile(name: "Clerk")
enum Level {{ LOW MIDDLE HIGH }}
type Team @unique(attributes: ["name"]) @grant(profile: "Clerk", allow: [READ]) {{
  name: String!
  members: [Worker!] @association(opposite: "team")
}}
type Worker @class(versioned: true) @unique(attributes: ["mail"]) @index(attributes: ["level", "first"])
    @grant(profile: "Clerk", allow: [READ, EDIT], where: "level != 'HIGH'") {{
  badge: Serial
  mail: String
  first: String
  last: String
  level: Level
  pay: Int @grant(profile: "Clerk", allow: [])
  scan: File
  team: Team @association(opposite: "members")
  skills: [Skill!] @association(opposite: "workers")
  places: [Place!] @composition
}}
type Skill @grant(profile: "Clerk", allow: [READ]) {{
  label: String
  workers: [Worker!] @association(opposite: "skills")
}}
type Place @class(versioned: true) {{ street: String }}
"""
NEW = f"""{HEADING} @profile(name: "Agent", from: "Clerk")
enum Grade {{
  BASIC @renamed(from: "LOW") LOW @renamed(from: "MIDDLE") TOP @renamed(from: "HIGH")
}}
type Skill @renamed(from: "Team") @unique(attributes: ["title"]) @grant(profile: "Agent", allow: [READ]) {{
  title: String! @renamed(from: "name")
  people: [Employee!] @renamed(from: "members") @association(opposite: "crew")
}}
type Employee @renamed(from: "Worker") @class(versioned: true)
    @unique(attributes: ["email"]) @index(attributes: ["grade", "last"])
    @grant(profile: "Agent", allow: [READ, EDIT], where: "grade != 'TOP'") {{
  number: Serial @renamed(from: "badge")
  email: String @renamed(from: "mail")
  last: String @renamed(from: "first")
  first: String @renamed(from: "last")
  grade: Grade @renamed(from: "level")
  salary: Int @renamed(from: "pay") @grant(profile: "Agent", allow: [])
  photo: File @renamed(from: "scan")
  crew: Skill @renamed(from: "team") @association(opposite: "people")
  talents: [Team!] @renamed(from: "skills") @association(opposite: "talented")
  addresses: [Address!] @renamed(from: "places") @composition
}}
type Team @renamed(from: "Skill") @grant(profile: "Agent", allow: [READ]) {{
  word: String @renamed(from: "label")
  talented: [Employee!] @renamed(from: "workers") @association(opposite: "talents")
}}
type Address @renamed(from: "Place") @class(versioned: true) {{ road: String @renamed(from: "street") }}
"""
BARE = re.sub(r' @renamed\(from: "\w+"\)|, from: "Clerk"', "", NEW)
"""The new model of somebody who has removed the directives by mistake."""


class Member:
    """A member who sends requests to a service. No answer may have a status of 500 or more."""

    def __init__(self, service: RunningService, name: str = "admin") -> None:
        self.service = service
        self._authorization = {"Authorization": basic(name, PASSWORD)}

    def request(self, method: str, address: str, **options: Any) -> Reply:
        headers = {**self._authorization, **options.pop("headers", {})}
        path = "/" + address.split("/", 3)[3] if address.startswith("http") else address
        reply = self.service.request(method, path, headers=headers, **options)
        assert reply.status < 500, reply.body
        return reply

    def post(self, address: str, body: Any, method: str = "POST") -> Reply:
        headers = {"Content-Type": "application/json"}
        return self.request(method, address, headers=headers, body=json.dumps(body))

    def body(self, query: str, **variables: Any) -> Any:
        """Send a GraphQL request, and return the whole response."""
        found = self.post("/auth/api/graphql/Works", {"query": query, "variables": variables}).json()
        assert "SERVER_ERROR" not in json.dumps(found), found
        return found

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the value of the only field of a response without errors."""
        body = self.body(query, **variables)
        assert "errors" not in body, body["errors"]
        (value,) = body["data"].values()
        return value

    def issues(self, query: str, **variables: Any) -> list[Any]:
        """Return the issues of a response."""
        return [error["extensions"] for error in self.body(query, **variables).get("errors", ())]

    def create(self, class_name: str, **data: Any) -> str:
        query = f"mutation($d: {class_name}Create!) {{ {class_name}___create(data: $d) {{ _id }} }}"
        return str(self.ask(query, d=data)["_id"])

    def upload(self, content: bytes, address: str) -> Any:
        sent = part('form-data; name="file"; filename="a.pdf"', content, [b"Content-Type: application/pdf"])
        headers = {"Content-Type": CONTENT_TYPE}
        return self.request("POST", f"/auth/file/{address}", headers=headers, body=form(sent)).json()

    def serves(self, class_name: str, field: str) -> bool:
        """Return whether the service serves a class with a field."""
        found = self.ask(f'{{ __type(name: "{class_name}") {{ fields {{ name }} }} }}')
        return found is not None and {"name": field} in found["fields"]


def page(class_name: str, options: str, fields: str) -> str:
    return f"{{ {class_name}___getPage(options: {{{options}}}) {{ items {{ {fields} }} nextCursor }} }}"


class Works:
    """What was written under the old model."""

    def __init__(self, admin: Member) -> None:
        self.admin = admin
        member = {"username": "cleo", "email": "cleo@example.com", "profile": "Clerk"}
        id_ = admin.post("/auth/administration/members", member).json()["id"]
        path = f"/auth/administration/members/{id_}"
        assert admin.post(path, {"password": PASSWORD}, "PUT").status == 200
        self.cleo = Member(admin.service, "cleo")
        self.team = admin.create("Team", name="A team")
        self.skill = admin.create("Skill", label="welding")
        self.ada = admin.create(
            "Worker",
            mail="ada@example.com",
            first="Ada",
            last="Lovelace",
            level="HIGH",
            pay=9,
            scan=admin.upload(b"%PDF one", "worker/scan"),
            team=self.team,
            skills=[self.skill],
            places=[{"street": "Main"}],
        )
        self.bob, self.cid, self.dan = (
            admin.create("Worker", mail=f"{name}@example.com", first=name, level=level, team=self.team)
            for name, level in (("bob", "LOW"), ("cid", "MIDDLE"), ("dan", "LOW"))
        )
        shown = f'scan {{ link }} _versionStart(format: "{FORMAT}")'
        first = admin.ask(f'{{ Worker___get(_id: "{self.ada}") {{ {shown} }} }}')
        self.link, self.start = first["scan"]["link"], first["_versionStart"]
        update = f'data: {{_id: "{self.ada}", last: "King"}}'
        admin.ask(f"mutation {{ Worker___update({update}) {{ _id }} }}")
        version = f'Worker___getVersion(_id: "{self.ada}", atVersion: "{self.start}")'
        self.version_link = admin.ask(f"{{ {version} {{ scan {{ link }} }} }}")["scan"]["link"]
        order = "orderBy: [level___ASC first___ASC]"
        self.cursor = admin.ask(page("Worker", f"{order} next: 2", "mail"))["nextCursor"]
        self.lock("Worker", self.cleo)

    def lock(self, class_name: str, member: Member, service: str = "lock") -> Any:
        """Lock or unlock Bob."""
        entity = f'[{{entityName: {class_name}, _id: "{self.bob}"}}]'
        return member.ask(f"mutation {{ {service}(locks: {entity}) {{ locked }} }}")


@pytest.mark.local
@STORES
def test_everything_is_renamed_at_once_while_the_service_runs(
    store: Callable[[], Mapping[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "model.graphql"
    file.write_text(OLD)
    options = {"model": file, "application": "Works", "reload": True, "settings": store()}
    with running(tmp_path / "home", **options) as service:
        works = Works(Member(service))
        file.write_text(NEW)
        eventually(lambda: works.admin.serves("Employee", "grade"))
        _check_objects(works)
        _check_pages(works)
        _check_files(works)
        _check_member(works)
        _check_writes(works)
        _check_mistake(works, file, capsys)
        _check_old_model(works, file)


def _check_objects(works: Works) -> None:
    fields = """number email last first grade salary crew { title people { items { email } } }
        talents { items { word talented { items { email } } } } addresses { items { road } }"""
    people = [{"email": f"{name}@example.com"} for name in ("ada", "bob", "cid", "dan")]
    assert works.admin.ask(f'{{ Employee___get(_id: "{works.ada}") {{ {fields} }} }}') == {
        "number": "1",
        "email": "ada@example.com",
        "last": "Ada",
        "first": "King",
        "grade": "TOP",
        "salary": 9,
        "crew": {"title": "A team", "people": {"items": people}},
        "talents": {"items": [{"word": "welding", "talented": {"items": people[:1]}}]},
        "addresses": {"items": [{"road": "Main"}]},
    }
    version = f'Employee___getVersion(_id: "{works.ada}", atVersion: "{works.start}")'
    fields = "first last grade crew { title } addresses { items { road } }"
    assert works.admin.ask(f"{{ {version} {{ {fields} }} }}") == {
        "first": "Lovelace",
        "last": "Ada",
        "grade": "TOP",
        "crew": {"title": "A team"},
        "addresses": {"items": [{"road": "Main"}]},
    }
    assert works.admin.ask('{ Employee___getByEmail(email: "bob@example.com") { _id } }') == {
        "_id": works.bob
    }
    assert works.admin.ask('{ Skill___getByTitle(title: "A team") { _id } }') == {"_id": works.team}


def _check_pages(works: Works) -> None:
    order = "orderBy: [grade___ASC last___ASC]"
    for options, found in (
        (order, "abdc"),  # by stored names: HIGH, LOW, MIDDLE
        (f'{order} cursor: "{works.cursor}"', "dc"),
        (f"{order} filter: {{grade___eq: BASIC}}", "bd"),
        (f"{order} filter: {{grade___in: [LOW, TOP]}}", "ac"),
        (f'{order} filter: {{last___starts_with: "A"}}', "a"),
        (f"{order} filter_exp: \"grade == 'LOW' || last == 'dan'\"", "dc"),
    ):
        items = works.admin.ask(page("Employee", options, "email"))["items"]
        assert "".join(each["email"][0] for each in items) == found, options
    first = works.admin.ask(page("Employee", f"{order} next: 2", "email"))
    assert first["nextCursor"] == works.cursor


def _check_files(works: Works) -> None:
    ask = f'{{ Employee___get(_id: "{works.ada}") {{ photo {{ link }} }} }}'
    link = works.admin.ask(ask)["photo"]["link"]
    assert link.lower().endswith(f"/auth/file/employee/{works.ada}/photo")
    links = (works.link, works.version_link, link)
    assert [works.admin.request("GET", each).body for each in links] == [b"%PDF one"] * 3
    assert works.cleo.request("GET", link).status in {403, 404}
    assert works.cleo.request("GET", works.link).status == works.cleo.request("GET", link).status


def _check_member(works: Works) -> None:
    """The member has the renamed profile, and its grants hide what they hid before."""
    cleo = works.cleo
    assert cleo.request("GET", "/auth/administration/member").json()["profile"] == "Agent"
    everyone = cleo.ask(page("Employee", "orderBy: [last___ASC]", "email"))["items"]
    assert [each["email"][0] for each in everyone] == ["b", "c", "d"]
    assert cleo.ask(f'{{ Employee___get(_id: "{works.ada}") {{ email }} }}') is None
    assert cleo.ask(page("Employee", "filter_exp: \"grade == 'TOP'\"", "email"))["items"] == []
    (issue,) = cleo.issues(f'{{ Employee___get(_id: "{works.bob}") {{ salary }} }}')
    assert (issue["issueType"], issue["entityName"], issue["attributeNames"], issue["profileName"]) == (
        "ATTRIBUTE_GRANT_READ",
        "Employee",
        ["salary"],
        "Agent",
    )
    people = cleo.ask(f'{{ Skill___get(_id: "{works.team}") {{ people {{ totalCount }} }} }}')["people"]
    assert people == {"totalCount": 3}
    (issue,) = cleo.issues(
        f'mutation {{ Employee___update(data: {{_id: "{works.cid}", grade: TOP}}) {{ _id }} }}'
    )
    assert issue["issueType"] in {"ENTITY_GRANT_EDIT", "ENTITY_ACCESS_FORBIDDEN"}


def _check_writes(works: Works) -> None:
    admin = works.admin
    create = "mutation($d: EmployeeCreate!) { Employee___create(data: $d) { _id number } }"
    assert admin.ask(create, d={"email": "eve@example.com"})["number"] == "5"
    (issue,) = admin.issues(create, d={"email": "bob@example.com"})
    assert (issue["issueType"], issue["entityName"], issue["attributeNames"]) == (
        "ENTITY_UNIQUE",
        "Employee",
        ["email"],
    )
    (issue,) = admin.issues('mutation { Skill___create(data: {title: "A team"}) { _id } }')
    assert (issue["entityName"], issue["attributeNames"]) == ("Skill", ["title"])
    # The lock holds, its issue has the new name, and it is released by that name.
    change = f'mutation {{ Employee___update(data: {{_id: "{works.bob}", first: "Bo"}}) {{ first }} }}'
    (issue,) = admin.issues(change)
    assert (issue["issueType"], issue["entityName"]) == ("ENTITY_LOCK_PERSIST", "Employee")
    assert "Worker" not in json.dumps(issue)
    assert works.lock("Employee", works.cleo, "unlock") == {"locked": False}
    assert admin.ask(change) == {"first": "Bo"}
    # Links change from both sides, and the guard of a released value is free.
    for data in ({"remove": [works.dan]}, {"add": [works.dan]}):
        admin.ask(
            "mutation($d: SkillUpdate!) { Skill___update(data: $d) { _id } }",
            d={"_id": works.team, "people": data},
        )
    crew = f'mutation {{ Employee___update(data: {{_id: "{works.cid}", crew: {{remove: true}}}}) {{ _id }} }}'
    admin.ask(crew)
    people = admin.ask(f'{{ Skill___get(_id: "{works.team}") {{ people {{ totalCount }} }} }}')
    assert people == {"people": {"totalCount": 3}}
    end = f'mutation {{ Employee___delete(_id: "{works.dan}") {{ deleted }} }}'
    assert admin.ask(end) == {"deleted": True}
    assert int(admin.ask(create, d={"email": "dan@example.com"})["number"]) > 5
    restore = f'Employee___restoreVersion(_id: "{works.ada}", atVersion: "{works.start}")'
    assert admin.ask(f"mutation {{ {restore} {{ first grade photo {{ name }} }} }}") == {
        "first": "Lovelace",
        "grade": "TOP",
        "photo": {"name": "a.pdf"},
    }


def _check_mistake(works: Works, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model without the directives has other classes. It says so, and it loses nothing."""
    former = file.with_name("new.graphql")
    former.write_text(NEW)
    file.write_text(BARE)
    assert main(["model", "diff", str(former), str(file)]) == 1
    question = "class Employee: removed, or renamed to Employee?"
    assert question in capsys.readouterr().out
    eventually(lambda: works.admin.ask(page("Employee", "next: 1", "_id"))["items"] == [])
    assert f"Needs a decision: {question}" in works.admin.service.log()
    # Members store the name that the profile had when they were written. The model does not know it.
    reply = works.cleo.request("GET", "/auth/administration/member")
    assert reply.status == 403
    assert 'profile "Clerk", which does not exist' in reply.json()["detail"]


def _check_old_model(works: Works, file: Path) -> None:
    """The old model comes back: its names are the stored ones, so that everything is shown again."""
    file.write_text(OLD)
    eventually(lambda: works.admin.serves("Worker", "mail"))
    found = works.admin.ask(page("Worker", "orderBy: [level___ASC badge___ASC]", "mail first last level"))
    assert [(each["mail"][:3], each["level"]) for each in found["items"]] == [
        ("eve", None),
        ("dan", None),
        ("ada", "HIGH"),
        ("bob", "LOW"),
        ("cid", "MIDDLE"),
    ]
    assert works.admin.request("GET", works.link).body == b"%PDF one"
    seen = works.cleo.ask(page("Worker", "orderBy: [mail___ASC]", "mail"))["items"]
    assert [each["mail"][0] for each in seen] == ["b", "c"]


BEFORE = f"""{HEADING}
type Task {{ title: String! size: String owner: Person }}
type Person {{ name: String }}
"""
AFTER = f"""{HEADING}
type Task @index(attributes: ["size"]) @unique(attributes: ["title"]) {{
  title: String!
  size: Int
  owner: Person @association(opposite: "tasks")
}}
type Person {{ name: String tasks: [Task!] @association(opposite: "owner") }}
"""


class Reading:
    """Reads the same page again and again, in a thread, while the model changes. A context manager."""

    def __init__(self, member: Member, query: str, expected: set[str]) -> None:
        self._member, self._query, self._expected = member, query, expected
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.wrong: list[Any] = []
        self.right = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                found = {each["_id"] for each in self._member.ask(self._query)["items"]}
            except (AssertionError, OSError) as error:
                self.wrong.append(error)
            else:
                self.right += found == self._expected
                self.wrong += [] if found == self._expected else [found]


@pytest.mark.local
@STORES
def test_reads_stay_right_while_the_model_changes_and_is_built(
    store: Callable[[], Mapping[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A type, a constraint, an index and an opposite change while clients read."""
    settings = {**store(), **({"STRATABASE_TABLE": "built-models"} if store() else {})}
    file = tmp_path / "model.graphql"
    file.write_text(BEFORE)
    options = {"model": file, "application": "Works", "reload": True, "settings": settings}
    with running(tmp_path / "home", **options) as service:
        admin = Member(service)
        person = admin.create("Person", name="Ada")
        sizes = ("5", "-7", "many", "05")
        tasks = [admin.create("Task", title=size, size=size, owner=person) for size in sizes]
        with Reading(admin, page("Task", "orderBy: [size___ASC]", "_id size"), {*tasks}) as reading:
            file.write_text(AFTER)
            eventually(lambda: admin.serves("Person", "tasks"))
            _check_tasks(admin, person, built=False)
            monkeypatch.setattr("stratabase.evolution.backfill.reindex.SETTLED", 0)
            for name, value in settings.items():
                monkeypatch.setenv(name, value)
            monkeypatch.setenv("STRATABASE_MODEL", str(file))
            monkeypatch.setenv("STRATABASE_HOME", str(tmp_path / "home"))
            assert main(["reindex"]) == 0
            eventually(lambda: not admin.issues(_tasks_of(person)))
            _check_tasks(admin, person, built=True)
        assert reading.wrong == []
        assert reading.right > 0


def _tasks_of(person: str) -> str:
    return f'{{ Person___get(_id: "{person}") {{ tasks {{ totalCount items {{ title }} }} }} }}'


def _check_tasks(admin: Member, person: str, *, built: bool) -> None:
    """Check answers under the new model. What is not built is refused by name."""
    shown = [(None, "many"), (None, "05"), (-7, "-7"), (5, "5")]
    found = admin.ask(page("Task", "orderBy: [size___ASC]", "size title"))["items"]
    assert [(each["size"], each["title"]) for each in found] == shown
    for options, titles in (("size___gte: 5", ["5"]), ("size___null: true", ["many", "05"])):
        found = admin.ask(page("Task", f"filter: {{{options}}}", "title"))["items"]
        assert [each["title"] for each in found] == titles
    body = admin.body(_tasks_of(person))
    if "errors" in body:
        assert not built
        assert "reindex" in body["errors"][0]["message"]
    else:
        assert body["data"]["Person___get"]["tasks"]["totalCount"] == 4
    taken = 'mutation { Task___create(data: {title: "5"}) { _id } }'
    assert {issue["issueType"] for issue in admin.issues(taken)} == {"ENTITY_UNIQUE"}
