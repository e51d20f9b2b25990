"""The function `reindex`: it builds classes until its time is nearly over, and another call continues."""

import json
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.app.app import App
from stratabase.core.domain.caller import Caller
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.indexes.entries import IndexSlot
from stratabase.core.store.indexes.registry import parse_registry
from stratabase.core.store.layout import keys
from stratabase.evolution.backfill import class_heads, resharding
from stratabase.evolution.backfill.resharding import OF_LISTING, Resharding
from stratabase_aws.functions import reindex_handler
from stratabase_aws.functions.reindex import STEP_MILLISECONDS
from tests.core.store.clocks import Time

BEFORE = "type Person { name: String! code: String }\ntype Team { title: String! }"
AFTER = (
    'type Person @unique(attributes: ["code"]) @index(attributes: ["name"]) { name: String! code: String }\n'
    'type Team @index(attributes: ["title"]) { title: String! }'
)

MEMBERS = """
type Person {{ name: String! team: {team} @association(opposite: "members") }}
type Team {{ title: String! members: [Person!] @association(opposite: "team") }}
"""
ADMINISTRATOR = Caller("1", "ada", "Administrator", administrator=True)


class Context:
    """A context of Lambda with time for a number of steps."""

    def __init__(self, steps: int = 1_000_000) -> None:
        self._steps = steps

    def get_remaining_time_in_millis(self) -> int:
        self._steps -= 1
        return 10_000_000 if self._steps >= 0 else STEP_MILLISECONDS - 1


def open_instance(folder: Path, model: str) -> App:
    file = folder / "model.graphql"
    file.write_text(f'extend schema @application(name: "People")\n{model}\n')
    return App(Settings(home=folder, model=file))


@pytest.fixture
def instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """An instance whose model has an index and a unique constraint that its 20 objects lack."""
    monkeypatch.setattr(class_heads, "READ_BATCH", 1)
    before = open_instance(tmp_path, BEFORE)
    for number in range(20):
        data = {"name": "x", "code": str(number % 19)}
        create = "mutation($data: PersonCreate!) { Person___create(data: $data) { _id } }"
        body = before.executor.execute(create, {"data": data}, None, ADMINISTRATOR, "trace").body
        assert b"errors" not in body
    before.close()
    instance = open_instance(tmp_path, AFTER)
    yield instance
    instance.close()


def execute(instance: App, document: str) -> Any:
    """Return the data of a response without errors."""
    response = json.loads(instance.executor.execute(document, {}, None, ADMINISTRATOR, "trace").body)
    assert "errors" not in response, response
    return response["data"]


def call(instance: App, event: Any, context: Context | None = None) -> Any:
    time = Time()
    handler = reindex_handler(lambda: instance, lambda: 10**15 + time.milliseconds(), time.sleep)
    return handler(event, context or Context())


def test_a_call_builds_the_classes_of_the_event(instance: App) -> None:
    state = {"objects": 0, "ready": True, "unfinished": [], "duplicates": []}
    assert call(instance, {"class": "Team"}) == {"finished": True, "classes": {"Team": state}}
    assert call(instance, {"classes": []}) == {"finished": True, "classes": {}}


def test_a_call_without_classes_builds_all(instance: App) -> None:
    answer = call(instance, None)
    assert answer["finished"]
    assert [*answer["classes"]] == ["Person", "Team"]
    person = answer["classes"]["Person"]
    (duplicate,) = person["duplicates"]
    assert (person["objects"], person["ready"], person["unfinished"]) == (20, False, [])
    assert (duplicate["of"], duplicate["values"], len(duplicate["ids"])) == (
        "@unique(code)",
        {"code": "0"},
        2,
    )


def test_a_call_whose_time_is_over_says_how_to_continue(instance: App) -> None:
    """The calls together process each object once."""
    event: Any = {}
    objects, calls = 0, 0
    while event is not None:
        answer = call(instance, event, Context(steps=3))
        assert answer["finished"] == ("next" not in answer)
        objects += sum(state["objects"] for state in answer["classes"].values())
        event, calls = answer.get("next"), calls + 1
    assert objects == 20
    assert calls > 1
    assert answer["classes"]["Team"]["ready"]


def test_calls_whose_time_is_over_together_remove_the_former_positions(
    instance: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each call continues after the objects of the calls before."""
    emptied: list[Key] = []

    def note_heads(engine: Engine, wanted: list[Key]) -> list[Item]:
        emptied.extend(wanted)
        return class_heads.live_heads(engine, wanted)

    monkeypatch.setattr(resharding, "live_heads", note_heads)
    Resharding(instance.engine, instance.model).begin("Person", {OF_LISTING: 4})
    event: Any = {"class": "Person"}
    calls, left = 0, []
    while event is not None:
        answer = call(instance, event, Context(steps=6))
        event, calls = answer.get("next"), calls + 1
        left.append(sum(keys.LISTING in item.places for page in instance.engine.scan() for item in page))
    assert calls < 20
    assert left[-1] == 0
    assert 0 < left[0] < 20
    assert len(emptied) == len({*emptied}) == 20
    (listing,) = stored_listings(instance)
    assert listing.shards == 4


def stored_listings(instance: App) -> list[IndexSlot]:
    registry = parse_registry(instance.engine.get([keys.REGISTRY])[0])
    return [slot for slot in registry.slots("Person") if slot.is_listing]


@pytest.mark.parametrize(
    "event", [{"class": "Nobody"}, {"classes": ["Person", "Nobody"]}, {"classes": "Nobody"}]
)
def test_an_unknown_class_is_refused(instance: App, event: Any) -> None:
    with pytest.raises(ValueError, match=r"These classes do not exist: Nobody\. Use: Person, Team\."):
        call(instance, event)


def test_a_move_of_a_role_stops_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call writes what is still missing, so the calls together move all associations."""
    monkeypatch.setattr(class_heads, "READ_BATCH", 1)
    before = open_instance(tmp_path, MEMBERS.format(team="Team"))
    team = execute(before, 'mutation { Team___create(data: {title: "t"}) { _id } }')["Team___create"]["_id"]
    for number in range(6):
        data = f'{{name: "{number}", team: "{team}"}}'
        execute(before, f"mutation {{ Person___create(data: {data}) {{ _id }} }}")
    before.close()
    after = open_instance(tmp_path, MEMBERS.format(team="[Team!]"))
    event: Any = {}
    calls = 0
    while not (answer := call(after, event, Context(steps=18)))["finished"]:
        event = answer["next"]
        calls += 1
        assert calls < 50
    assert calls > 1
    found = execute(after, "{ Person___getPage { items { team { items { title } } } } }")
    assert found["Person___getPage"]["items"] == [{"team": {"items": [{"title": "t"}]}}] * 6
    after.close()
