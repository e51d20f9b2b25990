"""Warnings in bulk services are checked for each object separately."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.domain.write.commands import UpdateBulk
from stratabase.core.operations.write.bulk import update_bulk
from stratabase.values.cel.environment import EMPTY_CONTEXT
from tests.core.operations.write.warnings.staff_services import StaffServices
from tests.fakes import ADMINISTRATOR, unlimited_budget
from tests.graphs.commands import create_command, point, update_command

EVERYBODY = Query("Person", Order(), window=Window(100))
OLDER = UpdateBulk("Person", {"age": 17})


def staff() -> StaffServices:
    staff = StaffServices()
    staff.put("Team", "t1", name="red")
    staff.put("Person", "p1", name="Kim", team="t1")
    staff.put("Person", "p2", name="Lee")
    return staff


def issues_of(staff: StaffServices) -> Sequence[Issue]:
    outcome = update_bulk(staff.services, OLDER, EVERYBODY, ADMINISTRATOR, unlimited_budget(), EMPTY_CONTEXT)
    assert outcome.refusal is not None
    return outcome.refusal.issues


def ages(staff: StaffServices) -> list[object]:
    return [entity.state.get("age") for entity in staff.entities.objects.values() if "age" in entity.state]


def spent() -> ReadBudget:
    """Return a read budget that is used up."""
    return ReadBudget(-1, 1, clock=lambda: 0.0)


def test_an_object_whose_conditions_read_too_much_is_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at = staff()
    read = at.entities.read

    def measured(references: Sequence[object], budget: ReadBudget | None = None) -> object:
        if budget is not None:
            raise ReadBudgetExceeded("Team")
        return read(references)  # type: ignore[arg-type]

    monkeypatch.setattr(at.entities, "read", measured)
    summary, issue = issues_of(at)

    assert "1 of 2 Person objects were updated" in summary.message
    assert (issue.type.name, issue.entity_id) == ("MALFORMED_REQUEST", "p1")
    assert ages(at) == [17]


def test_a_write_whose_conditions_read_too_much_is_refused() -> None:
    at = staff()
    at.services = replace(at.services, entities=at.entities, new_budget=spent)
    at.entities.read = _frugal(at)  # type: ignore[method-assign]

    with pytest.raises(ReadBudgetExceeded):
        at.write(update_command("Person", "p1", age=17))
    with pytest.raises(ReadBudgetExceeded):
        at.write(create_command("Person", name="Mo", team=point("t1")))
    at.write(create_command("Skill", name="sing"))
    assert len(at.entities.commits) == 1


def _frugal(at: StaffServices) -> Any:
    read = at.entities.read

    def frugal(references: Sequence[object], budget: ReadBudget | None = None) -> object:
        if budget is not None and budget.is_exhausted:
            raise ReadBudgetExceeded("Team")
        return read(references, budget)  # type: ignore[arg-type]

    return frugal
