"""The limits on the number and the reading of versions in one request."""

from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.schema.execution.limits import ExecutionPolicy, Limits
from stratabase.core.schema.executor import SchemaExecutor
from tests.core.schema.graph_api import GraphApi, over_sqlite
from tests.core.schema.versioned_api import VersionedApi
from tests.everything_model import EverythingObjects
from tests.rows import each_row


@pytest.fixture
def api(graphs: GraphApi) -> VersionedApi:
    return VersionedApi(graphs)


@each_row(
    ("query", "cost"),
    [
        ('{ r: Person___getVersion(_id: "x", atVersion: "") { _id } }', 1),
        ('{ r: Person___getVersion(_id: "x", atVersion: "") { mentor { pupils { items { _id } } } } }', 12),
        ('{ r: Person___getVersionPage(_id: "x") { items { _id } } }', 10),
        ('{ r: Person___getVersionPage(_id: "x", options: {next: 5, offset: 2}) { items { _id } } }', 7),
        ('{ r: Person___getVersionPage(_id: "x") { items { mentor { _id } } totalCount } }', 120),
        ('{ r: Person___getVersionDiff(_id: "x", from: "", to: "") { changes { name old } } }', 1),
        ('mutation { r: Person___restoreVersion(_id: "x", atVersion: "") { _id } }', 10),
    ],
)
def test_the_cost_of_versions_is_estimated_before_execution(query: str, cost: int) -> None:
    """These objects don't tell how many there are; a store that does lowers the estimate."""
    graphs = GraphApi(EverythingObjects())
    assert not _too_costly(graphs, query, cost)
    assert _too_costly(graphs, query, cost - 1)


def _too_costly(graphs: GraphApi, query: str, most: int) -> bool:
    executor = SchemaExecutor(graphs.services, lambda *_: None, ExecutionPolicy(limits=Limits(cost=most)))
    answer = executor.execute(query, {}, None, graphs.caller, "trace")
    return b"estimated cost" in answer.body


@pytest.mark.parametrize(
    ("options", "selected", "remedy"),
    [
        ({"filter": {"height___gt": 0}}, "items { _id }", "Omit filter."),
        ({}, "totalCount", "Omit totalCount."),
        ({"orderBy": ["last_name___ASC"]}, "items { _id }", "does not start with _versionStart"),
    ],
)
def test_a_request_that_reads_too_many_versions_gets_advice(
    tmp_path_factory: pytest.TempPathFactory, options: dict[str, Any], selected: str, remedy: str
) -> None:
    graphs = over_sqlite(tmp_path_factory.mktemp("store"))
    api = VersionedApi(graphs)
    id_ = api.person(last_name="a")
    for number in range(300):
        api.update(id_, height=number)
    services = replace(graphs.services, new_budget=lambda: ReadBudget(20_000, 1, clock=lambda: 0.0))
    graphs.executor = SchemaExecutor(services, lambda *_: None)
    assert len(api.page(id_, orderBy=["_versionStart___DESC"])["items"]) == 10
    call = "Person___getVersionPage(_id: $id, options: $o)"
    query = f"query($id: ID!, $o: PersonPageOptions) {{ {call} {{ {selected} }} }}"
    (error,) = graphs.body(query, id=id_, o=options)["errors"]
    assert remedy in error["message"]
    graphs.close()
