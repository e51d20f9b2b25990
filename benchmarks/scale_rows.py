"""How many operations a second 100 and 1,000 execution environments achieve on DynamoDB, by a simulation.

`python -m benchmarks scale` records the engine calls of real operations, with their keys and units, and lets
simulated environments make them against a model of DynamoDB's limits (dynamodb_model.py). The keys that two
recordings of an operation share are the keys that all environments share.

Serial numbers come from the real generator. "Before" is the generator that it has replaced: a cached last
number, and a conditional write.
"""

import os
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from math import ceil
from pathlib import Path
from time import monotonic
from typing import NamedTuple

from benchmarks.dynamodb_model import (
    HELD_SECONDS,
    READ_UNITS,
    Attempt,
    Environment,
    Figures,
    Request,
    Result,
    Simulation,
    Table,
    Use,
)
from benchmarks.metering import Metered, measure_consumption
from benchmarks.role_rows import CALLER
from benchmarks.table import Figure, print_table
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.entity import Reference, SerialName
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.domain.write.commands import Create, ToOneCommand
from stratabase.core.model.reading import read_model
from stratabase.core.operations.context import ReadContext, Services
from stratabase.core.operations.read.reader import Reader
from stratabase.core.operations.write.services import save
from stratabase.core.store.engine.capacity import (
    READ_UNIT_BYTES,
    WRITE_UNIT_BYTES,
    is_single_write,
    item_bytes,
    needed_actions,
    range_bytes,
)
from stratabase.core.store.engine.port import ITEMS, Batch, Check, Engine, Item, Key
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.ids import TimeOrderedIds
from stratabase.core.store.layout import keys
from stratabase.core.store.repository import Repository
from stratabase.core.store.write.serials import SerialCounters
from stratabase.evolution.backfill.reindex import Reindex
from stratabase.evolution.backfill.resharding import OF_LISTING, Resharding
from stratabase.values.messages import verbatim
from tests.contract.engine.reference import ReferenceEngine
from tests.fakes import FrozenClock

ENVIRONMENTS = tuple(map(int, os.environ.get("ENVIRONMENTS", "100 1000").split()))
SEED = 1
WARM_UP, END = 5.0, 20.0
"""Seconds of the simulation: figures count from the first to the second."""
CPU_SECONDS = 0.010
READ_SECONDS, WRITE_SECONDS, TRANSACTION_SECONDS = 0.004, 0.005, 0.012
"""The durations of a request's own work and of the kinds of requests. Assumptions."""
SHARDS = (1, 16)
PAGE = 50
OBJECTS = 1000

MODEL = """
extend schema @application(name: "Bench")
  @profile(name: "Administrator", administrator: true) @profile(name: "Member", access: FULL)
type Plain { name: String notes: Text }
type Numbered { number: Serial name: String notes: Text }
type Team { name: String members: [Worker!] @association(opposite: "team") }
type Worker { name: String team: Team @association(opposite: "members") notes: Text }
"""
NOTES = "n" * 400


class Recorded(NamedTuple):
    """A request that an operation has made: the units by index, partition key and item."""

    units: tuple[tuple[str, str, str, float], ...]
    writes: bool = True
    transaction: bool = False


class RecordingEngine(ReferenceEngine):
    """An engine that records the units of its calls, as DynamoDB would charge them."""

    def __init__(self) -> None:
        super().__init__()
        self.recorded: list[Recorded] = []

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        found = super().get(keys, places=places)
        sizes = (
            (key, ceil(item_bytes(item) / READ_UNIT_BYTES) or 1)
            for key, item in zip(keys, found, strict=True)
        )
        units = tuple((ITEMS, key.partition, "", float(size)) for key, size in sizes)
        self.recorded.append(Recorded(units, writes=False))
        return found

    def commit(self, batch: Batch) -> None:
        wanted = [action.key for action in batch.actions]
        before = super().get(wanted)
        super().commit(batch)
        after = super().get(wanted)
        transaction = not is_single_write(needed_actions(batch.actions))
        units = []
        for action, old, new in zip(batch.actions, before, after, strict=True):
            size = max(item_bytes(old), item_bytes(new))
            own = (ceil(size / WRITE_UNIT_BYTES) or 1) * (2 if transaction else 1)
            units.append((ITEMS, action.key.partition, "/".join(action.key), float(own)))
            if not isinstance(action, Check):
                units += _index_units(old, new)
        self.recorded.append(Recorded(tuple(units), transaction=transaction))


