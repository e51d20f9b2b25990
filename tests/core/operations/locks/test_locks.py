"""Locking and unlocking: permissions, refusals, and the effect of locks on every kind of write."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import Delete, Update, UpdateBulk
from stratabase.core.operations.locks.lock import lock, unlock
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.write.bulk import delete_bulk, update_bulk, validate_bulk
from stratabase.core.operations.write.services import delete, preview, save, validate
from stratabase.values.cel.environment import EMPTY_CONTEXT
from stratabase.values.formats.preferences import Formats
from tests.core.operations.write.recorded_calls import RecordedCalls
from tests.fakes import NOON, unlimited_budget
from tests.graphs.commands import create_command, delete_command, point, update_command
from tests.graphs.company_scenario import CompanyScenario, issue_summary

MINUTE = 60_000
ADA, BOB = Caller("a", "ada", "Member"), Caller("b", "bob", "Member")
CHIEF = Caller("c", "chief", "Administrator", administrator=True)
ITALIAN = replace(BOB, formats=Formats("dd-MM-yyyy", "HH:mm:ss", "Europe/Rome", "it"))

E1, E2 = Reference("Employee", "e1"), Reference("Employee", "e2")
L1 = Reference("Label", "l1")


@pytest.fixture
def scenario() -> CompanyScenario:
    return CompanyScenario()


def refused(work: Callable[[], Any]) -> Sequence[Issue]:
    with pytest.raises(Refused) as refusal:
        work()
    return refusal.value.issues


def holder(scenario: CompanyScenario, reference: Reference) -> str | None:
    (entity,) = scenario.entities.read([reference])
    return entity.lock.name if entity is not None and entity.lock is not None else None


def test_a_lock_lasts_for_the_requested_minutes(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1, E2], 3, ADA)
    assert scenario.entities.locks == dict.fromkeys((E1, E2), Lock("a", "ada", NOON + 3 * MINUTE))


def test_the_holder_extends_or_shortens_a_lock(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1], 30, ADA)
    scenario.clock.instant += MINUTE
    lock(scenario.services, [E1], 1, ADA)
    assert scenario.entities.locks[E1].until == NOON + 2 * MINUTE


def test_a_lock_keeps_the_former_name_of_its_member(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1], 3, ADA)
    assert refused(lambda: lock(scenario.services, [E1], 3, BOB))[0].message.split()[5] == "ada"
    lock(scenario.services, [E1], 3, replace(ADA, username="ada.lovelace"))
    assert holder(scenario, E1) == "ada.lovelace"


def test_the_end_of_a_lock_of_another_is_reported_in_the_formats_of_the_caller(
    scenario: CompanyScenario,
) -> None:
    """The refusal names the object, the holder and the end of the lock. Nothing is locked."""
    lock(scenario.services, [E1], 3, ADA)
    (issue,) = refused(lambda: lock(scenario.services, [E2, E1], 3, ITALIAN))
    assert issue_summary(issue) == ("ENTITY_LOCK_EDIT", "Employee", "e1", "locks.1")
    assert issue.message == 'Employee "e1" is locked by ada until 01-01-2020 13:03:00.'
    assert holder(scenario, E2) is None


def test_all_issues_of_several_objects_are_reported_in_their_order(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1, L1], 3, ADA)
    named = [L1, Reference("Label", "none"), E2, Reference("Leave", "1"), E1, Reference("Office", "2")]
    for act in (
        lambda: lock(scenario.services, named, 3, BOB),
        lambda: unlock(scenario.services, named, BOB),
    ):
        assert [issue_summary(issue) for issue in refused(act)] == [
            ("ENTITY_LOCK_EDIT", "Label", "l1", "locks.0"),
            ("ENTITY_NOT_FOUND", "Label", "none", "locks.1._id"),
            ("ENTITY_NOT_FOUND", "Leave", "1", "locks.3._id"),
            ("ENTITY_LOCK_EDIT", "Employee", "e1", "locks.4"),
            ("ENTITY_NOT_FOUND", "Office", "2", "locks.5._id"),
        ]
    assert holder(scenario, E2) is None


@pytest.mark.parametrize("id_", ["x" * 5000, "é", "", "\ud800", "\x00"])
def test_impossible_ids_are_reported_as_not_found(scenario: CompanyScenario, id_: str) -> None:
    (issue,) = refused(lambda: lock(scenario.services, [Reference("Label", id_)], 3, ADA))
    assert issue.type is IssueType.ENTITY_NOT_FOUND
    assert len(issue.message) < 200


def test_the_same_entity_twice_counts_once(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1, E2, E1] * 60, 3, ADA)
    unlock(scenario.services, [E1, E1], ADA)
    assert scenario.entities.locks.keys() == {E2}


def test_more_objects_than_the_limit_are_refused_with_it(scenario: CompanyScenario) -> None:
    named = [Reference("Label", f"x{number}") for number in range(101)]
    for act in (
        lambda: lock(scenario.services, named, 3, ADA),
        lambda: unlock(scenario.services, named, ADA),
    ):
        (issue,) = refused(act)
        assert issue_summary(issue) == ("MALFORMED_REQUEST", None, None, "locks")
        assert "101" in issue.message
        assert "100" in issue.message


@pytest.mark.parametrize("minutes", [0, -1, 1441, 2**31 - 1, -(2**31)])
def test_minutes_outside_the_limits_are_refused(scenario: CompanyScenario, minutes: int) -> None:
    (issue,) = refused(lambda: lock(scenario.services, [E1], minutes, ADA))
    assert issue_summary(issue) == ("MALFORMED_REQUEST", None, None, "minutes")
    assert issue.message == f"{minutes} is not allowed for minutes. Use a whole number from 1 to 1440."


@pytest.mark.parametrize("minutes", [1, 1440])
def test_minutes_at_the_limits_are_accepted(scenario: CompanyScenario, minutes: int) -> None:
    lock(scenario.services, [E1], minutes, ADA)


def test_the_limit_is_a_setting(scenario: CompanyScenario) -> None:
    services = replace(scenario.services, lock_minutes=60)
    (issue,) = refused(lambda: lock(services, [E1], 61, ADA))
    assert issue.message == "61 is not allowed for minutes. Use a whole number from 1 to 60."
    lock(services, [E1], 60, ADA)


def test_a_request_for_no_objects_is_refused(scenario: CompanyScenario) -> None:
    assert [issue_summary(issue) for issue in refused(lambda: lock(scenario.services, [], 0, ADA))] == [
        ("MALFORMED_REQUEST", None, None, "locks"),
        ("MALFORMED_REQUEST", None, None, "minutes"),
    ]
    assert [issue_summary(issue) for issue in refused(lambda: unlock(scenario.services, [], ADA))] == [
        ("MALFORMED_REQUEST", None, None, "locks")
    ]


def test_only_the_holder_or_an_administrator_unlocks(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1], 3, ADA)
    (issue,) = refused(lambda: unlock(scenario.services, [L1, E1], BOB))
    assert issue_summary(issue) == ("ENTITY_LOCK_EDIT", "Employee", "e1", "locks.1")
    unlock(scenario.services, [L1, E1], ADA)
    assert scenario.entities.locks == {}
    lock(scenario.services, [E1], 3, ADA)
    unlock(scenario.services, [E1, L1], CHIEF)
    assert scenario.entities.locks == {}


def test_an_administrator_neither_locks_nor_writes_objects_locked_by_others(
    scenario: CompanyScenario,
) -> None:
    lock(scenario.services, [E1], 3, ADA)
    assert [issue.type.name for issue in refused(lambda: lock(scenario.services, [E1], 3, CHIEF))] == [
        "ENTITY_LOCK_EDIT"
    ]
    command = update_command("Employee", "e1", age=7)
    assert [issue.type.name for issue in refused(lambda: save(scenario.services, command, CHIEF))] == [
        "ENTITY_LOCK_PERSIST"
    ]


def test_a_lock_ends_to_the_millisecond_by_the_clock(scenario: CompanyScenario) -> None:
    """An expired lock ends without being removed."""
    lock(scenario.services, [L1], 2, ADA)
    scenario.clock.instant = NOON + 2 * MINUTE - 1
    assert refused(lambda: save(scenario.services, update_command("Label", "l1", name="x"), BOB))
    assert refused(lambda: lock(scenario.services, [L1], 2, BOB))
    assert refused(lambda: unlock(scenario.services, [L1], BOB))
    scenario.clock.instant += 1
    save(scenario.services, update_command("Label", "l1", name="x"), BOB)
    assert scenario.entities.locks[L1].name == "ada"
    unlock(scenario.services, [L1], BOB)
    lock(scenario.services, [L1], 2, BOB)
    assert refused(lambda: save(scenario.services, update_command("Label", "l1", name="y"), ADA))


def test_a_lock_that_expires_during_a_refusal_is_checked_again(scenario: CompanyScenario) -> None:
    def meanwhile() -> None:
        scenario.entities.before_commit = lambda: None
        scenario.entities.locks[L1] = Lock("b", "bob", NOON + 1)
        scenario.clock.instant = NOON + 1

    acts: list[Callable[[], None]] = [
        lambda: lock(scenario.services, [L1], 3, ADA),
        lambda: unlock(scenario.services, [L1], ADA),
    ]
    for act, expected in zip(acts, ("ada", None), strict=True):
        scenario.clock.instant = NOON
        scenario.entities.before_commit = meanwhile
        act()
        assert holder(scenario, L1) == expected


def test_a_lock_with_repeated_conflicts_is_unavailable(scenario: CompanyScenario) -> None:
    def meanwhile() -> None:
        scenario.clock.instant += 1
        scenario.entities.locks[L1] = Lock("b", "bob", scenario.clock.instant)

    scenario.entities.before_commit = meanwhile
    scenario.clock.instant = NOON
    scenario.services = replace(scenario.services, clock=LateClock(scenario))
    with pytest.raises(Unavailable):
        lock(scenario.services, [L1], 3, ADA)


class LateClock:
    """A clock that is behind during a lock, and right at the next check."""

    def __init__(self, scenario: CompanyScenario) -> None:
        self._clock = scenario.clock
        self._behind = False

    def now(self) -> int:
        self._behind = not self._behind
        return self._clock.now() - 10 * self._behind


@pytest.mark.parametrize(
    "write",
    [
        lambda services: save(services, update_command("Employee", "e1", age=7), BOB),
        lambda services: save(services, update_command("Employee", "e1", name="Ada"), BOB),
        lambda services: save(services, update_command("Employee", "e1", age=-7, name="Eve"), BOB),
        lambda services: delete(services, delete_command("Label", "l1"), BOB),
    ],
    ids=["an update", "nothing new", "bad values", "a deletion"],
)
def test_a_write_of_a_locked_object_is_refused(
    scenario: CompanyScenario, write: Callable[[Any], Any]
) -> None:
    lock(scenario.services, [E1, L1], 3, ADA)
    before = scenario.entities.graph
    issues = refused(lambda: write(scenario.services))
    assert "ENTITY_LOCK_PERSIST" in {issue.type.name for issue in issues}
    assert scenario.entities.graph is before


def test_a_lock_taken_after_the_read_refuses_the_commit(scenario: CompanyScenario) -> None:
    """Without another round; in the caller's formats, too."""
    noted = RecordedCalls(scenario.entities)
    services = replace(scenario.services, entities=cast("EntityRepository", noted))
    for command in (
        update_command("Employee", "e1", age=7),
        update_command("Employee", "e1", team=point("t2")),
    ):
        noted.calls.clear()
        scenario.entities.locks.clear()
        scenario.entities.before_commit = lambda: scenario.entities.locks.update(
            {E1: Lock("a", "ada", NOON + 3 * MINUTE)}
        )
        (issue,) = refused(partial(save, services, command, ITALIAN))
        assert issue_summary(issue) == ("ENTITY_LOCK_PERSIST", "Employee", "e1", "data")
        assert issue.message == 'Employee "e1" is locked by ada until 01-01-2020 13:03:00.'
        assert noted.calls == ["read", "commit"]


