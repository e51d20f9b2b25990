"""Lost responses to locks, unlocks and writes during concurrent locks: the reported outcome is true."""

from collections.abc import Callable, Iterator
from itertools import chain, repeat
from typing import Any

import pytest

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import Update
from stratabase.core.operations.context import Services
from stratabase.core.operations.locks.services import lock, unlock
from stratabase.core.operations.write.services import save
from stratabase.core.store.ids import TimeOrderedIds
from stratabase_aws.dynamodb.client import Client
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.aws.dynamodb.faults import (
    HASTY,
    Fault,
    FaultyClient,
    duplicated,
    failure_after,
    lost_answer,
    lost_request,
    none,
)
from tests.aws.dynamodb.overtaken_client import OvertakenClient
from tests.aws.dynamodb.table_operations import PLAIN, creating, services_over, table
from tests.contract.engine.dynamodb import TemporaryTable, ministack_client

ADA, BOB = Caller("a", "ada", "Member"), Caller("b", "bob", "Member")
CHIEF = Caller("c", "chief", "Administrator", administrator=True)
DONE = pytest.mark.parametrize("fault", [lost_answer, failure_after, duplicated])
DOUBTFUL = pytest.mark.parametrize("fault", [lost_request, lost_answer])

Act = Callable[[Services, Caller], Any]


class LockScenario:
    """Two objects in a table, and processes that use them."""

    def __init__(self, engine: TemporaryTable) -> None:
        self._engine = engine
        self.services = services_over(engine, PLAIN, TimeOrderedIds())
        created = [creating()(self.services, PLAIN) for _ in "xy"]
        self.references: list[Reference] = [entity.reference for entity in created]

    def over(self, client: Client) -> Services:
        """Return the objects in a process with its own client."""
        engine = DynamoDBEngine(client, self._engine.name, HASTY)
        return services_over(engine, PLAIN, TimeOrderedIds())

    def overtaken(self, fault: Fault, others: Callable[[], Any] = lambda: None) -> Services:
        """Return a world to whose first write something happens, and then others act."""
        return self.over(OvertakenClient(ministack_client(), fault, others))

    def lock(self, caller: Caller, services: Services | None = None, several: bool = False) -> None:
        lock(services or self.services, self.references[: 1 + several], 10, caller)

    def unlock(self, caller: Caller, services: Services | None = None, several: bool = False) -> None:
        unlock(services or self.services, self.references[: 1 + several], caller)

    def write(self, caller: Caller, services: Services) -> None:
        save(services, Update(self.references[0], {"notes": caller.username}), caller)

    @property
    def holders(self) -> list[str | None]:
        """The members who have locked the objects."""
        found = self.services.entities.read(self.references)
        locks = [each.lock if each else None for each in found]
        return [lock.name if lock else None for lock in locks]


@pytest.fixture
def scenario() -> Iterator[LockScenario]:
    """Objects without locks."""
    with table() as engine:
        yield LockScenario(engine)


@DONE
@pytest.mark.parametrize("several", [False, True])
def test_a_lock_is_taken_once_even_if_the_response_is_lost(
    scenario: LockScenario, fault: Fault, several: bool
) -> None:
    both = ["ada", "ada" if several else None]
    scenario.lock(ADA, scenario.overtaken(fault), several)
    assert scenario.holders == both
    scenario.unlock(ADA, scenario.overtaken(fault), several)
    assert scenario.holders == [None, None]


@DOUBTFUL
def test_a_lost_response_is_unavailable_if_another_holds_the_lock(
    scenario: LockScenario, fault: Fault
) -> None:
    def others() -> None:
        scenario.unlock(CHIEF)
        scenario.lock(BOB)

    with pytest.raises(Unavailable):
        scenario.lock(ADA, scenario.overtaken(fault, others))
    assert scenario.holders == ["bob", None]


@DOUBTFUL
@pytest.mark.parametrize("caller", [ADA, CHIEF])
def test_a_lock_taken_by_another_meanwhile_is_kept(
    scenario: LockScenario, fault: Fault, caller: Caller
) -> None:
    """An unlock by an administrator also keeps it, because the administrator had not seen the lock."""
    scenario.lock(caller)

    def others() -> None:
        scenario.unlock(CHIEF)
        scenario.lock(BOB)

    with pytest.raises(Unavailable):
        scenario.unlock(caller, scenario.overtaken(fault, others))
    assert scenario.holders == ["bob", None]


@DONE
def test_a_lock_of_another_is_removed_once(scenario: LockScenario, fault: Fault) -> None:
    scenario.lock(BOB)
    services = scenario.over(FaultyClient(ministack_client(), chain([none, fault], repeat(none))))
    scenario.unlock(CHIEF, services)
    assert scenario.holders == [None, None]


def test_a_committed_write_succeeds_despite_a_later_lock(scenario: LockScenario) -> None:
    scenario.write(ADA, scenario.overtaken(lost_answer, lambda: scenario.lock(BOB)))
    assert scenario.holders == ["bob", None]


def test_an_uncommitted_write_is_refused_after_a_lock_by_another(scenario: LockScenario) -> None:
    with pytest.raises(Refused) as refusal:
        scenario.write(ADA, scenario.overtaken(lost_request, lambda: scenario.lock(BOB)))
    (issue,) = refusal.value.issues
    assert issue.type is IssueType.ENTITY_LOCK_PERSIST
    found = scenario.services.entities.read(scenario.references[:1])[0]
    assert found is not None
    assert "notes" not in found.state
