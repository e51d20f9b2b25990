"""Writing one object: validation, refusals and concurrent writes."""

from dataclasses import replace

import pytest

from stratabase.core.domain.issues.issue import Issue, IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.write.commands import Create, Delete, Update
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import delete, save
from tests.fakes import ADMINISTRATOR, NOON, DictEntities, FrozenClock, fake_services
from tests.models import THINGS


@pytest.fixture
def parts() -> tuple[Services, DictEntities, FrozenClock]:
    return fake_services(THINGS)


@pytest.fixture
def services(parts: tuple[Services, DictEntities, FrozenClock]) -> Services:
    return parts[0]


@pytest.fixture
def entities(parts: tuple[Services, DictEntities, FrozenClock]) -> DictEntities:
    return parts[1]


@pytest.fixture
def clock(parts: tuple[Services, DictEntities, FrozenClock]) -> FrozenClock:
    return parts[2]


def refusal(work: object) -> tuple[Issue, ...]:
    with pytest.raises(Refused) as refused:
        work()  # type: ignore[operator]
    return refused.value.issues


def stored(entities: DictEntities, id_: str) -> Entity:
    return entities.objects[Reference("Thing", id_)]


def test_a_creation_stores_canonical_values_and_its_author_and_time(
    services: Services, entities: DictEntities
) -> None:
    created = save(
        services, Create("Thing", {"name": "chair", "price": 1.50, "day": "31/01/2020"}), ADMINISTRATOR
    )

    assert created.state == {
        "_id": created.reference.id,
        "name": "chair",
        "price": "1.5",
        "day": "2020-01-31",
        "_createdby": "ada",
        "_createdon": "2020-01-01T12:00:00.000Z",
        "_lastmodifiedby": "ada",
        "_memberIds": {"ada": "m1"},
        "_lastmodifiedon": "2020-01-01T12:00:00.000Z",
    }
    assert stored(entities, created.reference.id).state == created.state


def test_an_unreadable_value_is_not_also_reported_as_missing(services: Services) -> None:
    (issue,) = refusal(lambda: save(services, Create("Thing", {"name": 7}), ADMINISTRATOR))

    assert issue.type is IssueType.DATA_TYPE


def test_an_update_keeps_omitted_values_clears_nulls_and_records_its_author(
    services: Services, clock: FrozenClock
) -> None:
    created = save(services, Create("Thing", {"name": "chair", "count": 4, "notes": "old"}), ADMINISTRATOR)
    clock.instant = NOON + 1

    changed = save(
        services,
        Update(created.reference, {"count": 5, "notes": None}),
        replace(ADMINISTRATOR, username="bob"),
    )

    assert changed.state["name"] == "chair"
    assert changed.state["count"] == 5
    assert changed.state["notes"] is None
    assert changed.state["_createdby"] == "ada"
    assert changed.state["_lastmodifiedby"] == "bob"
    assert changed.state["_lastmodifiedon"] == "2020-01-01T12:00:00.001Z"


def test_an_update_that_changes_nothing_writes_nothing(services: Services, entities: DictEntities) -> None:
    created = save(services, Create("Thing", {"name": "chair", "price": "2.50"}), ADMINISTRATOR)

    same = save(services, Update(created.reference, {"price": "2.5", "notes": None}), ADMINISTRATOR)

    assert same.state == created.state
    assert len(entities.commits) == 1


def test_an_update_of_a_concurrently_deleted_object_is_refused(
    services: Services, entities: DictEntities
) -> None:
    created = save(services, Create("Thing", {"name": "chair"}), ADMINISTRATOR)
    entities.before_commit = entities.objects.clear

    (issue,) = refusal(lambda: save(services, Update(created.reference, {"count": 2}), ADMINISTRATOR))

    assert issue.type is IssueType.ENTITY_NOT_FOUND


def test_a_deletion_is_retried_after_a_concurrent_change(services: Services, entities: DictEntities) -> None:
    created = save(services, Create("Thing", {"name": "chair"}), ADMINISTRATOR)

    def other_write() -> None:
        entities.before_commit = lambda: None
        save(services, Update(created.reference, {"count": 9}), ADMINISTRATOR)

    entities.before_commit = other_write
    assert delete(services, Delete(created.reference), ADMINISTRATOR) is True
    assert entities.objects == {}