@pytest.mark.parametrize(
    "write",
    [
        lambda services: save(services, update_command("Employee", "e1", age=7), BOB),
        lambda services: save(services, Update(E1, {"age": 7}, client_id="c"), BOB),
        lambda services: delete(services, Delete(E1), BOB),
    ],
)
def test_a_write_of_a_locked_object_reads_only_once(
    scenario: CompanyScenario, write: Callable[[Any], Any]
) -> None:
    lock(scenario.services, [E1], 3, ADA)
    noted = RecordedCalls(scenario.entities)
    assert refused(lambda: write(replace(scenario.services, entities=cast("EntityRepository", noted))))
    assert noted.calls[0] == "read"
    assert set(noted.calls) == {"read"}


def test_a_validation_reports_locks_together_with_other_issues(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E2], 3, ADA)
    command = update_command("Employee", "e2", email="ada@x.org")
    assert [issue.type.name for issue in validate(scenario.services, command, BOB)] == [
        "ENTITY_LOCK_PERSIST",
        "ENTITY_UNIQUE",
    ]
    assert [issue.type.name for issue in validate(scenario.services, command, ADA)] == ["ENTITY_UNIQUE"]
    assert [
        issue.type.name for issue in validate(scenario.services, delete_command("Employee", "e4"), BOB)
    ] == []


