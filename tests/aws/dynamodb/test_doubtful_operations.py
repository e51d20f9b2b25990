"""An answer is lost, and others write before the operation asks again: what it tells is true all the same.

What is certain is told. What nobody can know any more is Unavailable, and is never tried once more.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.http.base.refusals import status_row
from stratabase.core.model.model import Class
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.indexes.registry_cache import RegistryCache
from stratabase.core.store.layout.codec import MAX_COMMIT_IDS
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.aws.dynamodb.faults import (
    HASTY,
    Fault,
    duplicated,
    failure_after,
    failure_before,
    lost_answer,
    lost_request,
)
from tests.aws.dynamodb.overtaken_client import Act, OvertakenClient
from tests.aws.dynamodb.table_operations import (
    PLAIN,
    UNIQUE,
    OperationCall,
    codes,
    creating,
    deleting,
    services_over,
    table,
    table_items,
    updating,
)
from tests.contract.engine.dynamodb import TemporaryTable, ministack_client

NOT_DONE = pytest.mark.parametrize("fault", [lost_request, failure_before])
DONE = pytest.mark.parametrize("fault", [lost_answer, failure_after, duplicated])
DONE_OR_NOT = pytest.mark.parametrize("fault", [lost_request, lost_answer])


class OperationScenario:
    """A table in which others write before an operation retries."""

    def __init__(self, engine: TemporaryTable, class_: Class) -> None:
        self._class = class_
        self._engine = engine
        self._theirs = services_over(engine, class_, TimeOrderedIds())
        RegistryCache(engine, self._theirs.model).registry()  # so that nobody needs to write it

    def do(self, operation_call: OperationCall) -> Any:
        """Run an operation without a fault."""
        return operation_call(self._theirs, self._class)

    def overtaken(self, operation_call: OperationCall, fault: Fault, others: Act) -> Any:
        """Run an operation with a fault, while others write."""
        client = OvertakenClient(ministack_client(), fault, others)
        engine = DynamoDBEngine(client, self._engine.name, HASTY)
        return operation_call(services_over(engine, self._class, TimeOrderedIds()), self._class)

    def created(self, code: str | None = None) -> str:
        """Create an object, and return its id."""
        created: Entity = self.do(creating(code))
        return created.reference.id

    def updated(self, id_: str, times: int) -> None:
        """Update an object several times."""
        for number in range(times):
            self.do(updating(id_, notes=str(number)))

    def find(self, id_: str) -> Entity | None:
        """Return an object, or None."""
        return self._theirs.entities.read([Reference(self._class.name, id_)])[0]

    def get(self, id_: str) -> Entity:
        """Return an object that exists."""
        entity = self.find(id_)
        assert entity is not None
        return entity

    def only(self) -> str:
        """Return the id of the only object."""
        (id_,) = codes(table_items(self._engine))
        return id_


@pytest.fixture
def plain() -> Iterator[OperationScenario]:
    """A scenario of objects whose heads are written separately."""
    with table() as engine:
        yield OperationScenario(engine, PLAIN)


@pytest.fixture
def unique() -> Iterator[OperationScenario]:
    """A scenario of objects with guards, which are written in transactions."""
    with table() as engine:
        yield OperationScenario(engine, UNIQUE)


@NOT_DONE
@pytest.mark.parametrize("times", [1, MAX_COMMIT_IDS - 1])
def test_an_uncommitted_update_is_planned_again(plain: OperationScenario, fault: Fault, times: int) -> None:
    """The head still names the commit that the update expected, so its own would be there, too."""
    id_ = plain.created()
    answer = plain.overtaken(updating(id_, count=9), fault, lambda: plain.updated(id_, times))
    assert answer.state["count"] == 9
    assert plain.get(id_).state == answer.state | {"notes": str(times - 1)}


@DONE_OR_NOT
def test_an_update_without_evidence_is_unknown_and_not_retried(
    plain: OperationScenario, fault: Fault
) -> None:
    id_ = plain.created()

    def others() -> None:
        plain.updated(id_, MAX_COMMIT_IDS - 1)
        plain.do(updating(id_, count=5))

    assert_unknown(lambda: plain.overtaken(updating(id_, count=9), fault, others))
    assert plain.get(id_).state["count"] == 5


def assert_unknown(act: Act) -> None:
    with pytest.raises(Unavailable, match="might not have been saved") as refusal:
        act()
    assert status_row(refusal.value).status == 503


@DONE_OR_NOT
def test_an_update_of_a_concurrently_deleted_object_is_unknown_and_not_retried(
    plain: OperationScenario, fault: Fault
) -> None:
    id_ = plain.created()
    assert_unknown(lambda: plain.overtaken(updating(id_, count=9), fault, lambda: plain.do(deleting(id_))))
    assert plain.find(id_) is None


@pytest.mark.parametrize("fault", [lost_answer, failure_after])
def test_a_creation_without_evidence_is_unknown_and_not_retried(
    plain: OperationScenario, fault: Fault
) -> None:
    assert_unknown(
        lambda: plain.overtaken(creating(), fault, lambda: plain.updated(plain.only(), MAX_COMMIT_IDS))
    )
    assert plain.get(plain.only()).state["notes"] == str(MAX_COMMIT_IDS - 1)


@pytest.fixture(params=["plain", "unique"])
def either(request: pytest.FixtureRequest) -> OperationScenario:
    """Either kind of scenario."""
    scenario: OperationScenario = request.getfixturevalue(request.param)
    return scenario


@pytest.mark.parametrize(
    ("fault", "ours"),
    [(lost_request, False), (failure_before, False), (lost_answer, True), (failure_after, True)],
)
def test_one_of_two_deletions_of_an_object_succeeds(
    either: OperationScenario, fault: Fault, *, ours: bool
) -> None:
    """The one who did it."""
    id_, theirs = either.created("a"), []
    answer = either.overtaken(deleting(id_), fault, lambda: theirs.append(either.do(deleting(id_))))
    assert (answer, theirs) == (ours, [not ours])
    assert either.find(id_) is None


@NOT_DONE
@pytest.mark.parametrize("times", [1, MAX_COMMIT_IDS])
def test_an_uncommitted_deletion_continues_after_concurrent_writes(
    either: OperationScenario, fault: Fault, times: int
) -> None:
    id_ = either.created("a")
    assert either.overtaken(deleting(id_), fault, lambda: either.updated(id_, times)) is True
    assert either.find(id_) is None


@NOT_DONE
def test_a_unique_value_taken_meanwhile_is_refused(unique: OperationScenario, fault: Fault) -> None:
    (issue,) = issues(lambda: unique.overtaken(creating("a"), fault, lambda: unique.created("a")))
    assert issue.type is IssueType.ENTITY_UNIQUE
    assert unique.get(unique.only()).state["code"] == "a"


@DONE
def test_a_unique_value_reserved_by_a_lost_response_belongs_to_the_write(
    unique: OperationScenario, fault: Fault
) -> None:
    refused: list[Issue] = []
    answer = unique.overtaken(
        creating("a"), fault, lambda: refused.extend(issues(lambda: unique.created("a")))
    )
    assert [issue.type for issue in refused] == [IssueType.ENTITY_UNIQUE]
    assert unique.only() == answer.reference.id


def issues(act: Act) -> tuple[Issue, ...]:
    with pytest.raises(Refused) as refusal:
        act()
    return refusal.value.issues


@DONE
def test_a_committed_transaction_is_recognized_after_many_later_writes(
    unique: OperationScenario, fault: Fault
) -> None:
    id_ = unique.created("a")

    def others() -> None:
        unique.updated(id_, MAX_COMMIT_IDS)
        unique.do(updating(id_, code="c"))

    assert unique.overtaken(updating(id_, code="b"), fault, others).state["code"] == "b"
    assert unique.get(id_).state["code"] == "c"


@NOT_DONE
def test_an_uncommitted_transaction_is_planned_again_after_many_later_writes(
    unique: OperationScenario, fault: Fault
) -> None:
    id_ = unique.created("a")
    answer = unique.overtaken(updating(id_, code="b"), fault, lambda: unique.updated(id_, MAX_COMMIT_IDS))
    assert unique.get(id_).state == answer.state
    assert (answer.state["code"], answer.state["notes"]) == ("b", str(MAX_COMMIT_IDS - 1))
