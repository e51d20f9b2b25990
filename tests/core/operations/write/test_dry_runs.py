"""Preview and validation: the outcome of a write without writing."""

import pytest

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.write.commands import Command
from stratabase.core.operations.write.services import preview, validate
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import (
    create,
    create_command,
    delete_command,
    point,
    update,
    update_command,
)
from tests.graphs.company_scenario import CompanyScenario
from tests.rows import each_row

RIGHT: dict[str, Command] = {
    "a creation": create_command("Invoice", lines=create(create_command("Line", text="tea"))),
    "an update": update_command(
        "Employee", "e1", team=point("t2"), addresses=update(update_command("Address", "a1", code="x"))
    ),
    "an update of nothing": update_command("Employee", "e1", name="Ada"),
    "a deletion": delete_command("Project", "p1"),
    "a deletion of nothing": delete_command("Project", "p9"),
}


@each_row("command", RIGHT.values())
def test_a_validation_writes_nothing(command: Command) -> None:
    scenario = CompanyScenario()
    graph, allowances = scenario.entities.graph, len(scenario.entities.allowances)

    assert list(validate(scenario.services, command, ADMINISTRATOR)) == []

    assert scenario.entities.graph is graph
    assert scenario.entities.commits == []
    assert scenario.entities.serials == {}
    assert len(scenario.entities.allowances) == allowances
    scenario.write(command)


def test_a_validation_is_repeated_after_a_concurrent_write(monkeypatch: pytest.MonkeyPatch) -> None:
    """The store then has newer values than those that were read."""
    scenario = CompanyScenario()
    rehearse = scenario.entities.dry_run

    def other_write(asked: Change) -> None:
        monkeypatch.undo()
        scenario.write(update_command("Employee", "e1", name="Other"))
        rehearse(asked)

    monkeypatch.setattr(scenario.entities, "dry_run", other_write)
    shown, _ = preview(scenario.services, update_command("Employee", "e1", age=3), ADMINISTRATOR)

    assert (shown.state["name"], shown.state["age"]) == ("Other", 3)
