"""The cost of each operation in round trips and capacity units, on both engines and with several sizes."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from math import ceil
from pathlib import Path
from time import monotonic

from benchmarks.file_rows import MODEL as FILES
from benchmarks.file_rows import Files
from benchmarks.lock_rows import MODEL as LOCKS
from benchmarks.lock_rows import Locks
from benchmarks.metering import measure_consumption
from benchmarks.nested_rows import MODEL as GRAPHS
from benchmarks.nested_rows import Graphs
from benchmarks.role_rows import CALLER, Cost, Operations, Roles
from benchmarks.role_rows import MODEL as ROLES
from benchmarks.stored_table import StoredTable
from benchmarks.table import Figure, print_table
from benchmarks.version_rows import MODEL as VERSIONS
from benchmarks.version_rows import Versions
from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.query.filter import Comparison
from stratabase.core.domain.query.order import Order, OrderTerm
from stratabase.core.domain.query.page import PageFields, Query, Window
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.domain.write.commands import Create, Delete, Update
from stratabase.core.model.reading import read_model
from stratabase.core.model.types.base import Stored
from stratabase.core.model.types.operators import Operator
from stratabase.core.operations.context import ReadContext, Services
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.services import delete, save
from stratabase.core.settings import Settings
from stratabase.core.store.engine.port import Engine, Item, Key
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.layout.keys import REGISTRY
from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase_aws.commands.emulator import emulator
from stratabase_aws.dynamodb.botocore_client import BotocoreClient
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from stratabase_aws.dynamodb.table import ensure_table
from stratabase_aws.endpoint import AwsEndpoint, Credentials
from tests.fakes import FrozenClock

SIZES = tuple(map(int, os.environ.get("SIZES", "1000 10000 100000").split()))
BATCH_SIZE = 90
"""The maximum number of items in a commit while the store is filled. An object has one or two."""

MODEL = """
extend schema @application(name: "Bench")
  @profile(name: "Administrator", administrator: true) @profile(name: "Member", access: FULL)
type Plain { name: String size: Int notes: Text }
type Indexed @index(attributes: ["name"]) { name: String size: Int notes: Text }
type Unique @unique(attributes: ["name"]) { name: String size: Int notes: Text }
"""


EMULATED = 10_000
"""The maximum number of objects with which all operations run on an emulator of DynamoDB.

