"""What objects in a store lack of what a model requires is counted, before that model is served."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.model.reading import read_model
from stratabase.store.engine.parallel import sequential_map
from stratabase.store.engine.port import Engine
from stratabase.store.layout import keys
from stratabase.store.read.required_values import MissingValues, RequiredValues
from tests.contract.engine.kinds import STURDY
from tests.schema.evolving_room import HEADING, EvolvingRoom
from tests.schema.test_required_on_old_data import NEW, OLD
from tests.soak import mostly


@pytest.fixture(params=mostly(STURDY, "metered"), ids=lambda kind: kind.name)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    """An engine that is empty."""
    engine: Engine = request.param.open(tmp_path)
    yield engine
    engine.close()


def test_objects_that_lack_something_are_counted_by_attribute_and_role(engine: Engine) -> None:
    room = EvolvingRoom(engine, OLD)
    team, gone, badge, skill = (room.create(name) for name in ("Team", "Team", "Badge", "Skill"))
    room.create(
        "Person",
        name="Ann",
        team=team,
        badge=badge,
        skills=[skill],
        phones=[{"digits": "1"}, {"digits": "2"}],
    )
    room.create("Person", name="Bob", team=gone, phones=[{"digits": "1"}])
    ended = room.create("Person")
    for _ in range(105):
        room.create("Person", name="Cy", team=team)
    assert room.delete("Team", gone) == room.delete("Person", ended) == []
    assert room.update("House", name="x") == []
    registry = engine.get([keys.REGISTRY])

    counted = RequiredValues(engine, read_model(HEADING + NEW, "model.graphql"), sequential_map)

    assert [*counted.missing_values()] == [
        MissingValues("Person", "team", 1, 107),
        MissingValues("Person", "badge", 106, 107),
        MissingValues("Person", "skills", 106, 107),
        MissingValues("Person", "phones", 105, 107),
        MissingValues("House", "motto", 1, 1),
    ]
    assert engine.get([keys.REGISTRY]) == registry


def test_a_value_of_an_earlier_type_is_missing(engine: Engine) -> None:
    room = EvolvingRoom(engine, "type Pet { age: String }")
    room.create("Pet", age="old")
    room.serve("type Pet { age: Int! }")
    assert [*RequiredValues(engine, room.model, sequential_map).missing_values()] == [
        MissingValues("Pet", "age", 1, 1)
    ]


def test_those_who_lead_back_fill_a_required_list(engine: Engine) -> None:
    room = EvolvingRoom(engine, "type Team { name: String }  type Player { team: Team }")
    team = room.create("Team")
    room.create("Team")
    room.create("Player", team=team)
    room.serve(
        'type Team { name: String  players: [Player!]! @association(opposite: "team") }'
        'type Player { team: Team @association(opposite: "players") }'
    )
    assert [*RequiredValues(engine, room.model, sequential_map).missing_values()] == [
        MissingValues("Team", "players", 1, 2)
    ]
