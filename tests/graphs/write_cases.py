"""Cases of commands that write whole graphs of the company, some of which are refused."""

from collections.abc import Iterator, Mapping
from typing import Any

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.write.commands import Command, PartsCommand, ToManyCommand
from tests.graphs.commands import add, create, create_command, delete_command, point, update, update_command
from tests.graphs.company import COMPANY
from tests.graphs.company_scenario import CompanyScenario

TASKS = 45
"""Of a project: each is its head, a link to who does it, and two to labels, so more than can end as one."""


_LARGE: Mapping[Reference, Mapping[str, Any]] = {
    Reference("Customer", "c9"): {"name": "Giant"},
    Reference("Employee", "e9"): {"name": "Zoe", "email": "zoe@x.org"},
    Reference("Charter", "h9"): {"text": "Go far.", "project": "p9"},
    Reference("Project", "p9"): {
        "name": "Pluto",
        "customer": "c9",
        "charter": "h9",
        "tasks": [f"g{number:02}" for number in range(TASKS)],
    },
    **{
        Reference("Task", f"g{number:02}"): {"name": "fly", "assignee": "e9", "project": "p9"}
        for number in range(TASKS)
    },
    Reference("Task", "g07"): {"name": "dock", "assignee": "e9", "project": "p9", "subtasks": ["g7a", "g7b"]},
    Reference("Task", "g7a"): {"name": "aim", "assignee": "e3", "parent": "g07"},
    Reference("Task", "g7b"): {"name": "turn", "assignee": "e9", "parent": "g07", "after": "g00"},
}


def scenario() -> CompanyScenario:
    """Return the company with an additional project that is too large for one commit."""
    scenario = CompanyScenario()
    for reference, state in _LARGE.items():
        scenario.put(reference, state)
    for role, owner, other in _links():
        scenario.entities.graph.link(COMPANY, role, owner, other)
    return scenario


def _links() -> Iterator[tuple[RoleName, str, str]]:
    yield RoleName("Project", "people"), "p9", "e9"
    yield RoleName("Employee", "friends"), "e9", "e4"
    for number in range(TASKS):
        yield RoleName("Task", "labels"), f"g{number:02}", "l1"
        yield RoleName("Task", "labels"), f"g{number:02}", "l2"


LARGE = "delete more than can be done as one"


WRITE_CASES: Mapping[str, Command] = {
    "create with parts, keys and links": create_command(
        "Employee",
        name="Eve",
        email="eve@x.org",
        team=point("t1"),
        leads=point("t3"),
        projects=add("p1"),
        friends=add("e1", "e3"),
        favourite=point("a2"),
        home=create(create_command("Address", street="6th")),
        addresses=create(
            create_command(
                "Address",
                street="5th",
                code="five",
                guests=add("e4"),
                rooms=create(
                    create_command("Room", name="hall", keeper=point("e2"), next=point("attic")),
                    create_command("Room", "attic", name="attic"),
                ),
            )
        ),
    ),
    "create objects with required references": create_command(
        "Project",
        name="Mars",
        customer=point("c1"),
        people=add("e1", "e4"),
        charter=create(create_command("Charter", text="Go.")),
        tasks=create(
            create_command(
                "Task",
                "first",
                name="x",
                assignee=point("e1"),
                labels=add("l1"),
                subtasks=create(create_command("Task", name="y", assignee=point("e2"), after=point("first"))),
            )
        ),
    ),
    "create objects that others require": create_command("Captain", name="Ahab", ship=point("s2")),
    "create with members taken from others": create_command(
        "Team", name="new", members=add("e1", "e3"), lead=point("e3")
    ),
    "create with numbers": create_command(
        "Invoice", lines=create(create_command("Line", text="tea"), create_command("Line", text="milk"))
    ),
    "create with a taken value": create_command(
        "Employee", name="Ada", email="ada@x.org", addresses=create(create_command("Address", street="x"))
    ),
    "create with a key to a missing object": create_command("Passport", owner=point("gone")),
    "update from all sides": update_command(
        "Employee",
        "e1",
        name="Ada L.",
        email="ada@y.org",
        team=point("t2"),
        leads=point("t3"),
        friends=ToManyCommand(add=["e3"], remove=["e2"]),
        home=PartsCommand(create=[create_command("Address", street="new")], delete_all=True),
        addresses=PartsCommand(
            create=[
                create_command("Address", street="4th", rooms=create(create_command("Room", name="den")))
            ],
            update=[
                update_command(
                    "Address",
                    "a1",
                    street="1st b",
                    rooms=PartsCommand(
                        update=[update_command("Room", "r1", keeper=point("e3"))], delete=["r2"]
                    ),
                )
            ],
            delete=["a2"],
        ),
    ),
    "update objects that others require": update_command(
        "Project",
        "p1",
        customer=point("c2"),
        people=ToManyCommand(add=["e4"], remove=["e1"]),
        charter=PartsCommand(create=[create_command("Charter", text="Stop.")], delete_all=True),
        tasks=PartsCommand(
            create=[create_command("Task", name="land", assignee=point("e1"), labels=add("l1", "l2"))],
            update=[
                update_command(
                    "Task",
                    "k1",
                    assignee=point("e1"),
                    subtasks=PartsCommand(
                        create=[create_command("Task", name="z", assignee=point("e2"))], delete=["k3"]
                    ),
                )
            ],
            delete=["k2"],
        ),
    ),
    "hand a unique value to another part": update_command(
        "Employee",
        "e1",
        addresses=update(
            update_command("Address", "a1", code=None), update_command("Address", "a2", code="one")
        ),
    ),
    "move a partner": update_command("Employee", "e2", leads=point("t3")),
    "move to a partner that is required": update_command("Captain", "n1", ship=point("s2")),
    "move a required partner": update_command("Passport", "w1", owner=point("e2")),
    "take the partner of another object": update_command("Employee", "e3", leads=point("t1")),
    "move a member where others stay": update_command("Club", "b1", people=add("q2")),
    "move the last members": update_command("Club", "b1", people=add("q2", "q3")),
    "exchange links that are counted": update_command(
        "Meeting", "m1", attendees=ToManyCommand(add=["e2"], remove=["e1"])
    ),
    "update the singleton first": update_command(
        "Office",
        "1",
        name="HQ",
        manager=point("e1"),
        guests=add("e2"),
        address=create(
            create_command("Address", street="x", code="hq", rooms=create(create_command("Room", name="r")))
        ),
    ),
    "delete with parts and their parts": delete_command("Project", "p1"),
    "delete objects that keys reference": delete_command("Team", "t1"),
    "delete one of several members": delete_command("Person", "q2"),
    "delete objects with a required key": delete_command("Passport", "w1"),
    "delete a required object": delete_command("Employee", "e1"),
    LARGE: delete_command("Project", "p9"),
}
