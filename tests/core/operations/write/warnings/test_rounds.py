"""Round trips of warnings depend on the paths of their conditions, and not on the number of objects."""

from dataclasses import replace
from typing import cast

from stratabase.core.domain.write.commands import Command, PartsCommand
from stratabase.core.operations.ports import EntityRepository
from tests.core.operations.write.recorded_calls import RecordedCalls
from tests.core.operations.write.warnings.staff_services import StaffServices
from tests.graphs.commands import add, create, create_command, point, update_command
from tests.rows import each_row


def calls(command: Command) -> list[str]:
    """Return the store calls of a command that meets no warning."""
    staff = StaffServices()
    staff.put("Team", "t1", name="blue")
    for number in range(40):
        staff.put("Person", f"p{number}", name="Kim")
    staff.put("Phone", "n1", digits="123", person="p0")
    staff.put("Person", "p0", name="Kim", phones=["n1"])
    noted = RecordedCalls(staff.entities)
    staff.services = replace(staff.services, entities=cast("EntityRepository", noted))
    staff.write(command, force=True)
    return noted.calls


CALLS: dict[str, tuple[Command, list[str]]] = {
    "a class without warnings": (create_command("Plain", name="x"), ["commit"]),
    "conditions on the object alone": (create_command("Phone", digits="123"), ["commit"]),
    "the singleton": (update_command("House", "1", degrees=20), ["read", "commit"]),
    "a new object without references": (create_command("Person", name="Kim"), ["commit"]),
    "one that leads to another": (
        create_command("Person", name="Kim", team=point("t1")),
        ["read", "linked", "commit"],
    ),
    "many that lead to it": (
        update_command("Team", "t1", members=add(*(f"p{number}" for number in range(40)))),
        ["read", "linked", "linked", "read", "commit"],
    ),
    "parts": (
        update_command(
            "Person", "p0", phones=PartsCommand(create=[create_command("Phone", digits="123")] * 3)
        ),
        ["read", "linked", "read", "commit"],
    ),
    "parts of a new object": (
        create_command("Person", name="Kim", phones=create(*[create_command("Phone", digits="123")] * 20)),
        ["commit"],
    ),
}


@each_row(("command", "expected"), CALLS.values())
def test_a_write_with_warnings_makes_these_calls(command: Command, expected: list[str]) -> None:
    assert calls(command) == expected
