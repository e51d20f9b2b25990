"""Hidden and missing IDs get the same responses in every command on a role."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model_file
from stratabase.core.operations.context import Services
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.schema.grants.guild_api import GuildApi
from tests.core.schema.graph_api import OrderedIds
from tests.fakes import FrozenClock, unlimited_budget
from tests.rows import each_row
from tests.soak import mostly

CROSSING = read_model_file(Path(__file__).parent.parent / "models/crossing.graphql")
MEMBER = Caller("m7", "smith", "Member")
MISSING = "nothing"
UPDATES = {
    "update": "mutation($data: HereUpdate!) { Here___update(data: $data) { _id } }",
    "validateUpdate": "query($data: HereDraftUpdate!) { Here___validateUpdate(data: $data) { %s } }",
    "previewUpdate": "query($data: HereDraftUpdate!) { Here___previewUpdate(data: $data) { _id } }",
}
CREATIONS = {
    "create": "mutation($data: HereCreate!) { Here___create(data: $data) { _id } }",
    "validateCreate": "query($data: HereDraftCreate!) { Here___validateCreate(data: $data) { %s } }",
    "previewCreate": "query($data: HereDraftCreate!) { Here___previewCreate(data: $data) { name } }",
}
ISSUES = """isValid issues {
  issueType issueLevel userMessage sourceRequestReference entityID entityName attributeNames roleNames }"""


class HiddenObjects(GuildApi):
    """A visible object of the caller, and a hidden object of each class."""

    def __init__(self, engine: Engine) -> None:
        self.entities = Repository(engine, CROSSING)
        self.services = Services(CROSSING, self.entities, FrozenClock(), OrderedIds(), unlimited_budget)
        self.executor = SchemaExecutor(self.services, _failed)
        hidden = {"name": "x", "hidden": True}
        self.own = self.create("Here", name="own", parts=[hidden], part=hidden)
        taken = self.create("Here", name="other", hidden=True, code="taken")
        there = self.create("There", **hidden, needs=[taken], facer=taken, owner=taken, members=[taken])
        self.ask(
            f'mutation {{ Here___update(data: {{_id: "{taken}", held: {{set: "{there}"}}}}) {{ _id }} }}'
        )
        shown = self.get("Here", self.own, "parts { items { _id } } part { _id }")
        self.hidden = {
            "There": there,
            "Piece": shown["parts"]["items"][0]["_id"],
            "Lump": shown["part"]["_id"],
        }

    def result(self, query: str, data: Any, hidden: str) -> list[str]:
        """Return the types of the issues. Assert that both ids give the same response but for the ids."""
        answers = [
            json.dumps(self.body(query.replace("%s", ISSUES), MEMBER, data=_with(data, id_))).replace(
                id_, "?"
            )
            for id_ in (hidden, MISSING)
        ]
        assert answers[0] == answers[1]
        body = json.loads(answers[0])
        result = [error["extensions"] for error in body.get("errors", ())]
        for value in (body["data"] or {}).values():
            result += (value or {}).get("issues", ())
        return [issue["issueType"] for issue in result]


def _with(data: Any, id_: str) -> Any:
    return json.loads(json.dumps(data).replace("@", id_))


def _failed(error: BaseException, _: str) -> None:
    raise error


@pytest.fixture(params=mostly(["dict", "sqlite"], "sqlite"))
def hidden_objects(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HiddenObjects]:
    if request.param == "dict":
        yield HiddenObjects(ReferenceEngine())
        return
    engine = SqliteEngine(tmp_path / "store.db")
    yield HiddenObjects(engine)
    engine.close()


TO_ONE = ("one", "of", "held", "facing")
TO_MANY = ("owned", "linked", "needed", "loose")
LED = {
    **{role: {role: {"set": "@"}} for role in TO_ONE},
    **{role: {role: {"add": ["@"]}} for role in TO_MANY},
    "all of them": {role: {"set": "@"} for role in TO_ONE} | {role: {"add": ["@"]} for role in TO_MANY},
    "of a new part": {"parts": {"create": [{"near": "@"}]}},
}


@each_row("service", UPDATES)
@each_row("data", LED.values())
def test_an_update_cannot_reference_a_missing_or_hidden_object(
    hidden_objects: HiddenObjects, data: dict[str, Any], service: str
) -> None:
    result = hidden_objects.result(
        UPDATES[service], {"_id": hidden_objects.own, **data}, hidden_objects.hidden["There"]
    )
    assert result == ["ENTITY_NOT_FOUND"] * len(data)


MADE = {
    **{role: {role: "@"} for role in TO_ONE},
    **{role: {role: ["@"]} for role in TO_MANY},
    "all of them": dict.fromkeys(TO_ONE, "@") | {role: ["@"] for role in TO_MANY},
    "of a new part": {"parts": [{"near": "@"}]},
}


@each_row("service", CREATIONS)
@each_row("data", MADE.values())
def test_a_creation_cannot_reference_a_missing_or_hidden_object(
    hidden_objects: HiddenObjects, data: dict[str, Any], service: str
) -> None:
    result = hidden_objects.result(CREATIONS[service], data, hidden_objects.hidden["There"])
    assert result == ["ENTITY_NOT_FOUND"] * len(data)


@each_row("role", [*TO_ONE, *TO_MANY])
def test_a_missing_or_hidden_object_is_reported_beside_other_issues(
    hidden_objects: HiddenObjects, role: str
) -> None:
    """A value that is taken, or a required role that is left empty."""
    wrong = {"code": "taken", role: "@" if role in TO_ONE else ["@"]}
    assert "ENTITY_NOT_FOUND" in hidden_objects.result(
        CREATIONS["create"], wrong, hidden_objects.hidden["There"]
    )


TAKEN = {role: {role: {"remove": ["@"]}} for role in TO_MANY}


@each_row("service", UPDATES)
@each_row("data", TAKEN.values())
def test_removing_a_missing_or_hidden_object_from_a_role_removes_nothing(
    hidden_objects: HiddenObjects, data: dict[str, Any], service: str
) -> None:
    """The outcome does not show whether the object exists."""
    result = hidden_objects.result(
        UPDATES[service], {"_id": hidden_objects.own, **data}, hidden_objects.hidden["There"]
    )
    assert result == []


STRANGERS = {
    "a part changed": ("Piece", {"parts": {"update": [{"_id": "@", "name": "y"}]}}),
    "a part ended": ("Piece", {"parts": {"delete": ["@"]}}),
    "the only part changed": ("Lump", {"part": {"update": {"_id": "@", "name": "y"}}}),
    "a key of a part": ("Piece", {"parts": {"update": [{"_id": "@", "near": {"remove": True}}]}}),
}


@each_row("service", UPDATES)
@each_row(("class_name", "data"), STRANGERS.values())
def test_a_hidden_part_is_not_found(
    hidden_objects: HiddenObjects, class_name: str, data: dict[str, Any], service: str
) -> None:
    result = hidden_objects.result(
        UPDATES[service], {"_id": hidden_objects.own, **data}, hidden_objects.hidden[class_name]
    )
    assert result == ["ENTITY_NOT_FOUND"]
