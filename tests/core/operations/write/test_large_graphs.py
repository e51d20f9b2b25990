"""Graphs larger than one commit."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Create, PartsCommand, Update
from stratabase.core.operations.context import Services
from stratabase.core.operations.locks.services import lock
from stratabase.core.operations.write.services import delete, save, validate
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import create, create_command, delete_command, point, update_command
from tests.graphs.company import COMPANY
from tests.graphs.processes import process
from tests.graphs.read_graph import read_graph

RIVAL = Caller("m2", "bob", "Administrator", administrator=True)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = SqliteEngine(tmp_path / "store.db")
    yield engine
    engine.close()


@pytest.fixture
def services(engine: Engine) -> Services:
    return process(engine, COMPANY)


def refusal(services: Services, command: Create | Update) -> Issue:
    """Return the only issue of a command. Assert that its validation reports the same."""
    with pytest.raises(Refused) as refused:
        save(services, command, ADMINISTRATOR)
    (issue,) = refused.value.issues
    assert list(validate(services, command, ADMINISTRATOR)) == [issue]
    return issue


def addresses(number: int) -> PartsCommand:
    return create(*(create_command("Address", street=str(each)) for each in range(number)))


def test_a_whole_with_more_parts_than_one_commit_holds_can_be_deleted(services: Services) -> None:
    eve = save(services, create_command("Employee", name="Eve"), ADMINISTRATOR).reference
    for _ in range(4):
        save(services, update_command("Employee", eve.id, addresses=addresses(80)), ADMINISTRATOR)
    (entity,) = services.entities.read([eve])
    assert entity is not None
    ids = entity.state["addresses"]
    assert isinstance(ids, list)
    assert len(ids) == 320

    assert list(validate(services, delete_command("Employee", eve.id), ADMINISTRATOR)) == []
    assert delete(services, delete_command("Employee", eve.id), ADMINISTRATOR) is True

    assert set(services.entities.read([eve, *(Reference("Address", id_) for id_ in ids)])) == {None}
    assert read_graph(services.entities, COMPANY).objects == {}


def test_a_whole_with_many_parts_that_a_required_role_references_is_not_deleted(services: Services) -> None:
    eve = save(services, create_command("Employee", name="Eve"), ADMINISTRATOR).reference
    for _ in range(2):
        save(services, update_command("Employee", eve.id, addresses=addresses(80)), ADMINISTRATOR)
    save(services, create_command("Passport", owner=point(eve.id)), ADMINISTRATOR)

    with pytest.raises(Refused) as refused:
        delete(services, delete_command("Employee", eve.id), ADMINISTRATOR)

    assert [issue.type for issue in refused.value.issues] == [IssueType.ROLE_CARDINALITY]
    assert len(read_graph(services.entities, COMPANY).objects) == 162


def test_any_number_of_parts_of_a_whole_can_be_cleared(services: Services) -> None:
    eve = save(services, create_command("Employee", name="Eve"), ADMINISTRATOR).reference
    for _ in range(2):
        save(services, update_command("Employee", eve.id, addresses=addresses(80)), ADMINISTRATOR)
    command = update_command(
        "Employee",
        eve.id,
        addresses=PartsCommand(create=[create_command("Address", street="new")], delete_all=True),
    )

    assert list(validate(services, command, ADMINISTRATOR)) == []
    state = save(services, command, ADMINISTRATOR).state

    assert len(read_graph(services.entities, COMPANY).objects) == 2
    (entity,) = services.entities.read([eve])
    assert entity is not None
    assert entity.state["addresses"] == state["addresses"]


def test_clearing_parts_with_too_many_new_ones_is_refused(services: Services) -> None:
    eve = save(services, create_command("Employee", name="Eve"), ADMINISTRATOR).reference
    for _ in range(2):
        save(services, update_command("Employee", eve.id, addresses=addresses(80)), ADMINISTRATOR)

    created = [create_command("Address", street=str(each)) for each in range(120)]
    issue = refusal(
        services, update_command("Employee", eve.id, addresses=PartsCommand(create=created, delete_all=True))
    )

    assert issue.type is IssueType.MALFORMED_REQUEST
    assert len(read_graph(services.entities, COMPANY).objects) == 161


def test_a_large_graph_with_a_part_locked_by_another_is_not_deleted(services: Services) -> None:
    eve = save(services, create_command("Employee", name="Eve"), ADMINISTRATOR).reference
    for _ in range(2):
        save(services, update_command("Employee", eve.id, addresses=addresses(80)), ADMINISTRATOR)
    (entity,) = services.entities.read([eve])
    assert entity is not None
    ids = entity.state["addresses"]
    assert isinstance(ids, list)
    lock(services, [Reference("Address", ids[70])], 5, RIVAL)

    issue = refusal(services, update_command("Employee", eve.id, addresses=PartsCommand(delete_all=True)))

    assert issue.type is IssueType.ENTITY_LOCK_PERSIST
    assert len(read_graph(services.entities, COMPANY).objects) == 161
