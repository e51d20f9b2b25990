"""Uniqueness constraints with roles over HTTP, on each store."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.graph_client import Client, over_dynamodb, over_sqlite
from tests.service import running

MODEL = Path(__file__).parent / "models" / "hospital.graphql"
NOON = "2026-01-01T12:00:00Z"


@pytest.fixture(scope="module", params=[over_sqlite, over_dynamodb("hospital")], ids=["sqlite", "dynamodb"])
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a hospital."""
    home: Path = tmp_path_factory.mktemp("hospital") / "home"
    options = {"model": MODEL, "application": "Hospital", "settings": request.param()}
    with running(home, **options) as service:
        yield Client(service)


def update(client: Client, class_name: str, **data: Any) -> list[dict[str, Any]]:
    """Update an object, and return the issues."""
    query = f"mutation($data: {class_name}Update!) {{ {class_name}___update(data: $data) {{ _id }} }}"
    body = client.body(query, data=data)
    return [error["extensions"] for error in body.get("errors", [])]


def test_a_room_number_is_unique_in_its_department(client: Client) -> None:
    first, second = (client.create("Department", name=name) for name in "ab")
    one = client.create("Room", number=5, department=first)
    other = client.create("Room", number=5, department=second)
    find = "query($in: ID!) { Room___getByDepartment_Number(department: $in, number: 5) { _id } }"

    (issue,) = update(client, "Department", _id=first, rooms={"add": [other]})

    assert (issue["issueType"], issue["attributeNames"], issue["roleNames"], issue["entityID"]) == (
        "ENTITY_UNIQUE",
        ["number"],
        ["department"],
        other,
    )
    assert update(client, "Department", _id=first, rooms={"add": [other], "remove": [one]}) == []
    assert client.ask(find, **{"in": first}) == {"_id": other}
    assert client.ask(find, **{"in": second}) is None
    client.ask("mutation($id: ID!) { Department___delete(_id: $id) { deleted } }", id=first)
    assert client.ask(find, **{"in": first}) is None


def test_a_line_number_is_unique_in_its_order(client: Client) -> None:
    orders = [client.create("Order", lines=[{"number": 1}, {"number": 2}]) for _ in range(2)]

    (issue,) = update(client, "Order", _id=orders[0], lines={"create": [{"number": 2}]})

    assert (issue["issueType"], issue["entityName"], issue["roleNames"]) == (
        "ENTITY_UNIQUE",
        "Line",
        ["order"],
    )
    assert update(client, "Order", _id=orders[0], lines={"deleteAll": True, "create": [{"number": 2}]}) == []


def test_a_doctor_has_one_appointment_at_a_time(client: Client) -> None:
    doctor = client.create("Doctor", name="Ada")
    found = client.create("Appointment", starts_at=NOON, doctor=doctor)
    client.create("Appointment", starts_at=NOON)
    find = """query($doctor: ID!, $at: Datetime!) {
      Appointment___getByDoctor_Starts_at(doctor: $doctor, starts_at: $at) { _id doctor { name } } }"""

    assert client.ask(find, doctor=doctor, at=NOON) == {"_id": found, "doctor": {"name": "Ada"}}
    assert client.ask(find, doctor=doctor, at="2026-01-01T13:00:00Z") is None
    query = "mutation($data: AppointmentCreate!) { Appointment___create(data: $data) { _id } }"
    (error,) = client.body(query, data={"starts_at": NOON, "doctor": doctor})["errors"]
    assert error["extensions"]["issueType"] == "ENTITY_UNIQUE"
