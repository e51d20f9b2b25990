"""Grants over HTTP: each service with and without a grant."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.core.schema.grants.guild_api import FILE
from tests.rows import each_row
from tests.scenarios.graph_client import Client
from tests.service import RunningService, running


class GuildService:
    """A service of the guild, with an administrator and the member smith."""

    def __init__(self, service: RunningService) -> None:
        self._service = service
        service.join("smith", "Member")
        create = Client(service).create
        self.ids = {"ada": create("Master", name="Ada", level=1, salary=7, email="ada@x")}
        self.ids["zoe"] = create("Master", name="Zoe", level=9, email="zoe@x", boss=self.ids["ada"])
        self.ids["team"] = create("Team", name="red", secret="s", members=[*self.ids.values()])
        self.ids["vault"] = create("Vault", code="007", keeper=self.ids["zoe"])

    def body(self, query: str, username: str = "smith", **variables: Any) -> Any:
        """Send a request, and return the whole response."""
        return self._service.graphql(query, variables, username=username)


@pytest.fixture(scope="module")
def guild(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuildService]:
    home: Path = tmp_path_factory.mktemp("guild") / "home"
    with running(home, model=FILE, application="Guild") as service:
        yield GuildService(service)


READING = {
    "get": ('{{ {c}___get(_id: "{id}") {{ {s} }} }}', "ENTITY_GRANT_READ"),
    "getPage": ("{{ {c}___getPage {{ items {{ {s} }} }} }}", "ENTITY_GRANT_READ"),
    "previewUpdate": ('{{ {c}___previewUpdate(data: {{_id: "{id}", {v}}}) {{ {s} }} }}', "ENTITY_GRANT_EDIT"),
    "update": ('mutation {{ {c}___update(data: {{_id: "{id}", {v}}}) {{ {s} }} }}', "ENTITY_GRANT_EDIT"),
    "save": ('mutation {{ {c}___save(data: {{_id: "{id}", {v}}}) {{ {s} }} }}', "ENTITY_GRANT_EDIT"),
    "updateBulk": (
        """mutation {{ {c}___updateBulk(data: {{{v}}},
          options: {{filter: {{_id___not___null: true}}, next: 5}}) {{ items {{ {s} }} }} }}""",
        "ENTITY_GRANT_READ",
    ),
}
"""The services that answer objects, each with how it refuses a class that is closed."""


@each_row("service", READING)
def test_unreadable_members_are_null_in_queries_and_refused_in_mutations(
    guild: GuildService, service: str
) -> None:
    query, refusal = READING[service]

    def refused(class_name: str, id_: str, values: str, selection: str) -> list[str]:
        asked = query.format(c=class_name, id=guild.ids[id_], v=values, s=selection)
        body = guild.body(asked)
        is_answered = class_name == "Master" and not query.startswith("mutation")
        assert (body["data"][f"{class_name}___{service}"] is not None) is is_answered
        return [error["extensions"]["issueType"] for error in body["errors"]]

    assert refused("Vault", "vault", 'code: "1"', "_id") == [refusal]
    assert refused("Master", "ada", 'name: "Ada"', "salary") == ["ATTRIBUTE_GRANT_READ"]
    assert refused("Master", "ada", 'name: "Ada"', "name twice") == ["ATTRIBUTE_GRANT_READ"]
    assert refused("Master", "ada", 'name: "Ada"', "rivals { totalCount }") == ["ROLE_GRANT_READ"]
    assert refused("Master", "ada", 'name: "Ada"', "team { vault { _id } secret }") == [
        "ATTRIBUTE_GRANT_READ",
        "ROLE_GRANT_READ",
    ]


WRITING = {
    "create": "mutation {{ {c}___create(data: {{{n} {v}}}) {{ _id }} }}",
    "validateCreate": "{{ {c}___validateCreate(data: {{{n} {v}}}) {{ issues {{ issueType }} }} }}",
    "previewCreate": "{{ {c}___previewCreate(data: {{{n} {v}}}) {{ _clientId }} }}",
    "update": 'mutation {{ {c}___update(data: {{_id: "{id}" {v}}}) {{ _id }} }}',
    "save": 'mutation {{ {c}___save(data: {{_id: "{id}" {v}}}) {{ _id }} }}',
    "validate": '{{ {c}___validate(data: {{_id: "{id}" {v}}}) {{ issues {{ issueType }} }} }}',
    "validateUpdate": '{{ {c}___validateUpdate(data: {{_id: "{id}" {v}}}) {{ issues {{ issueType }} }} }}',
    "previewUpdate": '{{ {c}___previewUpdate(data: {{_id: "{id}" {v}}}) {{ _id }} }}',
    "updateBulk": "mutation {{ {c}___updateBulk(data: {{{v}}}, options: {o}) {{ totalCount }} }}",
    "validateUpdateBulk": """{{ {c}___validateUpdateBulk(data: {{{v}}}, options: {o}) {{
      issues {{ issueType }} }} }}""",
}


@each_row("service", WRITING)
def test_unwritable_members_are_refused_by_every_service(guild: GuildService, service: str) -> None:
    is_new = "reate" in service
    action = "CREATE" if is_new else "EDIT"

    def refused(class_name: str, id_: str, values: str) -> list[str]:
        needs = 'name: "x"' + (" level: 1" if class_name == "Master" and "level" not in values else "")
        one = f'{{filter: {{_id___eq: "{guild.ids[id_]}"}}}}'
        query = WRITING[service].format(c=class_name, id=guild.ids[id_], v=values, n=needs, o=one)
        body = guild.body(query)
        if service.startswith("validate"):
            return [issue["issueType"] for issue in body["data"][f"{class_name}___{service}"]["issues"]]
        result = [error["extensions"]["issueType"] for error in body.get("errors", ())]
        return [type_ for type_ in result if type_ != "SERVICE_HANDLER_ERROR"]

    assert refused("Team", "team", 'motto: "x"') == [f"ENTITY_GRANT_{action}"]
    assert refused("Master", "ada", "salary: 8") == ["ATTRIBUTE_GRANT_EDIT"]
    assert refused("Master", "ada", 'rank: "x" salary: 8') == ["ATTRIBUTE_GRANT_EDIT"] * 2
    role = (
        f'boss: "{guild.ids["ada"]}"' if is_new or service in {"save", "validate"} else "boss: {remove: true}"
    )
    assert refused("Master", "ada", role) == [f"ROLE_GRANT_{action}"]
    assert refused("Master", "ada", "level: 7") == [f"ENTITY_GRANT_{action}"]


def test_a_deletion_without_a_grant_is_refused(guild: GuildService) -> None:
    for query in (
        'mutation {{ Team___delete(_id: "{id}") {{ deleted }} }}',
        'mutation {{ Team___deleteBulk(options: {{filter: {{_id___eq: "{id}"}}}}) {{ deleted }} }}',
    ):
        (error,) = guild.body(query.format(id=guild.ids["team"]))["errors"]
        assert error["extensions"]["issueType"] == "ENTITY_GRANT_DELETE"
    verdict = guild.body(
        f'{{ Team___validateDelete(_id: "{guild.ids["team"]}") {{ issues {{ issueType }} }} }}'
    )
    assert verdict["data"]["Team___validateDelete"] == {"issues": [{"issueType": "ENTITY_GRANT_DELETE"}]}


def test_hidden_objects_appear_nowhere(guild: GuildService) -> None:
    zoe = guild.ids["zoe"]
    nowhere: dict[str, Any] = {
        f'{{ Master___get(_id: "{zoe}") {{ name }} }}': None,
        '{ Master___getByEmail(email: "zoe@x") { name } }': None,
        "{ Master___getPage(options: {filter: {level___gt: 5}}) { totalCount items { name } } }": {
            "totalCount": 0,
            "items": [],
        },
        '{ Team___getByName(name: "red") { head_count members { totalCount items { name } } } }': {
            "head_count": 1,
            "members": {"totalCount": 1, "items": [{"name": "Ada"}]},
        },
        f'{{ Master___get(_id: "{guild.ids["ada"]}") {{ staff {{ totalCount }} }} }}': {
            "staff": {"totalCount": 0}
        },
        f'{{ Master___validateDelete(_id: "{zoe}") {{ isValid }} }}': {"isValid": True},
        f'mutation {{ Master___delete(_id: "{zoe}") {{ deleted }} }}': {"deleted": False},
        "mutation { Master___deleteBulk(options: {filter: {level___gt: 5}}) { deleted } }": {"deleted": 0},
    }
    for query, expected in nowhere.items():
        body = guild.body(query)
        assert list(body["data"].values()) == [expected], body
    (error,) = guild.body(f'mutation {{ Master___update(data: {{_id: "{zoe}", name: "x"}}) {{ _id }} }}')[
        "errors"
    ]
    assert error["extensions"]["issueType"] == "ENTITY_NOT_FOUND"
    assert guild.body(f'{{ Master___get(_id: "{zoe}") {{ name }} }}', "admin")["data"] == {
        "Master___get": {"name": "Zoe"}
    }
