"""A model of DynamoDB's limits, and a discrete-event simulation of the environments that call it.

The limits are those that AWS documents:

- A physical partition serves 1,000 write units and 3,000 read units a second, in the table and in each index.
- A new table and its indexes have four physical partitions. DynamoDB splits those that are hot, until a
  partition key that is hot has a physical partition of its own. Sort keys that rise, as those of time-ordered
  ids do, all lie behind the last split, so their partition key is not divided further.
- An index that throttles a write rejects the write to the table.
- A write to an item that a transaction is writing is refused as a conflict, and a transaction likewise. Both
  consume their units.

The durations are assumptions. All randomness comes from a generator with a seed, so a run can be repeated.
"""

import heapq
import random
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from stratabase_aws.dynamodb.retry import REFUND, RETRY_COST, RetryBudget, RetryPolicy

WRITE_UNITS, READ_UNITS = 1000.0, 3000.0
"""The units a second of a physical partition."""
FIRST_PARTITIONS = 4
"""The physical partitions of a new table with on-demand capacity, and of each of its indexes."""
HELD_SECONDS = 0.010
"""How long a transaction holds its items. An assumption."""


class Result(Enum):
    """What became of an attempt."""

    DONE = "done"
    THROTTLED = "throttled"
    CONFLICT = "conflict"
    OUTDATED = "outdated"
    """A condition failed, and the caller knows more now. It tries again at once."""


class Use(NamedTuple):
    """The units that a request consumes in one place."""

    index_name: str
    key: str | None
    """The partition key, the same in all requests; None for one of the request's own."""
    item: str | None
    """The item, the same in all requests; None for one of the request's own. For conflicts."""
    units: float


class Request(NamedTuple):
    """A request to DynamoDB."""

    uses: Sequence[Use]
    seconds: float
    """The time to the response."""
    writes: bool = True
    transaction: bool = False


class Table:
    """A table with its indexes: grants units, and refuses requests past the limits."""

    def __init__(self, clock: Callable[[], float], rng: random.Random, *, split: bool) -> None:
        """`split`: each partition key has a physical partition of its own. If not, the table is new."""
        self._clock = clock
        self._rng = rng
        self._split = split
        self._partitions: dict[tuple[str, str | int, bool], tuple[float, float]] = {}
        """By place and kind of unit: the units that are left, and when they were counted."""
        self._held: dict[str, float] = {}
        """By item: until when a transaction writes it."""

    def send(self, request: Request) -> Result:
        """Grant a request or refuse it."""
        wanted: dict[tuple[str, str | int, bool], float] = {}
        for use in request.uses:
            place = self._place(use, request.writes)
            if place is not None:
                wanted[place] = wanted.get(place, 0.0) + use.units
        if any(self._left(place) < units for place, units in wanted.items()):
            return Result.THROTTLED
        for place, units in wanted.items():
            self._partitions[place] = self._left(place) - units, self._clock()
        if not request.writes:
            return Result.DONE
        items = [use.item for use in request.uses if use.item is not None]
        if any(self._held.get(item, 0.0) > self._clock() for item in items):
            return Result.CONFLICT
        if request.transaction:
            self._held |= dict.fromkeys(items, self._clock() + HELD_SECONDS)
        return Result.DONE

    def _place(self, use: Use, writes: bool) -> tuple[str, str | int, bool] | None:  # noqa: FBT001 - a key
        """Return the physical partition of a use. None for one that nobody else uses."""
        if self._split:
            return None if use.key is None else (use.index_name, use.key, writes)
        number = self._rng.random() if use.key is None else random.Random(use.key).random()
        return use.index_name, int(number * FIRST_PARTITIONS), writes

    def _left(self, place: tuple[str, str | int, bool]) -> float:
        rate = WRITE_UNITS if place[2] else READ_UNITS
        left, then = self._partitions.get(place, (rate, 0.0))
        return min(rate, left + (self._clock() - then) * rate)


Process = Generator[float, None, None]
"""A process of the simulation, which yields for how many seconds it waits."""


class Simulation:
    """Runs processes in the order of their times."""

    def __init__(self) -> None:
        self.now = 0.0
        self._number = 0
        self._waiting: list[tuple[float, int, Process]] = []

    def start(self, process: Process, after: float = 0.0) -> None:
        """Start a process after some seconds."""
        self._number += 1
        heapq.heappush(self._waiting, (self.now + after, self._number, process))

    def run(self, until: float) -> None:
        """Run until an instant, in seconds."""
        while self._waiting and self._waiting[0][0] <= until:
            self.now, _, process = heapq.heappop(self._waiting)
            try:
                self.start(process, next(process))
            except StopIteration:
                continue
        self.now = until


Attempt = Callable[[], tuple[Result, float]]
"""Sends a request once; returns what became of it, and the seconds to the response."""
MAX_OUTDATED = 500
"""How often a request whose condition failed was repeated at once."""


@dataclass
class Figures:
    """What the environments have achieved since the end of the warm-up."""

    began: float
    done: int = 0
    failed: int = 0
    results: dict[Result, int] = field(default_factory=lambda: dict.fromkeys(Result, 0))
    latencies: list[float] = field(default_factory=list)

    def rate(self, now: float) -> float:
        """Return the successful operations a second."""
        return self.done / (now - self.began)

    def percentile(self, share: float) -> float:
        """Return a percentile of the latencies of successful operations, in seconds."""
        ordered = sorted(self.latencies)
        return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0


class Environment:
    """One execution environment: it serves one request after another, and retries as the engine does."""

    def __init__(
        self, simulation: Simulation, rng: random.Random, figures: Figures, cpu_seconds: float
    ) -> None:
        """`cpu_seconds`: the time of a request besides the store."""
        self._simulation = simulation
        self._rng = rng
        self._figures = figures
        self._cpu_seconds = cpu_seconds
        self._policy = RetryPolicy(budget=RetryBudget())

    def serve(self, attempts: Callable[[], Sequence[Attempt]]) -> Process:
        """Run an operation again and again. `attempts`: returns its requests, one after another."""
        while True:
            began = self._simulation.now
            yield self._cpu_seconds
            succeeded = True
            for attempt in attempts():
                succeeded = yield from self._send(attempt)
                if not succeeded:
                    break
            if began >= self._figures.began:
                self._figures.done += succeeded
                self._figures.failed += not succeeded
                if succeeded:
                    self._figures.latencies.append(self._simulation.now - began)

    def _send(self, attempt: Attempt) -> Generator[float, None, bool]:
        """Send a request until it is done; return whether it is."""
        policy, failed, outdated, refund = self._policy, 0, 0, REFUND
        deadline = self._simulation.now + policy.max_seconds
        while True:
            result, seconds = attempt()
            if self._simulation.now >= self._figures.began:
                self._figures.results[result] += 1
            yield seconds
            if result is Result.DONE:
                policy.budget.give_back(refund)
                return True
            if result is Result.OUTDATED:
                outdated += 1
                if outdated >= MAX_OUTDATED:
                    return False
                continue
            pause = self._rng.uniform(0, min(policy.max_pause, policy.first_pause * 2**failed))
            failed += 1
            if failed >= policy.max_attempts or self._simulation.now + pause > deadline:
                return False
            if result is Result.THROTTLED:
                refund = RETRY_COST
                if not policy.budget.take(RETRY_COST):
                    return False
            yield pause