With more, only those are measured whose cost depends on the number, on a copy of what SQLite stores.
"""

_MAX_OBJECTS = {"Plain": 100_000, "Indexed": 100_000, "Person": 100_000, "Unique": 1_000}
"""The maximum number of objects of each class. The cost of a unique value does not depend on their number."""


def main(folder: Path) -> None:
    """Print a table for each engine and size."""
    with ExitStack() as stack:
        sqlite, dynamodb = sqlite_engines(folder, stack), dynamodb_engines(stack)
        for size in SIZES:
            embedded = sqlite(str(size))
            _measure("SQLite", embedded, size)
            if size <= EMULATED:
                _measure("DynamoDB", dynamodb(str(size)), size)
            else:
                _measure_growing("DynamoDB", embedded, size)


def sqlite_engines(folder: Path, stack: ExitStack) -> Callable[[str], Engine]:
    """Return a function that opens an SQLite engine by a name."""

    def opened(name: str) -> Engine:
        engine = SqliteEngine(folder / f"{name}.db")
        stack.callback(engine.close)
        return engine

    return opened


def dynamodb_engines(stack: ExitStack) -> Callable[[str], Engine]:
    """Return a function that opens a DynamoDB engine by a name, on an emulator."""
    client = BotocoreClient(
        AwsEndpoint(
            "us-east-1", stack.enter_context(emulator()), Credentials("local", "local"), read_timeout=60
        )
    )
    stack.callback(client.close)

    def opened(name: str) -> Engine:
        table = f"bench{name}"
        ensure_table(client, table)
        return DynamoDBEngine(client, table)

    return opened


class _Metered(MeteredEngine):
    """An engine that does not report reads of the registry, which a request makes every few seconds."""

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        read = self._engine.get if keys == [REGISTRY] else super().get
        return read(keys, places=places)


def _services(engine: Engine) -> tuple[Services, Engine]:
    """Return services on an engine, and this engine with a meter."""
    model = read_model(MODEL + ROLES + GRAPHS + LOCKS + VERSIONS + FILES, "benchmark")
    metered = _Metered(engine)
    services = Services(model, Repository(metered, model), FrozenClock(), TimeOrderedIds(), _budget)
    return services, metered


def _measure(name: str, engine: Engine, size: int) -> None:
    """Fill an engine, and print the cost of all operations."""
    services, metered = _services(engine)
    graphs, files = Graphs(services), Files(services, metered)
    references = [
        reference
        for class_name in _MAX_OBJECTS
        for reference in _fill(services, class_name, min(size, _MAX_OBJECTS[class_name]))
    ]
    examples = {reference.class_name: reference for reference in references}
    rows = {
        **_operations(services, examples, size),
        **_growing_operations(services, size),
        **Roles(services).operations(),
        **graphs.operations(),
        **Locks(services).operations(),
        **Versions(services).operations(),
        **files.operations(),
    }
    print_table(f"Costs on {name}, {size:,} objects a class", [*_figures(rows), *files.figures()])


def _measure_growing(name: str, filled: Engine, size: int) -> None:
    """Print the cost of the operations that grow with the number of objects, on a copy of a filled engine."""
    copy = StoredTable(chain.from_iterable(filled.scan()))
    services, _ = _services(DynamoDBEngine(copy, "copy"))
    rows = _figures(_growing_operations(services, size))
    print_table(f"Costs on {name}, {size:,} objects a class, copied from SQLite", [*rows])


def _fill(services: Services, class_name: str, size: int) -> Iterator[Reference]:
    entities = [_entity(services, class_name, number) for number in range(size)]
    for at in range(0, size, BATCH_SIZE // 2):
        effects = tuple(map(Creation, entities[at : at + BATCH_SIZE // 2]))
        services.entities.commit(Change(services.ids.new(), services.clock.now(), effects))
    return (entity.reference for entity in entities)


def _entity(services: Services, class_name: str, number: int) -> Entity:
    reference = Reference(class_name, services.ids.new())
    return Entity(reference, {"_id": reference.id, **_values(number)})


def _values(number: int) -> dict[str, Stored]:
    return {"name": f"name {number:06}", "size": number % 3, "notes": "n" * 400}


def _figures(rows: Operations) -> Iterator[Figure]:
    for name, (cost, operation) in rows.items():
        consumption = measure_consumption(operation)
        yield Figure(f"{name}: round trips", consumption.round_trips, "", cost.calls)
        if consumption.read_units or cost.read_units:
            yield Figure(f"{name}: read units", consumption.read_units, "", cost.read_units)
        if consumption.write_units or cost.write_units:
            yield Figure(f"{name}: write units", consumption.write_units, "", cost.write_units)


def _operations(services: Services, examples: dict[str, Reference], size: int) -> Operations:
    """Return the operations to measure, by name. An object has 1 index slot, and an Indexed one has 2."""
    return {
        "get": (Cost(1, 1, 0), lambda: _reader(services).get(examples["Plain"])),
        "create": (Cost(1, 0, 2), lambda: _create(services, "Plain", size)),
        "create with one uniqueness": (Cost(1, 0, 2 + 1 + 2), lambda: _create(services, "Unique", size)),
        "create with one @index": (Cost(1, 0, 3), lambda: _create(services, "Indexed", size)),
        "update": (Cost(2, 1, 2), lambda: save(services, Update(examples["Plain"], {"size": -1}), CALLER)),
        "update of a unique value": (
            Cost(2, 1, 2 + 1 + 4),
            lambda: save(services, Update(examples["Unique"], {"name": "new"}), CALLER),
        ),
        # A deletion is a transaction: see docs/decisions/2026-11-21-whose-delete-it-was.md.
        "delete": (Cost(2, 1, 3), lambda: delete(services, Delete(examples["Plain"]), CALLER)),
    }


def _growing_operations(services: Services, size: int) -> Operations:
    """Return the pages and counts to measure, by name. Some of them grow with the number of objects."""
    by_name = Order.of((OrderTerm("name"),))
    from_the_middle = Comparison("name", Operator.GTE, f"name {size // 2:06}")
    a_third = Comparison("size", Operator.LT, 1)
    only_total, with_total = PageFields(items=False, total_count=True), PageFields(total_count=True)
    window = Window(size=50)
    page_units = _index_units(50)
    return {
        "page of 50 by _id": (
            Cost(1, page_units, 0),
            lambda: _reader(services).page(Query("Plain", Order.of(()), window=window)),
        ),
        "page of 50 by @index": (
            Cost(1, page_units, 0),
            lambda: _reader(services).page(Query("Indexed", by_name, from_the_middle, window)),
        ),
        # Of each three objects, one matches. What is read beyond the page is at most a quarter of the page.
        "page of 50 by @index, filtered by another attribute": (
            Cost(2, _index_units(3 * 51 * 1.25), 0),
            lambda: _reader(services).page(Query("Indexed", by_name, a_third, window)),
        ),
        "page of 50 by _id, filtered": (
            Cost(2, _index_units(3 * 51 * 1.25), 0),
            lambda: _reader(services).page(Query("Plain", Order.of(()), a_third, window)),
        ),
        "page of 50 by @index, with totalCount": (
            Cost(1 + _counts(size / 2), page_units + _index_units(size / 2), 0),
            lambda: _reader(services).page(Query("Indexed", by_name, from_the_middle, window, with_total)),
        ),
        "page of 50 without an index": (
            Cost(None, None, 0),
            lambda: _reader(services).page(Query("Plain", by_name, from_the_middle, window)),
        ),
        "totalCount": (
            Cost(_counts(size), _index_units(size), 0),
            lambda: _reader(services).page(Query("Plain", Order.of(()), fields=only_total)),
        ),
        "totalCount of a range of an @index": (
            Cost(_counts(size / 2), _index_units(size / 2), 0),
            lambda: _reader(services).page(Query("Indexed", by_name, from_the_middle, fields=only_total)),
        ),
    }


def _index_units(objects: float) -> float:
    """Return the read units of so many objects in an index."""
    return objects * _ENTRY_BYTES / 4096 / 2 + 1


def _counts(objects: float) -> int:
    """Return the number of requests that count so many objects in an index."""
    return ceil(objects * _ENTRY_BYTES / MEGABYTE)


_ENTRY_BYTES = 700
"""The size of an object in an index, at most."""


def _reader(services: Services) -> Reader:
    """Return the reader of a new request."""
    return Reader(ReadContext(services.model, services.entities, services.new_budget()))


def _budget() -> ReadBudget:
    """Return the read budget of a request with the default settings."""
    settings = Settings()
    return ReadBudget(settings.read_megabytes * MEGABYTE, settings.read_seconds, monotonic)


def _create(services: Services, class_name: str, number: int) -> Reference:
    return save(services, Create(class_name, _values(number)), CALLER).reference