def _index_units(old: Item | None, new: Item | None) -> Iterator[tuple[str, str, str, float]]:
    """Yield the units of the index entries that a write changes."""
    places = [(name, item) for item in (old, new) if item is not None for name in item.places]
    seen = set[tuple[str, str]]()
    for name, item in places:
        partition = item.places[name].partition
        if (
            old is not None
            and new is not None
            and (old.state, old.places.get(name))
            == (
                new.state,
                new.places.get(name),
            )
        ):
            continue
        if (name, partition) not in seen:
            seen.add((name, partition))
            yield name, partition, "", float(ceil(range_bytes(name, [item]) / WRITE_UNIT_BYTES))


class Operations:
    """Real operations over a recording engine."""

    def __init__(self) -> None:
        self.engine = RecordingEngine()
        self._services = self._services_over(self.engine)
        self._filled = 0
        self._team = str(save(self._services, Create("Team", {"name": "popular"}), CALLER).reference.id)

    def _services_over(self, engine: Engine) -> Services:
        model = read_model(MODEL, "scale")
        return Services(model, Repository(engine, model), FrozenClock(), TimeOrderedIds(), _unlimited)

    def create(self) -> list[Recorded]:
        """Record a create of an object of about 0.6 KB."""
        return self._record(lambda: self._save(Create("Plain", {"name": "x", "notes": NOTES})))

    def numbered(self) -> list[Recorded]:
        """Record the same with a serial number, without the call that takes the number."""
        return self._record(lambda: self._save(Create("Numbered", {"name": "x", "notes": NOTES})))

    def worker(self) -> list[Recorded]:
        """Record the same with a role that refers to the same target as all others, which counts them."""
        roles = {"team": ToOneCommand(self._team)}
        return self._record(lambda: self._save(Create("Worker", {"name": "x", "notes": NOTES}, roles=roles)))

    def page(self, shards: int) -> Metered:
        """Return what a page of the listing consumes among OBJECTS objects."""
        while self._filled < OBJECTS:
            self._save(Create("Plain", {"name": "x", "notes": NOTES}))
            self._filled += 1
        if shards > 1:
            now = partial(next, count(10**13, 10**7))  # much time passes, so that nothing has to wait
            resharding = Resharding(self.engine, self._services.model, now=now, sleep=lambda _: None)
            resharding.begin("Plain", {OF_LISTING: shards})
            Reindex(self.engine, self._services.model, now=now, sleep=lambda _: None).run("Plain")
            resharding.finish("Plain")
        services = self._services_over(MeteredEngine(self.engine))
        query = Query("Plain", Order.of(()), window=Window(size=PAGE))
        read = partial(Reader(ReadContext(services.model, services.entities, _unlimited())).page, query)
        read()  # reads the registry
        return measure_consumption(read)

    def _save(self, command: Create) -> Reference:
        return save(self._services, command, CALLER).reference

    def _record(self, operation: Callable[[], object]) -> list[Recorded]:
        self.engine.recorded.clear()
        operation()
        return [*self.engine.recorded]


def _unlimited() -> ReadBudget:
    return ReadBudget(1000 * MEGABYTE, 900, monotonic)


