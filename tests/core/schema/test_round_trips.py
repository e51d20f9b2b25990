"""Round trips of queries do not depend on the number of objects."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.parallel import ParallelMap, ThreadedMap, sequential_map
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.wrappers import MeteredEngine, record_consumption
from stratabase.core.store.indexes import registry_cache
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.aws.dynamodb.scripted import WatchedClient
from tests.contract.engine.dynamodb import ministack_client, over_ministack
from tests.contract.engine.engine_calls import put
from tests.fakes import ADMINISTRATOR, fake_services
from tests.graphs.staff import HR, PROJECTS, staff
from tests.soak import FULL, mostly


class MeteredApi:
    """The schema package over an engine with the staff."""

    def __init__(self, engine: Engine, together: ParallelMap, wire: Sequence[str] = ()) -> None:
        """`wire` records the requests over the network."""
        self.wire = wire
        services, _, _ = fake_services(HR)
        entities = Repository(MeteredEngine(engine), HR, together)
        entities.unbuilt()  # the registry is read before
        self.executor = SchemaExecutor(
            replace(services, entities=entities, measuring=record_consumption), lambda *_: None
        )

    def ask(self, query: str) -> tuple[Any, Any]:
        """Return the value of the only field of a response without errors, and its insight."""
        body = json.loads(self.executor.execute(query, {}, None, ADMINISTRATOR, "trace").body)
        assert "errors" not in body, body["errors"]
        (found,) = body["data"].values()
        return found, body["extensions"]["insight"]


def over_sqlite(folder: Path) -> Iterator[MeteredApi]:
    engine = SqliteEngine(folder / "store.db")
    put(engine, staff().values())
    yield MeteredApi(engine, sequential_map)
    engine.close()


def over_dynamodb(_: Path) -> Iterator[MeteredApi]:
    table, threads = over_ministack(), ThreadedMap(16)
    put(table, staff().values())
    client = WatchedClient(ministack_client())
    yield MeteredApi(DynamoDBEngine(client, table.name), threads, client.operations)
    threads.close()
    table.close()


@pytest.fixture(
    scope="module", params=mostly([over_sqlite, over_dynamodb], "over_sqlite"), ids=["sqlite", "dynamodb"]
)
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeteredApi]:
    """The staff on each engine. The cached registry stays fresh."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry_cache, "MAX_AGE", 1e9)
        yield from request.param(tmp_path_factory.mktemp("staff"))


ALL = """team { name } addresses { items { city } }
  projects { items { title members { items { last_name } } } }"""
SELECTIONS: dict[str, tuple[str, int]] = {
    "nothing": ("last_name", 1),
    "one": ("team { name }", 2),
    "one, and another from there": ("team { lead { email } }", 2 + 1),
    "one, by a guard": ("leads { name }", 1 + 2),
    "parts": ("addresses { items { city } }", 2),
    "parts and their whole": ("addresses { items { employee { last_name } } }", 2 + 1),
    "links": ("projects { items { title } }", 1 + 2),
    "links and back": ("projects { items { members { items { last_name } } } }", 1 + 2 + 2),
    "keys of others": ("team { members { items { last_name } } }", 2 + 2),
    "all of that": (ALL, 1 + 2 + 2),
}


@pytest.mark.soak
@pytest.mark.parametrize(("selection", "trips"), SELECTIONS.values(), ids=SELECTIONS)
def test_a_level_takes_one_round_trip_plus_one_for_links(api: MeteredApi, selection: str, trips: int) -> None:
    """This holds for 5 employees and for 500, whose heads do not fit in one request."""
    for number in (5, 50, 500) if FULL or not api.wire else (5, 110):
        query = "{ Employee___getPage(options: {next: %d}, insight: LIGHT) { items { %s } } }"
        found, insight = api.ask(query % (number, selection))
        assert len(found["items"]) == number
        assert insight["roundTrips"] == trips, number
    _, insight = api.ask(f'{{ Employee___get(_id: "e001", insight: LIGHT) {{ {selection} }} }}')
    assert insight["roundTrips"] <= trips  # less, where it leads back to the object itself


def test_every_request_over_the_network_is_reported(api: MeteredApi) -> None:
    """Those that are made at the same time, too, though they count once."""
    before = len(api.wire)
    query = f"{{ Employee___getPage(options: {{next: 120}}, insight: FULL) {{ items {{ {ALL} }} }} }}"

    _, insight = api.ask(query)

    result = [call["kind"] for call in insight["calls"] for _ in range(call["roundTrips"])]
    assert (result.count("range"), result.count("get")) == (1 + 120 + PROJECTS, 2 + 3)
    if api.wire:
        assert len(api.wire) - before == len(result)
    assert insight["roundTrips"] == 1 + 2 + 2
