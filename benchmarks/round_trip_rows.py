"""How often each operation calls the store."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from benchmarks.table import Figure, print_table
from stratabase.domain.command import Create, Delete, Update
from stratabase.domain.entity import Reference
from stratabase.domain.member import Caller
from stratabase.domain.order import Order
from stratabase.domain.page import Query, Window
from stratabase.model.reading import read_model_file
from stratabase.operations.create import create
from stratabase.operations.delete import delete
from stratabase.operations.read import get, page
from stratabase.operations.update import update
from stratabase.operations.world import World
from stratabase.store.engine import EVERYTHING, Batch, Bounds, Engine, Item, Key
from stratabase.store.entities import StoredEntities
from stratabase.store.ids import TimeOrderedIds
from stratabase.store.sqlite.engine import SqliteEngine
from tests.service import SAMPLE_MODEL
from tests.worlds import FrozenClock

CALLER = Caller("1", "admin", "Administrator", administrator=True)
OBJECTS = 100


class CountingEngine:
    """An engine that counts the calls to another; a page of a range is one."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.calls = 0

    def get(self, keys: Sequence[Key]) -> list[Item | None]:
        self.calls += 1
        return self._engine.get(keys)

    def range(
        self,
        index: str,
        partition: str,
        bounds: Bounds = EVERYTHING,
        *,
        backward: bool = False,
        limit: int | None = None,
    ) -> Iterator[Sequence[Item]]:
        for items in self._engine.range(index, partition, bounds, backward=backward, limit=limit):
            self.calls += 1
            yield items

    def commit(self, batch: Batch) -> None:
        self.calls += 1
        self._engine.commit(batch)

    def close(self) -> None:
        self._engine.close()


def main(folder: Path) -> None:
    """Count the calls of each operation on the sample model's Employee."""
    engine = CountingEngine(SqliteEngine(folder / "bench.db"))
    model = read_model_file(SAMPLE_MODEL)
    world = World(model, StoredEntities(engine, model), FrozenClock(), TimeOrderedIds())
    print_table("Round trips to the store", list(_figures(world, engine)))
    engine.close()


def _figures(world: World, engine: CountingEngine) -> Iterator[Figure]:
    references = [_create(world, number) for number in range(OBJECTS)]
    operations: dict[str, tuple[float, Callable[[], object]]] = {
        "get": (1, lambda: get(world, references[0])),
        "page of 50": (1, lambda: page(world, Query("Employee", Order.of(()), window=Window(size=50)))),
        "create": (1, lambda: _create(world, OBJECTS)),
        "update": (2, lambda: update(world, Update(references[0], {"salary": 7}), CALLER)),
        "delete": (2, lambda: delete(world, Delete(references[1]))),
    }
    for name, (limit, operation) in operations.items():
        before = engine.calls
        operation()
        yield Figure(name, engine.calls - before, "calls", limit, "the cost table")


def _create(world: World, number: int) -> Reference:
    given = {"first_name": "Ada", "last_name": f"Lovelace {number}", "email": f"ada{number}@example.com"}
    return create(world, Create("Employee", given), CALLER).reference
