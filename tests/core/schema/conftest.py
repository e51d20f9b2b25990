"""Graphs of objects in memory and in a file, and shared schemas, for the tests of this package."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from graphql import GraphQLSchema

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.model.model import Model
from stratabase.core.schema import executor
from stratabase.core.schema.generate import generate_schema
from tests.core.schema.graph_api import GraphApi, over_a_dict, over_sqlite
from tests.soak import mostly

_MAX_SHARED = 8


@pytest.fixture(scope="session", autouse=True)
def _shared_schemas() -> Iterator[None]:
    """Let the executors of one model share its schema, whose types are made when they are first used."""
    made: dict[int, tuple[Model, GraphQLSchema]] = {}

    def shared(model: Model, capabilities: Capabilities | None = None) -> GraphQLSchema:
        if capabilities is not None:
            return generate_schema(model, capabilities)
        if id(model) not in made:
            if len(made) == _MAX_SHARED:
                del made[next(iter(made))]
            made[id(model)] = model, generate_schema(model)
        return made[id(model)][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executor, "generate_schema", shared)
        yield


@pytest.fixture(params=mostly([over_a_dict, over_sqlite], "over_a_dict"), ids=["dict", "sqlite"])
def graphs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphApi]:
    """The API over the graph, on each kind of store."""
    api: GraphApi = request.param(tmp_path)
    yield api
    api.close()
