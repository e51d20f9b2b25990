"""Concurrent operations with permanent faults: the history is exact."""

import itertools
import random
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pytest

from stratabase.core.domain.issues.refusals import Refused, Unavailable
from stratabase.core.domain.objects.change import Change, Modification
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.version import instant_after
from stratabase.core.model.model import Class
from stratabase.core.operations.context import Services
from stratabase.core.store.ids import TimeOrderedIds
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.aws.dynamodb.faults import FAULTS, HASTY, Fault, RandomlyFaultyClient, duplicated
from tests.aws.dynamodb.table_operations import (
    PLAIN,
    UNIQUE,
    Codes,
    codes,
    creating,
    deleting,
    disagreements,
    services_over,
    table,
    table_items,
    updating,
)
from tests.contract.engine.dynamodb import TemporaryTable, ministack_client
from tests.contract.engine.engine_calls import run_concurrently
from tests.soak import count, seed

pytestmark = pytest.mark.soak

THREADS = 8
TIMES = count(5, 150)


class FaultyProcesses:
    """Callers in separate processes, every other request of which has a fault."""

    def __init__(self, engine: TemporaryTable, class_: Class) -> None:
        self.class_ = class_
        self.faults: Sequence[Fault] = FAULTS
        self._engine = engine
        self._numbers = itertools.count(seed())

    def services(self) -> Services:
        """Return the services of a new process."""
        client = RandomlyFaultyClient(ministack_client(), next(self._numbers), self.faults)
        engine = DynamoDBEngine(client, self._engine.name, HASTY)
        return services_over(engine, self.class_, TimeOrderedIds())

    def created(self, code: str | None = None) -> Reference:
        """Create an object, and return it."""
        created: Entity = creating(code)(self.services(), self.class_)
        return created.reference

    def codes(self) -> Codes:
        """Return which objects there are; guards and places must agree with them."""
        items = table_items(self._engine)
        assert disagreements(items, self.class_, {}) == []
        return codes(items)


@pytest.fixture(params=[PLAIN, UNIQUE], ids=lambda class_: class_.name)
def processes(request: pytest.FixtureRequest) -> Iterator[FaultyProcesses]:
    """Callers who write objects of either class."""
    with table() as engine:
        yield FaultyProcesses(engine, request.param)


def test_no_increment_is_lost_or_repeated(processes: FaultyProcesses) -> None:
    """Each increment leaves its name. An increment with an unknown outcome was done once or not at all."""
    if processes.class_ is PLAIN:
        # Copies of a write by itself must not be further apart than the commits that a head remembers, which
        # here they might be. Of that test_doubtful_operations sees to more.
        processes.faults = [fault for fault in FAULTS if fault is not duplicated]
    reference, done, unknown = processes.created(), list[str](), list[str]()

    def increments() -> None:
        services = processes.services()
        for _ in range(TIMES):
            name = services.ids.new()
            try:
                increment(services, reference, name)
            except Unavailable:
                unknown.append(name)
            else:
                done.append(name)

    run_concurrently(*[increments] * THREADS)
    (entity,) = processes.services().entities.read([reference])
    assert entity is not None
    names = str(entity.state["notes"]).split()
    assert len(set(names)) == len(names)
    assert set(done) <= set(names) <= {*done, *unknown}
    assert entity.state["count"] == 2 + len(names)
    assert done


def increment(services: Services, reference: Reference, name: str) -> None:
    """Add one to a number in one atomic write. With unique codes, the write is a transaction."""

    while True:
        (before,) = services.entities.read([reference])
        assert before is not None
        counted = int(str(before.state["count"])) + 1
        notes = f"{before.state.get('notes', '')} {name}"
        state = {**before.state, "count": counted, "notes": notes, "code": name}
        instant = instant_after(services.clock.now(), [before.start])
        effects = (Modification(before, replace(before, state=state)),)
        with suppress(Conflict):
            return services.entities.commit(Change(services.ids.new(), instant, effects))


def test_acknowledged_writes_are_exactly_what_the_store_holds(processes: FaultyProcesses) -> None:
    """The objects compete for the same few values, exchange them, and clear them."""
    kept = [*run_concurrently(*(partial(live, processes, number) for number in range(THREADS)))]
    assert processes.codes() == {id_: code for each in kept for id_, code in each.items()}


def live(processes: FaultyProcesses, number: int) -> Codes:
    """Create, update and delete objects, and return the expected ones."""
    services, chance, kept = processes.services(), random.Random(seed() + number), dict[str, str | None]()
    for _ in range(TIMES):
        code = chance.choice("abcdef")
        try:
            created: Entity = creating(code)(services, processes.class_)
            id_, kept[created.reference.id] = created.reference.id, code
            other = chance.choice("abcdef")
            updating(id_, code=other)(services, processes.class_)
            kept[id_] = other
        except Refused:
            pass
        for id_ in [*kept][chance.randrange(2) :]:
            assert deleting(id_)(services, processes.class_) is True
            assert deleting(id_)(services, processes.class_) is False
            del kept[id_]
    return kept


def test_exactly_one_of_several_deletions_of_an_object_succeeds(processes: FaultyProcesses) -> None:
    for _ in range(TIMES):
        id_ = processes.created("a").id
        delete = deleting(id_)
        result = run_concurrently(
            *(partial(delete, processes.services(), processes.class_) for _ in range(THREADS))
        )
        assert sorted(result) == [False] * (THREADS - 1) + [True]
    assert processes.codes() == {}
