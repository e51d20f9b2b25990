"""Warnings: the objects that they are checked for, and which writes they stop."""

from dataclasses import replace

import pytest

from stratabase.core.domain.issues.issue import IssueType, Level, ReferenceType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Command
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.operations.write.services import preview
from tests.core.operations.write.warnings.staff_services import BOB, StaffServices
from tests.fakes import ADMINISTRATOR, NOON
from tests.graphs.commands import create, create_command, point, remove, update_command
from tests.rows import each_row

DAY = 24 * 60 * 60 * 1000
CHILD = ("A child.", "Person", None, "data")


def refused(staff: StaffServices, command: Command) -> Refused:
    with pytest.raises(Refused) as refusal:
        staff.write(command)
    return refusal.value


def test_a_warning_stops_a_write_and_names_its_object() -> None:
    (issue,) = refused(StaffServices(), create_command("Person", "c1", name="Kim", age=7)).issues

    assert issue.type is IssueType.ENTITY_DOMAIN
    assert issue.level is Level.WARNING
    assert issue.reference_type is ReferenceType.ENTITY
    assert (issue.entity_name, issue.entity_id, issue.client_id) == ("Person", None, "c1")
    assert issue.path == ("data",)


def test_a_forced_write_succeeds_despite_warnings() -> None:
    staff = StaffServices()

    created = staff.write(create_command("Person", name="Kim", age=7), force=True)

    assert staff.entities.objects[created.reference].state["age"] == 7
    assert staff.write(update_command("Person", created.reference.id, age=8), force=True).state["age"] == 8


def test_a_blocking_warning_is_an_error_that_cannot_be_forced() -> None:
    staff = StaffServices()
    command = create_command("Person", name="Kim", age=151)

    (issue,) = refused(staff, command).issues

    assert (issue.type, issue.level) == (IssueType.ENTITY_DOMAIN, Level.ERROR)
    assert staff.refusal(command, force=True) == [("Nobody is so old.", "Person", None, "data")]


def test_all_warnings_are_reported_in_the_order_of_the_model() -> None:
    staff = StaffServices()
    red = staff.put("Team", "t1", name="red")

    found = staff.refusal(create_command("Person", name="ada", age=7, team=point(red.id), born="2999-01-01"))

    assert [message for message, *_ in found] == [
        "A child.",
        "Red is for adults.",
        "You yourself.",
        "Not born yet.",
    ]


def test_a_write_without_warnings_succeeds() -> None:
    staff = StaffServices()

    created = staff.write(create_command("Person", name="Kim", age=16, born="2019-12-31"))
    staff.write(update_command("Person", created.reference.id, age=150))

    assert staff.entities.objects[created.reference].state["age"] == 150


def test_a_null_condition_does_not_hold() -> None:
    staff = StaffServices()

    staff.write(create_command("Person", name="Kim", team=point(staff.put("Team", "t1", name="red").id)))

    assert len(staff.entities.commits) == 1


def test_conditions_may_use_the_caller() -> None:
    staff = StaffServices()
    command = create_command("Person", name="bob")

    assert staff.refusal(command, BOB) == [("You yourself.", "Person", None, "data")]
    staff.write(command)


def test_conditions_may_use_the_date_of_the_write() -> None:
    staff = StaffServices()
    command = create_command("Person", name="Kim", born="2020-01-02")

    assert staff.refusal(command) == [("Not born yet.", "Person", None, "data")]
    staff.clock.instant = NOON + DAY
    staff.write(command)


def test_conditions_use_the_date_in_the_time_zone_of_the_member() -> None:
    staff = StaffServices()
    ahead = replace(BOB, formats=replace(BOB.formats, time_zone="Pacific/Kiritimati"))

    staff.write(create_command("Person", name="Kim", born="2020-01-02"), ahead)

    assert len(staff.entities.commits) == 1


def test_a_write_without_changes_has_no_warnings() -> None:
    staff = StaffServices()
    staff.put("Person", "p1", name="Kim", age=7)

    staff.write(update_command("Person", "p1", age=7, idols=remove("p2")))

    assert staff.entities.commits == []


