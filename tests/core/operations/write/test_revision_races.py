"""Of concurrent writes that expect the same revision of an object or a part, exactly one is done."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import Any

import pytest

from stratabase.core.domain.issues.issue import IssueType
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.version import revision_of
from stratabase.core.domain.write.commands import Update
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import save
from stratabase.core.store.engine.port import Engine
from tests.contract.engine.engine_calls import run_concurrently
from tests.contract.engine.engines import DISTANT, engine_fixture
from tests.fakes import ADMINISTRATOR
from tests.graphs.commands import create, create_command, update, update_command
from tests.graphs.processes import process
from tests.soak import count

pytestmark = pytest.mark.soak
MODEL = read_model(
    """
    extend schema @application(name: "Orders")
    type Order { amount: Int  lines: [Line!] @composition }
    type Line { amount: Int }
    """,
    "orders.graphql",
)
WRITERS, ROUNDS = 16, count(2, 125)
engine = engine_fixture(DISTANT)


class Written:
    """An object, and how a writer adds one to it."""

    def __init__(self, reference: Reference, command: Callable[[int, str | None], Update]) -> None:
        """`command`: returns the command that sets the amount of the object with a revision."""
        self.reference = reference
        self._command = command

    def read(self, services: Services) -> Entity:
        (found,) = services.entities.read([self.reference])
        assert found is not None
        return found

    def add_one(self, services: Services, before: Entity, *, is_conditional: bool) -> list[IssueType]:
        """Add one, and return why that is refused; nothing if it is done."""
        amount: Any = before.state["amount"]
        revision = revision_of(before.start) if is_conditional else None
        try:
            save(services, self._command(amount + 1, revision), ADMINISTRATOR)
        except Refused as refusal:
            return [issue.type for issue in refusal.issues]
        return []


def orders(services: Services, _: int) -> Sequence[Written]:
    """Return one order, which all writers change."""
    order = save(services, create_command("Order", amount=0), ADMINISTRATOR).reference

    def command(amount: int, revision: str | None) -> Update:
        return replace(update_command("Order", order.id, amount=amount), if_revision=revision)

    return [Written(order, command)]


def lines(services: Services, number: int) -> Sequence[Written]:
    """Return the lines of one order, of which each writer changes one through the order."""
    parts = create(*(create_command("Line", amount=0) for _ in range(number)))
    order = save(services, create_command("Order", amount=0, lines=parts), ADMINISTRATOR)

    def command(id_: str, amount: int, revision: str | None) -> Update:
        changed = replace(update_command("Line", id_, amount=amount), if_revision=revision)
        return update_command("Order", order.reference.id, lines=update(changed))

    ids: Any = order.entity.state["lines"]
    return [Written(Reference("Line", id_), partial(command, id_)) for id_ in ids]


@pytest.mark.parametrize("make", [orders, lines])
@pytest.mark.parametrize("is_conditional", [True, False])
def test_no_update_is_lost(
    engine: Engine, make: Callable[[Services, int], Sequence[Written]], *, is_conditional: bool
) -> None:
    """Without the condition, the same writers lose updates, so that the test would find it."""
    objects, turn = make(process(engine, MODEL), 3), Barrier(WRITERS)

    def write(number: int) -> int:
        services, written, done = process(engine, MODEL), objects[number % len(objects)], 0
        for _ in range(ROUNDS):
            turn.wait()
            before = written.read(services)
            turn.wait()
            refused = written.add_one(services, before, is_conditional=is_conditional)
            assert refused in ([], [IssueType.ENTITY_LOCK_PERSIST])
            done += not refused
        return done

    done = sum(run_concurrently(*(partial(write, number) for number in range(WRITERS))))

    amounts: list[Any] = [each.read(process(engine, MODEL)).state["amount"] for each in objects]
    assert amounts == [ROUNDS] * len(objects)
    assert done == (sum(amounts) if is_conditional else WRITERS * ROUNDS)
