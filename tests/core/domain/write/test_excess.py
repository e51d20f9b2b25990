"""Commands that exceed a limit, which are refused before anything else is done with them."""

from itertools import count
from typing import Any

import pytest

from stratabase.core.domain.issues.issue import Issue
from stratabase.core.domain.write.commands import Command, RequestIds
from stratabase.core.domain.write.limits import MAX_OBJECT_BYTES, MAX_TEXT_PER_COMMAND
from stratabase.core.domain.write.plan import find_excess
from stratabase.core.operations.write.services import preview, validate
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import add, create, create_command, update, update_command
from tests.graphs.company import COMPANY
from tests.graphs.company_scenario import CompanyScenario
from tests.rows import each_row

LONG = "x" * (MAX_OBJECT_BYTES + 1)
HALF = "é" * (MAX_OBJECT_BYTES // 2)


def excess(command: Command) -> Issue | None:
    numbers = count(1)
    return find_excess(command, RequestIds(command, lambda: f"id{next(numbers)}"), COMPANY)


def place(issue: Issue | None) -> tuple[Any, ...]:
    assert issue is not None
    return (issue.entity_name, issue.entity_id, issue.client_id, issue.path)


def test_an_object_whose_texts_have_more_characters_than_its_bytes_is_named() -> None:
    assert place(excess(create_command("Charter", "c", text=LONG))) == ("Charter", None, "c", ("data",))
    assert place(excess(update_command("Employee", "e1", name=LONG))) == ("Employee", "e1", None, ("data",))
    assert place(excess(create_command("Employee", first=HALF, last=HALF, middle="x")))[0] == "Employee"
    part: Command = create_command(
        "Project", tasks=create(create_command("Task"), create_command("Task", name=LONG))
    )
    assert place(excess(part)) == ("Task", None, None, ("data", "tasks", "create", 1))
    part = update_command("Project", "p1", tasks=update(update_command("Task", "t1", name=LONG)))
    assert place(excess(part)) == ("Task", "t1", None, ("data", "tasks", "update", 0))


@each_row("values", [{}, {"text": LONG[1:]}, {"text": HALF, "more": HALF}, {"text": 7}])
def test_what_may_fit_is_left_to_the_store(values: dict[str, Any]) -> None:
    assert excess(create_command("Charter", **values)) is None


def test_a_form_has_no_limit_because_it_is_not_stored() -> None:
    assert excess(create_command("Leave", days=LONG)) is None


def test_the_texts_of_all_objects_have_a_limit_together() -> None:
    def tasks(number: int) -> Command:
        return create_command("Project", tasks=create(*[create_command("Task", name=HALF)] * number))

    most = MAX_TEXT_PER_COMMAND // len(HALF)
    assert excess(tasks(most)) is None
    issue = excess(tasks(most + 1))
    assert place(issue) == ("Project", None, None, ("data",))
    assert issue is not None
    assert "The maximum is 6,291,456." in str(issue.message)


def test_too_many_references_are_counted_before_texts() -> None:
    issue = excess(update_command("Project", "p1", name=LONG, people=add(*map(str, range(1000)))))
    assert issue is not None
    assert str(issue.message) == "The request refers to 1,001 objects. The maximum is 1,000."


def test_nothing_else_is_done_with_an_object_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a value of its own is read or checked, nor one of another object."""
    scenario = CompanyScenario()
    monkeypatch.setattr("stratabase.core.domain.write.expand.read_draft", _never)
    monkeypatch.setattr(scenario.entities, "read", _never)
    commands = (
        create_command("Project", name="x", charter=create(create_command("Charter", text=LONG))),
        update_command("Employee", "e1", name=LONG),
    )
    for command in commands:
        (issue,) = validate(scenario.services, command, ADMINISTRATOR)
        assert "at least 358,401 bytes. The maximum is 358,400 bytes." in str(issue.message)


def test_a_value_of_the_right_size_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratabase.core.domain.write.expand.read_draft", _never)
    with pytest.raises(AssertionError, match="not needed"):
        preview(CompanyScenario().services, create_command("Charter", text="x"), ADMINISTRATOR)


def _never(*_: Any) -> Any:
    raise AssertionError("not needed")
