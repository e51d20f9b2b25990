"""IDs that no object can have are not found."""

from typing import Any

import pytest

from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Command, Delete
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.services import delete, save, validate
from stratabase.core.store.engine.port import Engine
from tests.contract.engine.engines import SEQUENTIAL, engine_fixture
from tests.fakes import ADMINISTRATOR, request_of
from tests.graphs.commands import add, create, create_command, delete_command, point, remove, update_command
from tests.graphs.company import COMPANY
from tests.graphs.company_scenario import issue_summary
from tests.graphs.processes import process

IDS = {
    "long": "x" * 1500,
    "longer than any key": "x" * 5000,
    "empty": "",
    "like a key": "L#members#",
    "a control character": "\x00",
    "many bytes": "é" * 600,
    "half of a pair": "\ud800",
}


engine = engine_fixture(SEQUENTIAL, scope="module")


@pytest.mark.parametrize("id_", IDS.values(), ids=IDS)
def test_impossible_ids_are_reported_as_not_found(engine: Engine, id_: str) -> None:
    services = process(engine, COMPANY)
    commands: list[tuple[Command, list[str]]] = [
        (create_command("Employee", name="Eve", team=point(id_)), ["team"]),
        (create_command("Employee", name="Eve", leads=point(id_)), ["leads"]),
        (create_command("Employee", name="Eve", friends=add(id_)), ["friends"]),
        (create_command("Team", name="new", members=add(id_)), ["members"]),
        (update_command("Office", "1", guests=remove(id_)), []),
        (delete_command("Employee", id_), []),
    ]
    for command, roles in commands:
        issues = validate(services, command, ADMINISTRATOR)
        assert [issue_summary(issue)[::3][:2] for issue in issues] == [
            ("ENTITY_NOT_FOUND", role) for role in roles
        ]
        assert all(len(issue.message) < 150 for issue in issues)


@pytest.mark.parametrize("id_", IDS.values(), ids=IDS)
@pytest.mark.parametrize(
    "roles", [{}, {"addresses": create(create_command("Address", street="x"))}], ids=["alone", "whole"]
)
def test_a_missing_object_is_not_updated(engine: Engine, id_: str, roles: dict[str, Any]) -> None:
    services = process(engine, COMPANY)
    command = update_command("Employee", id_, name="Eve", **roles)

    with pytest.raises(Refused) as refusal:
        save(services, command, ADMINISTRATOR)

    (issue,) = refusal.value.issues
    assert (issue.type.name, issue.path) == ("ENTITY_NOT_FOUND", ("data", "_id"))
    assert len(issue.message) < 150
    (issue.entity_id or "").encode()


@pytest.mark.parametrize("id_", IDS.values(), ids=IDS)
def test_a_missing_object_is_neither_read_nor_deleted(engine: Engine, id_: str) -> None:
    services = process(engine, COMPANY)
    reference = Reference("Employee", id_)

    assert Reader(request_of(services.model, services.entities)).get(reference) is None
    assert delete(services, Delete(reference), ADMINISTRATOR) is False