def requests_of(record: Callable[[], list[Recorded]]) -> list[Request]:
    """Return the requests of an operation: what two recordings have in common is shared by all callers."""
    record()  # reads the registry
    first, second = record(), record()
    requests = []
    for one, other in zip(first, second, strict=True):
        uses = []
        for (index, key, item, units), (_, other_key, other_item, _) in zip(
            one.units, other.units, strict=True
        ):
            shared_item = item if item and item == other_item else None
            uses.append(Use(index, key if key == other_key else None, shared_item, units))
        seconds = TRANSACTION_SECONDS if one.transaction else WRITE_SECONDS if one.writes else READ_SECONDS
        requests.append(Request(uses, seconds, one.writes, one.transaction))
    return requests


def sharded(request: Request, shards: int, rng: random.Random) -> Request:
    """Return a request whose entry in the listing lies in one of several shards."""
    uses = [
        use._replace(key=rng.choice(keys.shards_of(use.key, shards)))
        if use.index_name == keys.LISTING and use.key
        else use
        for use in request.uses
    ]
    return request._replace(uses=uses)


class World(NamedTuple):
    """A simulation with its table."""

    simulation: Simulation
    rng: random.Random
    table: Table


AttemptsOf = Callable[[World], Callable[[], Sequence[Attempt]]]
"""Returns the operation of one more environment: a function that returns its requests."""


def simulate(environments: int, attempts_of: AttemptsOf, *, split: bool) -> tuple[Figures, float]:
    """Run an operation in a number of environments; return the figures, and the instant of the end."""
    simulation, rng = Simulation(), random.Random(SEED)
    world = World(simulation, rng, Table(lambda: simulation.now, rng, split=split))
    figures = Figures(WARM_UP)
    for _ in range(environments):
        environment = Environment(simulation, rng, figures, CPU_SECONDS)
        simulation.start(environment.serve(attempts_of(world)), after=rng.random() / 2)
    simulation.run(END)
    return figures, simulation.now


def recorded_attempts(requests: Sequence[Request], shards: int) -> AttemptsOf:
    """Return the operation that sends recorded requests, with the listing in a number of shards."""

    def attempts_of(world: World) -> Callable[[], Sequence[Attempt]]:
        def attempt(request: Request) -> tuple[Result, float]:
            return world.table.send(request), request.seconds

        return lambda: [partial(attempt, sharded(request, shards, world.rng)) for request in requests]

    return attempts_of


# Serial numbers.

_COUNTER = Request([Use(ITEMS, "N#Numbered.number", "N#Numbered.number/N", 1.0)], WRITE_SECONDS)


class Counter(ReferenceEngine):
    """An engine with the counter of a Serial attribute, on the table of a simulation."""

    def __init__(self, table: Table) -> None:
        super().__init__()
        self._table = table
        self.last = 0
        self.increments = 0

    def increment(self, key: Key, attribute: str, by: int) -> int:  # noqa: ARG002 - the port
        if self._table.send(_COUNTER) is not Result.DONE:
            raise Unavailable(verbatim("throttled"))
        self.increments += 1
        self.last += by
        return self.last


def incremented(counters: dict[int, Counter]) -> AttemptsOf:
    """Return the operation that takes a number from the real generator. `counters`: by the world's id."""
    name = SerialName("Numbered", "number")

    def attempts_of(world: World) -> Callable[[], Sequence[Attempt]]:
        counter = counters.setdefault(id(world.table), Counter(world.table))
        serials = SerialCounters(counter, clock=lambda: world.simulation.now)

        def attempt() -> tuple[Result, float]:
            made = counter.increments
            try:
                serials.next({name: 1})
            except Unavailable:
                return Result.THROTTLED, WRITE_SECONDS
            return Result.DONE, WRITE_SECONDS if counter.increments > made else 0.0

        return lambda: [attempt]

    return attempts_of


