"""Insight over HTTP: a nested page takes equally many round trips for few objects as for many."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.table import ensure_table
from tests import ministack
from tests.contract.engine.dynamodb import ministack_client
from tests.contract.engine.engine_calls import put
from tests.graphs.staff import staff
from tests.service import RunningService, running
from tests.soak import mostly

QUERY = """query($next: Int) { Employee___getPage(options: {next: $next}, insight: LIGHT) { items {
  team { name } addresses { items { city } }
  projects { items { title members { items { last_name } } } } } } }"""


def in_a_file(home: Path) -> dict[str, str]:
    """Store the staff in a file, and return the settings of a service on it."""
    engine = SqliteEngine(home / "objects.db")
    put(engine, staff().values())
    engine.close()
    return {}


def in_a_table(_: Path) -> dict[str, str]:
    """Store the staff in a table, and return the settings of a service on it."""
    ensure_table(ministack_client(), "staff")
    put(DynamoDBEngine(ministack_client(), "staff"), staff().values())
    return {
        "STRATABASE_STORE": "dynamodb",
        "STRATABASE_ENDPOINT": str(ministack.endpoint().url),
        "STRATABASE_CREATE_TABLES": "on",
        "STRATABASE_TABLE": "staff",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
    }


@pytest.fixture(
    scope="module", params=mostly([in_a_file, in_a_table], "in_a_file"), ids=["sqlite", "dynamodb"]
)
def service(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home = tmp_path_factory.mktemp("service") / "home"
    with running(home, settings=request.param(home)) as service:
        yield service


@pytest.mark.parametrize("number", [5, 50, pytest.param(500, marks=pytest.mark.thorough)])
def test_round_trips_of_a_nested_page_do_not_grow_with_the_number_of_objects(
    service: RunningService, number: int
) -> None:
    """The page, two for the links on each of two levels; sometimes the registry of slots is read again."""
    answers = [service.graphql(QUERY, {"next": number}) for _ in range(2)]

    assert {len(answer["data"]["Employee___getPage"]["items"]) for answer in answers} == {number}
    assert min(answer["extensions"]["insight"]["roundTrips"] for answer in answers) == 1 + 2 + 2
