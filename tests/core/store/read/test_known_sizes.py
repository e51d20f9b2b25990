"""A store on this machine knows how many objects a class has."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.model.reading import read_model
from stratabase.core.schema.execution.limits import ExecutionPolicy, Limits
from stratabase.core.schema.executor import SchemaExecutor
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.wrappers import MeteredEngine, record_consumption
from stratabase.core.store.renamed_repository import open_repository
from tests.contract.engine.engines import KINDS
from tests.core.schema.grants.guild_api import GuildApi

MODEL = """
extend schema @application(name: "Shop") @profile(name: "Administrator", administrator: true)
  @profile(name: "Clerk") @profile(name: "Owner")
type Client %s
  @grant(profile: "Clerk", allow: [READ], where: "name == 'a'") @grant(profile: "Owner", allow: [READ]) {
  name: String
}
type Other { name: String }
"""
DEEP = """{
    Client___getPage(options: {next: 900}) { totalCount }
    b: Client___getPage(options: {next: 900}) { items { name } }
}"""


@pytest.fixture(params=["reference", "sqlite", "dynamodb-ministack"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    engine = next(kind for kind in KINDS if kind.name == request.param).open(tmp_path)
    yield engine
    engine.close()


def test_a_class_has_the_objects_of_its_listing(engine: Engine) -> None:
    entities = open_repository(engine, read_model(MODEL % "", "shop.graphql"))
    api = GuildApi(entities, read_model(MODEL % "", "shop.graphql"))
    knows = engine.is_embedded

    assert entities.known_size("Client", 10) == (0 if knows else None)
    for name in "abc":
        api.create("Client", name=name)
    api.create("Other", name="d")

    assert entities.known_size("Client", 3) == (3 if knows else None)
    assert entities.known_size("Client", 2) is None
    renamed = read_model(MODEL.replace("Client", "Customer") % '@renamed(from: "Client")', "shop.graphql")
    assert open_repository(engine, renamed).known_size("Customer", 10) == (3 if knows else None)


def test_a_measured_request_knows_the_same(tmp_path: Path) -> None:
    engine = next(kind for kind in KINDS if kind.name == "sqlite").open(tmp_path)
    entities = open_repository(MeteredEngine(engine), read_model(MODEL % "", "shop.graphql"))

    with record_consumption(lambda _consumption: None):
        assert entities.known_size("Client", 10) == 0
    engine.close()


def test_only_who_sees_all_objects_of_a_class_profits_from_its_size(tmp_path: Path) -> None:
    engine = next(kind for kind in KINDS if kind.name == "sqlite").open(tmp_path)
    model = read_model(MODEL % "", "shop.graphql")
    api = GuildApi(open_repository(engine, model), model)
    api.create("Client", name="b")
    policy = ExecutionPolicy(limits=Limits(cost=100))
    executor = SchemaExecutor(api.services, lambda error, _: None, policy)

    def is_refused(profile: str) -> bool:
        caller = Caller("m1", "ada", profile)
        return b"estimated cost" in executor.execute(DEEP, None, None, caller, "trace").body

    assert [is_refused(each) for each in ("Administrator", "Owner", "Clerk")] == [False, False, True]
    engine.close()