def conditional(counters: dict[int, Counter]) -> AttemptsOf:
    """Return the operation that takes a number as earlier releases did."""

    def attempts_of(world: World) -> Callable[[], Sequence[Attempt]]:
        counter = counters.setdefault(id(world.table), Counter(world.table))
        known = 0

        def attempt() -> tuple[Result, float]:
            nonlocal known
            result = world.table.send(_COUNTER)
            if result is not Result.DONE:
                return result, WRITE_SECONDS
            is_next, known = known == counter.last, counter.last
            if not is_next:
                return Result.OUTDATED, WRITE_SECONDS
            counter.last = known = known + 1
            return Result.DONE, WRITE_SECONDS

        return lambda: [attempt]

    return attempts_of


def main(_folder: Path) -> None:
    """Print a table for each number of environments, and what a page costs."""
    operations = Operations()
    creates, workers = requests_of(operations.create), requests_of(operations.worker)
    numbered = requests_of(operations.numbered)[-1:]
    for environments in ENVIRONMENTS:
        rows: list[Figure] = []
        for split in (False, True):
            where = "after splits" if split else "new table"
            for shards in SHARDS:
                limit = _listing_limit(creates, shards) if split else None
                rows += _rows(
                    f"create, {_shards(shards)}, {where}",
                    *simulate(environments, recorded_attempts(creates, shards), split=split),
                    limit,
                )
        rows += _rows(
            "create for one popular target, after splits",
            *simulate(environments, recorded_attempts(workers, SHARDS[-1]), split=True),
            1 / HELD_SECONDS,
        )
        for name, made in (("before", conditional), ("now", incremented)):
            counters: dict[int, Counter] = {}
            figures, now = simulate(environments, made(counters), split=True)
            rows += _rows(f"Serial alone, {name}", figures, now, None)
            (counter,) = counters.values()
            if counter.increments:
                rows.append(Figure("  numbers in a block", counter.last / counter.increments, ""))
        rows += _rows(
            f"create with a Serial, {_shards(SHARDS[-1])}, now",
            *simulate(
                environments, _both(incremented({}), recorded_attempts(numbered, SHARDS[-1])), split=True
            ),
            _listing_limit(numbered, SHARDS[-1]),
        )
        print_table(f"{environments:,} environments, by simulation", rows)
    print_table(f"A page of {PAGE} objects of 0.6 KB", [*_page_rows(operations)])


def _both(*parts: AttemptsOf) -> AttemptsOf:
    def attempts_of(world: World) -> Callable[[], Sequence[Attempt]]:
        several = [part(world) for part in parts]
        return lambda: [attempt for each in several for attempt in each()]

    return attempts_of


def _shards(number: int) -> str:
    return "1 shard" if number == 1 else f"{number} shards"


def _listing_limit(requests: Sequence[Request], shards: int) -> float:
    """Return the operations a second that the partitions of the listing admit."""
    units = sum(use.units for request in requests for use in request.uses if use.index_name == keys.LISTING)
    return shards * 1000 / units


def _rows(name: str, figures: Figures, now: float, limit: float | None) -> Iterator[Figure]:
    seconds = now - figures.began
    yield Figure(name, figures.rate(now), "/s", limit, "limit of the model" if limit else "")
    yield Figure("  failed", figures.failed / seconds, "/s")
    yield Figure(
        "  throttled, conflicts, outdated",
        sum(figures.results.values()) / seconds - figures.results[Result.DONE] / seconds,
        "/s",
    )
    yield Figure("  latency, median", 1000 * figures.percentile(0.5), "ms")
    yield Figure("  latency, 99th percentile", 1000 * figures.percentile(0.99), "ms")


def _page_rows(operations: Operations) -> Iterator[Figure]:
    """Yield what a page costs with each number of shards."""
    for shards in SHARDS:
        consumed = operations.page(shards)
        units = consumed.read_units
        yield Figure(f"{_shards(shards)}: read units", units, "")
        yield Figure(f"{_shards(shards)}: successive requests", consumed.round_trips, "")
        yield Figure(f"{_shards(shards)}: pages of the same part", READ_UNITS * shards / units, "/s")
