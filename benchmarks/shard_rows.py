"""What pages and writes cost when the listing and an index of a class have several shards.

`python -m benchmarks shards` prints the table of docs/many-writes.md. The units are those of DynamoDB's price
list. They are averages over pages that start at different objects.
"""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean
from time import monotonic

from benchmarks.metering import measure_consumption
from benchmarks.table import Figure, print_table
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import format_instant
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase.evolution.backfill.reindex import Reindex
from stratabase.evolution.backfill.resharding import OF_LISTING, Resharding

MODEL = """
extend schema @application(name: "Bench") @profile(name: "Administrator", administrator: true)
type Event @index(attributes: ["happened_on"]) { happened_on: Datetime kind: String notes: Text }
"""
OBJECTS = 3000
SHARDS = (1, 4, 16, 64)
SIZES = (200, 800)
"""Characters in the longest attribute."""
PAGE = 50
STARTS = 40
"""The number of pages of which each figure is the average."""
_FILTER = Comparison("kind", Operator.EQ, "k1")
"""One in five objects matches."""
_BY_INSTANT = OrderTerm("happened_on", descending=True)
_PER_COMMIT = 90
_INTERVAL = 3_600_000


class Events:
    """Objects of a class whose shards change."""

    def __init__(self, file: Path, size: int) -> None:
        self._now = 1_700_000_000_000
        self._new_id = TimeOrderedIds(self._tick).new
        self._notes = "n" * size
        self._engine = SqliteEngine(file)
        self._model = read_model(MODEL, "benchmark")
        self._restart()
        self._made = [self._new() for _ in range(OBJECTS)]
        for first in range(0, OBJECTS, _PER_COMMIT):
            self._create(self._made[first : first + _PER_COMMIT])

    def _tick(self) -> int:
        self._now += _INTERVAL
        return self._now

    def _restart(self) -> None:
        """Begin to serve in a new process, which knows the present registry."""
        self._entities = Repository(MeteredEngine(self._engine), self._model)
        self._entities.unbuilt()

    def _new(self) -> Entity:
        id_ = self._new_id()
        number = self._now // _INTERVAL
        state = {"happened_on": format_instant(self._now), "kind": f"k{number % 5}", "notes": self._notes}
        return Entity(Reference("Event", id_), {"_id": id_, **state})

    def _create(self, objects: Sequence[Entity]) -> None:
        self._entities.commit(Change(self._new_id(), self._now, tuple(map(Creation, objects))))

    def spread(self, shards: int) -> None:
        """Change the numbers of shards of the listing and of the index."""
        resharding = Resharding(self._engine, self._model, sleep=_do_not_wait, objects_per_commit=_PER_COMMIT)
        resharding.begin("Event", {OF_LISTING: shards, ("happened_on",): shards})
        Reindex(self._engine, self._model, local=True, sleep=_do_not_wait).run("Event")
        resharding.finish("Event")
        self._restart()

    def figures(self) -> Iterator[tuple[str, float, float]]:
        """Yield a name, the round trips, and the units of each operation."""
        chance = random.Random(1)
        starts = chance.sample(self._made[200:-400], STARTS)
        by_instant = Order.of([_BY_INSTANT])
        queries: Mapping[str, Callable[[Entity], Query]] = {
            "page of 50 by _id": lambda one: _query(Order(), (one.reference.id,)),
            "page of 50 by instant": lambda one: _query(by_instant, (one.state["happened_on"],)),
            "one of five matches": lambda one: replace(_query(Order(), (one.reference.id,)), filter=_FILTER),
        }
        for name, query in queries.items():
            costs = [measure_consumption(partial(self._page, query(one))) for one in starts]
            yield name, mean(cost.round_trips for cost in costs), mean(cost.read_units for cost in costs)
        counted = replace(Query("Event", Order()), fields=PageFields(items=False, total_count=True))
        cost = measure_consumption(lambda: self._page(counted))
        yield f"totalCount of {OBJECTS:,}", cost.round_trips, cost.read_units
        cost = measure_consumption(lambda: self._create([self._new()]))
        yield "create", cost.round_trips, cost.write_units

    def _page(self, query: Query) -> None:
        budget = ReadBudget(100 * MEGABYTE, 60, monotonic)
        self._entities.page(query, budget)


def _do_not_wait(_: float) -> None:
    """No other process serves the class."""


def _query(order: Order, start: tuple[object, ...]) -> Query:
    fields = PageFields(has_next=True)
    return Query("Event", order, window=Window(PAGE, start=Position(start)), fields=fields)  # type: ignore[arg-type]


def main(folder: Path) -> None:
    """Print the figures for objects of each size and each number of shards."""
    for size in SIZES:
        events = Events(folder / f"shards{size}.db", size)
        for shards in SHARDS:
            events.spread(shards)
            rows = [
                figure
                for name, trips, units in events.figures()
                for figure in (Figure(f"{name}: round trips", trips, ""), Figure(f"{name}: units", units, ""))
            ]
            print_table(f"Objects with {size} characters, {shards} shards", rows)
