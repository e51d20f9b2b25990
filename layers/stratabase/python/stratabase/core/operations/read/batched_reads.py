"""Batched reads: generators that yield what they need to load, and share batches as in a data loader.

A batched read yields a `Load` when it needs data that other reads may need too, receives the values, and
goes on. These are objects and links at a past instant, and what decides whether a caller sees an object.
Present objects and links are read at once, in one batch for each level (`identity_map`).

`run_together` collects the loads of many reads, loads them in one batch, and resumes the reads. So the number
of round trips depends on the depth of one read, not on the number of reads.
"""

from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from enum import IntEnum
from typing import Any, Generic, NamedTuple, TypeVar

from stratabase.core import waiting

T = TypeVar("T")


_IN_A_ROW = 10
"""Reads to resume before other requests get a turn. Each may take a millisecond."""


class Phase(IntEnum):
    """The kind of a load. Links are loaded only when no read waits for objects."""

    OBJECTS = 1
    LINKS = 2
    VISIBILITY = 3


class Load(NamedTuple):
    """The keys that a read needs, and the function that loads the values of many keys in their order."""

    phase: Phase
    function: Callable[[Sequence[Any]], Sequence[Any]]
    keys: Sequence[Hashable]


BatchedRead = Generator[Load, Any, T]
"""A generator that yields loads, receives the values of their keys, and returns its result."""


def run(read: BatchedRead[T]) -> T:
    """Return the result of a single read. Raises what loading and the read raise."""
    values: Sequence[Any] | None = None
    while True:
        try:
            load = read.send(values)
        except StopIteration as stop:
            found: T = stop.value
            return found
        values = load.function(load.keys)


def run_together(reads: Iterable[BatchedRead[T]]) -> list[T]:
    """Return the result of each read. Loads with the same function share a batch. Raises as `run`."""
    tasks = [_Task(read) for read in reads]
    _resume(tasks, {})
    while waiting_tasks := [task for task in tasks if task.load is not None]:
        # Load links only when no read waits for objects. So all reads stay on the same level, and the
        # next objects are loaded in one batch.
        phase = min(task.phase for task in waiting_tasks)
        ready = [task for task in waiting_tasks if task.phase in {phase, Phase.VISIBILITY}]
        _resume(ready, _load_all(ready))
    return [task.found for task in tasks]


Values = dict[Callable[[Sequence[Any]], Sequence[Any]], dict[Hashable, Any]]
"""By function that loaded them: values by key."""


class _Task(Generic[T]):
    """A batched read, the load that it waits for (None at its end), and its result."""

    found: T

    def __init__(self, read: BatchedRead[T]) -> None:
        self._read = read
        self.load: Load | None = None

    @property
    def phase(self) -> Phase:
        assert self.load is not None
        return self.load.phase

    def resume(self, values: Values) -> None:
        """Send the values, and run the read until its next load or its end."""
        load = self.load
        sent = None if load is None else [values[load.function][key] for key in load.keys]
        try:
            self.load = self._read.send(sent)
        except StopIteration as stop:
            self.load = None
            self.found = stop.value


def _resume(tasks: Sequence[_Task[Any]], values: Values) -> None:
    for number, task in enumerate(tasks, start=1):
        if number % _IN_A_ROW == 0:
            waiting.give_way()
        task.resume(values)


def _load_all(tasks: Sequence[_Task[Any]]) -> Values:
    """Load the keys that tasks wait for, each once."""
    keys: dict[Callable[[Sequence[Any]], Sequence[Any]], dict[Hashable, None]] = {}
    for load in sorted((task.load for task in tasks if task.load is not None), key=lambda load: load.phase):
        keys.setdefault(load.function, {}).update(dict.fromkeys(load.keys))
    return {function: dict(zip(each, function(list(each)), strict=True)) for function, each in keys.items()}
