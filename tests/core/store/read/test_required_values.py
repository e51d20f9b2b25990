"""Objects that lack newly required values are counted before the model is served."""

from stratabase.core.model.reading import read_model
from stratabase.core.store.engine.parallel import sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.layout import keys
from stratabase.core.store.read.required_values import MissingValues, RequiredValues
from tests.contract.engine.engines import CONCURRENT, engine_fixture
from tests.core.schema.evolving_api import HEADING, EvolvingApi
from tests.core.schema.models_with_required_members import NEW, OLD
from tests.soak import mostly

engine = engine_fixture(mostly(CONCURRENT, "metered"))


def test_objects_that_lack_required_members_are_counted_by_member(engine: Engine) -> None:
    api = EvolvingApi(engine, OLD)
    team, gone, badge, skill = (api.create(name) for name in ("Team", "Team", "Badge", "Skill"))
    api.create(
        "Person",
        name="Ann",
        team=team,
        badge=badge,
        skills=[skill],
        phones=[{"digits": "1"}, {"digits": "2"}],
    )
    api.create("Person", name="Bob", team=gone, phones=[{"digits": "1"}])
    ended = api.create("Person")
    for _ in range(105):
        api.create("Person", name="Cy", team=team)
    assert api.delete("Team", gone) == api.delete("Person", ended) == []
    assert api.update("House", name="x") == []
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
    api = EvolvingApi(engine, "type Pet { age: String }")
    api.create("Pet", age="old")
    api.serve("type Pet { age: Int! }")
    assert [*RequiredValues(engine, api.model, sequential_map).missing_values()] == [
        MissingValues("Pet", "age", 1, 1)
    ]


def test_keys_of_the_opposite_role_fill_a_required_list(engine: Engine) -> None:
    api = EvolvingApi(engine, "type Team { name: String }  type Player { team: Team }")
    team = api.create("Team")
    api.create("Team")
    api.create("Player", team=team)
    api.serve(
        'type Team { name: String  players: [Player!]! @association(opposite: "team") }'
        'type Player { team: Team @association(opposite: "players") }'
    )
    assert [*RequiredValues(engine, api.model, sequential_map).missing_values()] == [
        MissingValues("Team", "players", 1, 2)
    ]