def test_a_preview_of_a_locked_object_reports_the_lock(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1], 3, ADA)
    shown, (issue,) = preview(scenario.services, update_command("Employee", "e1", age=7), BOB)
    assert (shown.state["age"], issue.type) == (7, IssueType.ENTITY_LOCK_PERSIST)
    shown, issues = preview(scenario.services, update_command("Employee", "e1", age=7), ADA)
    assert (shown.state["age"], issues) == (7, ())


def test_a_bulk_update_checks_each_object_separately(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1], 3, ADA)
    query = Query("Employee", Order(), window=Window(100))
    refusal = update_bulk(
        scenario.services, UpdateBulk("Employee", {"age": 7}), query, BOB, unlimited_budget(), EMPTY_CONTEXT
    ).refusal
    assert refusal is not None
    assert [issue_summary(issue)[:3] for issue in refusal.issues] == [
        ("SERVICE_HANDLER_ERROR", "Employee", None),
        ("ENTITY_LOCK_PERSIST", "Employee", "e1"),
    ]
    ages = [
        scenario.entities.objects[Reference("Employee", f"e{each}")].state.get("age") for each in range(1, 5)
    ]
    assert ages == [None, 7, 7, 7]
    labels = Query("Label", Order(), window=Window(100))
    lock(scenario.services, [L1], 3, ADA)
    assert [
        issue.type.name
        for issue in validate_bulk(scenario.services, None, labels, BOB, unlimited_budget(), EMPTY_CONTEXT)
    ] == ["ENTITY_LOCK_PERSIST"]
    assert delete_bulk(scenario.services, labels, BOB, unlimited_budget(), EMPTY_CONTEXT).refusal is not None
    assert [each.id for each in scenario.entities.objects if each.class_name == "Label"] == ["l1"]


def test_a_written_object_is_returned_with_its_lock(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1], 3, ADA)
    taken = scenario.entities.locks[E1]
    assert save(scenario.services, update_command("Employee", "e1", age=7), ADA).entity.lock == taken
    assert save(scenario.services, update_command("Employee", "e1", age=7), ADA).entity.lock == taken
    whole = save(scenario.services, update_command("Employee", "e1", age=8, team=point("t2")), ADA)
    assert whole.entity.lock == taken
    assert save(scenario.services, create_command("Label", name="new"), ADA).entity.lock is None


def test_deletion_of_an_object_ends_its_lock(scenario: CompanyScenario) -> None:
    lock(scenario.services, [L1], 3, ADA)
    assert delete(scenario.services, delete_command("Label", "l1"), ADA)
    assert scenario.entities.locks == {}


def test_a_part_of_a_deleted_whole_cannot_be_locked(scenario: CompanyScenario) -> None:
    del scenario.entities.objects[E1]
    (issue,) = refused(lambda: lock(scenario.services, [Reference("Room", "r1")], 3, ADA))
    assert issue.type is IssueType.ENTITY_NOT_FOUND
