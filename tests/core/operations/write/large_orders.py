"""Orders with more lines than one commit holds, and all ways to read them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.write.commands import PartsCommand, Update
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import ReadContext, Services, evaluation_context
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.read.version_diff import version_diff
from stratabase.core.operations.read.version_page import version_page
from stratabase.core.operations.write.options import WriteOptions, WriteResult
from stratabase.core.operations.write.services import delete, restore, save
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.repository import Repository
from tests.fakes import ADMINISTRATOR, NOON, FrozenClock, fake_services, request_of
from tests.graphs.commands import create, create_command, delete_command, point, update_command
from tests.soak import count

MODEL = read_model(
    """extend schema @application(name: "Orders")
    type Order @class(versioned: true) { name: String lines: [Line!] @composition(whole: "order_") }
    type Line @class(versioned: true, exposed: true) @unique(attributes: ["code"]) {
      code: String
      text: String
      product: Product! @association(opposite: "lines")
      next: Line @association(opposite: "before", holds: true)
      before: Line @association(opposite: "next")
      notes: [Note!] @composition(whole: "line_")
    }
    type Note @class(versioned: true, exposed: true) { text: String }
    type Product { name: String lines: [Line!] @association(opposite: "product") }
    """,
    "orders.graphql",
)


LINES = 60
"""More lines than one commit restores."""


MINUTE = 60_000


CALLS = range(1, 1000, count(3, 1))
"""The numbers of the commits at which a process crashes: every one, or every third one.

A crash after one commit leaves the same as a crash before the next one, so tests of both miss nothing.
"""


VisibleParts = Sequence[Any]


class Shop:
    """A process of an order service over an engine that others may share."""

    def __init__(self, engine: Engine, clock: FrozenClock | None = None) -> None:
        self.engine = engine
        self.clock = clock or FrozenClock()
        self.entities = Repository(engine, MODEL, now=self.clock.now)
        services, _, _ = fake_services(MODEL)
        self.services: Services = replace(
            services, entities=self.entities, clock=self.clock, ids=TimeOrderedIds(lambda: NOON)
        )

    def product(self) -> Reference:
        """Create a product."""
        return save(self.services, create_command("Product", name="p"), ADMINISTRATOR).reference

    def order(self, product: Reference, lines: int = LINES) -> Reference:
        """Create an order with lines."""
        order = save(self.services, create_command("Order", name="a"), ADMINISTRATOR).reference
        self.add_lines(order, product, lines)
        return order

    def add_lines(self, order: Reference, product: Reference, lines: int, prefix: str = "c") -> None:
        """Add lines to an order, with a note on every tenth."""
        for first in range(0, lines, 20):
            self.clock.instant += 1000
            created = [
                create_command(
                    "Line",
                    code=f"{prefix}{number}",
                    text="t",
                    product=point(product.id),
                    notes=create(*[create_command("Note", text="n")] if number % 10 == 0 else []),
                )
                for number in range(first, min(first + 20, lines))
            ]
            save(self.services, update_command("Order", order.id, lines=create(*created)), ADMINISTRATOR)

    def chain(self, ids: Sequence[str]) -> None:
        """Link each line to one half-way round the order, so that every write order meets missing targets."""
        for first in range(0, len(ids), 10):
            for number in range(first, min(first + 10, len(ids))):
                following = ids[(number + len(ids) // 2) % len(ids)]
                save(self.services, update_command("Line", ids[number], next=point(following)), ADMINISTRATOR)

    def delete(self, order: Reference) -> Instant:
        """Delete an order including the cleanup, and return the instant of the deletion."""
        ended = self.delete_at_once(order)
        self.entities.sweep()
        return ended

    def delete_at_once(self, order: Reference) -> Instant:
        """Delete an order without waiting for the cleanup, and return the instant of the deletion."""
        self.clock.instant += 1000
        assert delete(self.services, delete_command("Order", order.id), ADMINISTRATOR)
        return self.clock.instant

    def restore(self, order: Reference, at: Instant, *, force: bool = False) -> WriteResult:
        """Restore an order as of an instant."""
        return restore(self.services, order, [at], ADMINISTRATOR, WriteOptions(force=force))

    def clear(self, order: Reference, **more: Any) -> WriteResult:
        """Delete all lines of an order."""
        command = Update(order, more, roles={"lines": PartsCommand(delete_all=True)})
        return save(self.services, command, ADMINISTRATOR)

    def found(self, reference: Reference) -> Entity | None:
        """Return an object, or None if it does not exist."""
        return self.entities.read([reference])[0]

    def lines(self, order: Reference) -> list[str]:
        """Return the IDs of the lines of an existing order."""
        entity = self.found(order)
        assert entity is not None
        ids = entity.state.get("lines")
        return ids if isinstance(ids, list) else []


class PartReader:
    """Reads parts as an administrator through every service."""

    def __init__(self, engine: Engine, clock: FrozenClock) -> None:
        self._shop = Shop(engine, clock)
        self._evaluation = evaluation_context(ADMINISTRATOR, NOON)

    def _request(self) -> ReadContext:
        return request_of(MODEL, self._shop.entities, self._evaluation)

    def read_all(self, order: Reference, lines: Sequence[str], product: Reference) -> VisibleParts:
        """Return all that services show of an order and its lines."""
        references = [Reference("Line", id_) for id_ in lines]
        reader = Reader(self._request())
        led_to = [Reference("Line", id_) for id_ in self._led_to(product)]
        run(reader.load_with_wholes([order, *references, *led_to]))
        return [
            reader.find(order) is not None,
            sum(reader.find(each) is not None for each in references),
            *self._pages(),
            sum(reader.find(each) is not None for each in led_to),
            *self._as_of(order, references),
            self._versions(references[-1]),
            version_diff(self._request(), references[-1], NOON, self._shop.clock.now()) is None,
        ]

    def _led_to(self, product: Reference) -> Sequence[str]:
        return self._shop.entities.linked(RoleName("Product", "lines"), [product.id])[0]

    def _pages(self) -> Iterator[int]:
        """Yield how many objects pages count and show."""
        text = Comparison("text", Operator.EQ, "t")
        for class_name, filter_ in (("Line", None), ("Line", text), ("Note", None)):
            for wanted in (PageFields(), PageFields(items=True, total_count=True)):
                query = Query(class_name, Order(), filter_, Window(size=10_000), wanted)
                reader = Reader(self._request())
                page = reader.page(query)
                yield len(run(reader.attached(page.items)))
                yield from () if page.total_count is None else (page.total_count,)

    def _as_of(self, order: Reference, references: Sequence[Reference]) -> Iterator[int]:
        reader = Reader(self._request(), self._shop.clock.now())
        run(reader.load_with_wholes([order, *references]))
        yield reader.find(order) is not None
        yield sum(reader.find(each) is not None for each in references)

    def _versions(self, line: Reference) -> int | None:
        query = Query(
            "Line", Order.of(()), window=Window(size=100), fields=PageFields(items=True, total_count=True)
        )
        return version_page(self._request(), line, query).total_count
