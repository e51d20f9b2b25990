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
from stratabase.core.operations.locks.services import lock, unlock
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.write.services import delete, preview, save, validate
from stratabase.values.formats.preferences import Formats
from tests.core.operations.write.recorded_calls import RecordedCalls
from tests.fakes import NOON
from tests.graphs.commands import delete_command, point, update_command
from tests.graphs.company_scenario import CompanyScenario, issue_summary

MINUTE = 60_000
ADA, BOB = Caller("a", "ada", "Member"), Caller("b", "bob", "Member")
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


def test_a_lock_keeps_the_former_name_of_its_member(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1], 3, ADA)
    assert refused(lambda: lock(scenario.services, [E1], 3, BOB))[0].message.split()[5] == "ada"
    lock(scenario.services, [E1], 3, replace(ADA, username="ada.lovelace"))
    assert holder(scenario, E1) == "ada.lovelace"


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


def test_the_same_entity_twice_counts_once(scenario: CompanyScenario) -> None:
    lock(scenario.services, [E1, E2, E1] * 60, 3, ADA)
    unlock(scenario.services, [E1, E1], ADA)
    assert scenario.entities.locks.keys() == {E2}


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
    refusal = scenario.update_bulk(UpdateBulk("Employee", {"age": 7}), query, BOB).refusal
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
    assert [issue.type.name for issue in scenario.validate_bulk(None, labels, BOB)] == ["ENTITY_LOCK_PERSIST"]
    assert scenario.delete_bulk(labels, BOB).refusal is not None
    assert [each.id for each in scenario.entities.objects if each.class_name == "Label"] == ["l1"]


def test_a_part_of_a_deleted_whole_cannot_be_locked(scenario: CompanyScenario) -> None:
    del scenario.entities.objects[E1]
    (issue,) = refused(lambda: lock(scenario.services, [Reference("Room", "r1")], 3, ADA))
    assert issue.type is IssueType.ENTITY_NOT_FOUND
