"""Clients delete, clear and restore an object with more parts than one commit holds."""

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.graph_client import over_dynamodb, over_sqlite
from tests.service import RunningService, running
from tests.soak import mostly

MODEL = Path(__file__).parent / "models/orders.graphql"
NUMBER, TOGETHER = 120, 40
FORMAT = "dd-MM-yyyy HH:mm:ss.SSS"
_tables = count()


def over_a_table_of_its_own() -> Mapping[str, str]:
    return over_dynamodb(f"restoring{next(_tables)}")()


@pytest.fixture(
    params=mostly([over_sqlite, over_a_table_of_its_own], "over_a_table_of_its_own"),
    ids=["sqlite", "dynamodb"],
)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunningService]:
    home = tmp_path / "home"
    home.mkdir()
    with running(home, model=MODEL, application="Orders", settings=request.param()) as service:
        yield service


def ask(service: RunningService, query: str, **variables: Any) -> Any:
    """Return the value of the only field of a response without errors."""
    body = service.graphql(query, variables)
    assert "errors" not in body, body["errors"]
    (value,) = body["data"].values()
    return value


LINES = f"lines(options: {{next: {2 * NUMBER}}}) {{ totalCount items {{ code }} }}"
SHOWN = f'_versionStart(format: "{FORMAT}") {LINES}'
UPDATE = f"mutation($data: OrderUpdate!) {{ Order___update(data: $data) {{ {SHOWN} }} }}"
RESTORE = f"""mutation($id: ID!, $at: Datetime!) {{
  Order___restoreVersion(_id: $id, atVersion: $at) {{ {SHOWN} }} }}"""
COUNT = '{ Line___getPage(options: {filter: {code___starts_with: "c"}}) { totalCount } }'


def codes(order: Any) -> list[str]:
    """Return the codes of an order's lines. Assert that as many are counted."""
    found = [line["code"] for line in order["lines"]["items"]]
    assert order["lines"]["totalCount"] == len(found)
    return found


def test_a_large_object_is_restored_completely_after_deletion_or_clearing(service: RunningService) -> None:
    order = ask(service, 'mutation { Order___create(data: {name: "a"}) { _id } }')["_id"]
    for first in range(0, NUMBER, TOGETHER):
        created = [{"code": f"c{each}"} for each in range(first, first + TOGETHER)]
        there = ask(service, UPDATE, data={"_id": order, "lines": {"create": created}})
    expected = [f"c{each}" for each in range(NUMBER)]
    assert codes(there) == expected

    assert ask(service, "mutation($id: ID!) { Order___delete(_id: $id) { deleted } }", id=order) == {
        "deleted": True
    }
    assert ask(service, COUNT) == {"totalCount": 0}
    back = ask(service, RESTORE, id=order, at=there["_versionStart"])
    assert codes(back) == expected
    assert ask(service, COUNT) == {"totalCount": NUMBER}
    starts = ask(
        service,
        f'{{ Line___getPage(options: {{next: 500}}) {{ items {{ _versionStart(format: "{FORMAT}") }} }} }}',
    )
    assert {line["_versionStart"] for line in starts["items"]} == {back["_versionStart"]}

    emptied = ask(service, UPDATE, data={"_id": order, "lines": None})
    assert codes(emptied) == []
    assert ask(service, COUNT) == {"totalCount": 0}
    assert codes(ask(service, RESTORE, id=order, at=back["_versionStart"])) == expected
    assert codes(ask(service, RESTORE, id=order, at=emptied["_versionStart"])) == []
    assert ask(service, COUNT) == {"totalCount": 0}
    assert '"level":"error"' not in service.log().lower().replace(" ", "")
