"""Graphs of objects in memory and in a file, for the tests of this package."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.schema.graph_api import GraphApi, over_a_dict, over_sqlite
from tests.soak import mostly


@pytest.fixture(params=mostly([over_a_dict, over_sqlite], "over_sqlite"), ids=["dict", "sqlite"])
def graphs(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphApi]:
    """The API over the graph, on each kind of store."""
    api: GraphApi = request.param(tmp_path)
    yield api
    api.close()
