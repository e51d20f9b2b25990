"""Pages as of an instant, of classes of several sizes, and of one whose objects had mostly ended before.

`python -m benchmarks "as of"` measures pages of 10 objects. After the instant, a tenth of the objects was
changed, and another tenth deleted.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import process_time

from benchmarks.metering import measure_consumption
from benchmarks.table import Figure, print_table
from stratabase.core.domain.objects.change import Change, Creation, Deletion, Modification
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import Stored
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.past_reader import PastReader
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine

MODEL = read_model(
    """
    extend schema @application(name: "Bench") @profile(name: "Administrator", administrator: true)
    type Ticket @class(versioned: true) { number: Int  text: Text }
    """,
    "bench.graphql",
)
SIZES = (1_000, 10_000, 100_000)
ENDED = 10_000
"""The size of the class in which nine of ten objects had ended before the instant."""
BEGIN = 1_767_225_600_000
"""2026-01-01T00:00:00Z."""
DAY = 24 * 60 * 60 * 1000
PAGES = 50
_TOGETHER = 40
"""The objects in one commit."""
_PAGE = 10
_TRIPS, _UNITS = 6, 20


class Tickets:
    """Tickets in a store, whose clock only moves when they are written."""

    def __init__(self, file: Path) -> None:
        self._engine = SqliteEngine(file)
        self._clock = BEGIN
        self.entities = Repository(MeteredEngine(self._engine), MODEL, now=lambda: self._clock)
        self._new_id = TimeOrderedIds(lambda: self._clock).new
        self.ids: list[str] = []

    def close(self) -> None:
        """Close the store."""
        self._engine.close()

    def create(self, number: int) -> None:
        """Create a number of tickets, one after the other."""
        for first in range(0, number, _TOGETHER):
            some = range(first, min(first + _TOGETHER, number))
            made = [Reference("Ticket", self._new_id()) for _ in some]
            states: list[dict[str, Stored]] = [
                {"_id": each.id, "number": at * 7919 % number, "text": "t" * 200}
                for at, each in zip(some, made, strict=True)
            ]
            pairs = zip(made, states, strict=True)
            self._commit([Creation(Entity(reference, state)) for reference, state in pairs])
            self.ids += [each.id for each in made]

    def change(self, ids: Sequence[str]) -> None:
        """Change tickets."""
        for before in self._read(ids):
            self._commit(
                [
                    Modification(each, Entity(each.reference, {**each.state, "number": -1}, each.commit_ids))
                    for each in before
                ]
            )

    def delete(self, ids: Sequence[str]) -> None:
        """Delete tickets."""
        for before in self._read(ids):
            self._commit([Deletion(each) for each in before])

    def pass_days(self, number: int) -> Instant:
        """Let days pass, and return the instant at their beginning."""
        then, self._clock = self._clock, self._clock + number * DAY
        return then

    def page(self, query: Query, then: Instant) -> None:
        """Read a page as of an instant."""
        budget = ReadBudget(1000 * MEGABYTE, 1000, process_time)
        found = PastReader(ReadContext(MODEL, self.entities, budget), then).page(query)
        assert len(found.items) == _PAGE

    def _read(self, ids: Sequence[str]) -> Iterator[list[Entity]]:
        for first in range(0, len(ids), _TOGETHER):
            read = self.entities.read([Reference("Ticket", each) for each in ids[first : first + _TOGETHER]])
            yield [each for each in read if each is not None]

    def _commit(self, effects: Sequence[Creation | Modification | Deletion]) -> None:
        self._clock += 10
        self.entities.commit(Change(self._new_id(), self._clock, tuple(effects)))


def main(folder: Path) -> None:
    """Print the figures of each size, and of a class whose objects had mostly ended before the instant."""
    seconds = list[float]()
    for size in SIZES:
        tickets = Tickets(folder / f"{size}.db")
        tickets.create(size)
        then = tickets.pass_days(30)
        tickets.change(tickets.ids[::10])
        tickets.delete(tickets.ids[1::10])
        figures = list(_page_figures(tickets, then, tickets.ids[size // 2]))
        seconds.append(figures[-1].value)
        if size < SIZES[-1]:
            figures += _pass_figures(tickets, then, size)
        print_table(f"Pages of {_PAGE} as of an instant, of {size:,} objects", figures)
        tickets.close()
    ratio = Figure(f"CPU time at {SIZES[-1]:,}, of that at {SIZES[1]:,}", seconds[-1] / seconds[1], "", 2)
    print_table("Pages as of an instant", [ratio])
    _ended(folder)


def _page_figures(tickets: Tickets, then: Instant, start: str) -> Iterator[Figure]:
    """Yield the figures of a page in the order of ids."""
    window, fields = Window(_PAGE, start=Position((start,))), PageFields(has_next=True)
    query = Query("Ticket", Order(), window=window, fields=fields)
    cost = measure_consumption(lambda: tickets.page(query, then))
    yield Figure("order _id: round trips", cost.round_trips, "", _TRIPS)
    yield Figure("order _id: read units", cost.read_units, "", _UNITS)
    began = process_time()
    for _ in range(PAGES):
        tickets.page(query, then)
    yield Figure("order _id: CPU time", (process_time() - began) / PAGES * 1000, "ms")


def _pass_figures(tickets: Tickets, then: Instant, size: int) -> Iterator[Figure]:
    """Yield the figures of a page in another order, which reads the whole class."""
    query = Query("Ticket", Order.of([OrderTerm("number")]), window=Window(_PAGE))
    cost = measure_consumption(lambda: tickets.page(query, then))
    yield Figure("order number: round trips", cost.round_trips, "")
    yield Figure("order number: read units for each object", cost.read_units / size, "")
    began = process_time()
    tickets.page(query, then)
    yield Figure("order number: CPU time for each object", (process_time() - began) / size * 1_000_000, "µs")


def _ended(folder: Path) -> None:
    tickets = Tickets(folder / "ended.db")
    tickets.create(ENDED)
    tickets.delete([each for at, each in enumerate(tickets.ids) if at % 10])
    then, start = tickets.pass_days(30), tickets.ids[ENDED // 2]
    title = f"Pages of {_PAGE} as of an instant, of {ENDED:,} objects of which 90 % had ended before"
    print_table(f"{title}, none later", [*_page_figures(tickets, then, start)])
    tickets.pass_days(1)
    begin = len(tickets.ids)
    tickets.create(400)
    tickets.delete(tickets.ids[begin:])
    window = Window(_PAGE, start=Position((start,)))
    query = Query("Ticket", Order(), window=window, fields=PageFields(has_next=True))
    cost = measure_consumption(lambda: tickets.page(query, then))
    began = process_time()
    tickets.page(query, then)
    figures = [
        Figure("order _id: round trips", cost.round_trips, ""),
        Figure("order _id: read units", cost.read_units, ""),
        Figure("order _id: CPU time", (process_time() - began) * 1000, "ms"),
    ]
    print_table(f"{title}, and 400 later", figures)
    tickets.close()