def test_a_deletion_has_no_warnings() -> None:
    staff = StaffServices()
    staff.put("Team", "t1", name="team")
    for id_ in ("p1", "p2", "p3", "p4"):
        staff.put("Person", id_, name="Kim", age=7, team="t1")

    assert staff.delete("Person", "p1")
    assert staff.delete("Team", "t1")


def test_a_singleton_is_checked() -> None:
    staff = StaffServices()

    assert staff.refusal(update_command("House", "1", degrees=9)) == [("Cold.", "House", "1", "data")]
    staff.write(update_command("House", "1", degrees=10))


BESIDE: dict[str, tuple[Command, list[tuple[str | None, ...]]]] = {
    "a value out of its range is known": (
        create_command("Person", name="Kim", age=201),
        [("ATTRIBUTE_RANGE", "Person", "age", "data.age"), ("Nobody is so old.", "Person", None, "data")],
    ),
    "one that cannot be read is not": (
        create_command("Person", name="ada", age="much"),
        [("DATA_TYPE", "Person", "age", "data.age"), ("You yourself.", "Person", None, "data")],
    ),
    "nor is one that stays as it was": (
        update_command("Person", "p1", age="much"),
        [("DATA_TYPE", "Person", "age", "data.age")],
    ),
    "a value that is missing, another that is there": (
        create_command("Person", age=7),
        [("ATTRIBUTE_REQUIRED", "Person", "name", "data.name"), CHILD],
    ),
    "a value that is another's": (
        create_command("Person", name="Kim", age=7, email="a@b.org"),
        [("ENTITY_UNIQUE", "Person", "email", "data.email"), CHILD],
    ),
    "a role that leads to nothing": (
        create_command("Person", name="Kim", age=7, team=point("t9")),
        [("ENTITY_NOT_FOUND", "Person", "team", "data.team"), CHILD],
    ),
    "an invalid part and a warning of another": (
        create_command(
            "Person",
            name="Kim",
            phones=create(create_command("Phone", digits=1), create_command("Phone", digits="2")),
        ),
        [
            ("DATA_TYPE", "Phone", "digits", "data.phones.create.0.digits"),
            ("A short number.", "Phone", None, "data.phones.create.1"),
        ],
    ),
    "an unreadable value used by a condition of another object": (
        update_command(
            "Person",
            "p1",
            age=20,
            phones=create(create_command("Phone", digits=1), create_command("Phone", digits="1234567")),
        ),
        [("DATA_TYPE", "Phone", "digits", "data.phones.create.0.digits")],
    ),
}


@each_row(("command", "expected"), BESIDE.values())
def test_warnings_are_reported_with_other_issues_where_the_values_are_known(
    command: Command, expected: list[tuple[str | None, ...]]
) -> None:
    staff = StaffServices()
    staff.put("Person", "p1", name="Old", email="a@b.org", age=7)

    assert staff.refusal(command) == expected


def test_forced_warnings_are_not_reported_with_other_issues() -> None:
    command = create_command("Person", age=7)

    found = StaffServices().refusal(command, force=True)

    assert found == [("ATTRIBUTE_REQUIRED", "Person", "name", "data.name")]


def test_an_object_is_checked_again_after_a_concurrent_write() -> None:
    staff = StaffServices()
    staff.put("Person", "p1", name="Kim", age=17)

    def other_write() -> None:
        staff.entities.before_commit = lambda: None
        staff.write(update_command("Person", "p1", age=15), force=True)

    staff.entities.before_commit = other_write
    with pytest.raises(Refused, match="A child"):
        staff.write(update_command("Person", "p1", name="Lee"))

    assert staff.entities.objects[Reference("Person", "p1")].state["name"] == "Kim"


def test_a_preview_reports_warnings_only_together_with_errors() -> None:
    staff = StaffServices()

    shown, none = preview(staff.services, create_command("Leave", days=30), ADMINISTRATOR)
    endless, issues = preview(staff.services, create_command("Leave", days=301), ADMINISTRATOR)
    child, nothing = preview(
        staff.services, create_command("Person", name="Kim", age=7), ADMINISTRATOR, options=WriteOptions()
    )

    assert [each.state["days"] for each in (shown, endless)] == [30, 301]
    assert [issue.message for issue in issues] == ["Long.", "Endless."]
    assert (child.state["age"], none, nothing) == (7, (), ())
