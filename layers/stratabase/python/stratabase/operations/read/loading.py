"""Readings that wait for data, and what loads for many of them in one batch, as a data loader does.

A reading is a generator. It yields a `Load` where it needs data that are not at hand, is sent the values, and
goes on. Whoever runs several readings together collects what all of them wait for, loads it at once, and
resumes them. So round trips depend on how far one reading leads, not on how many there are.
"""

from collections.abc import Callable, Generator, Hashable, Iterable, Sequence
from enum import IntEnum
from typing import Any, Generic, NamedTuple, TypeVar

from stratabase import waiting

T = TypeVar("T")

_IN_A_ROW = 10
"""Readings that are resumed before other requests may go on: each may take a millisecond."""


class Phase(IntEnum):
    """What is loaded. While a reading waits for objects, those that wait for links stay where they are."""

    OBJECTS = 1
    LINKS = 2
    VISIBILITY = 3


class Load(NamedTuple):
    """The keys of what a reading needs, and the function that loads the values of many keys, in order."""

    phase: Phase
    function: Callable[[Sequence[Any]], Sequence[Any]]
    keys: Sequence[Hashable]


Reading = Generator[Load, Any, T]
"""Work that reads: yields loads, is sent the values of their keys, returns what it found."""


def run(reading: Reading[T]) -> T:
    """Return what a reading finds by itself. Raises what loading and the reading raise."""
    values: Sequence[Any] | None = None
    while True:
        try:
            load = reading.send(values)
        except StopIteration as stop:
            found: T = stop.value
            return found
        values = load.function(load.keys)


def run_together(readings: Iterable[Reading[T]]) -> list[T]:
    """Return what each reading finds; loads of the same function are one batch. Raises as `run` does."""
    tasks = [_Task(reading) for reading in readings]
    _resume(tasks, {})
    while waiting_tasks := [task for task in tasks if task.load is not None]:
        # Links only once nobody waits for objects: so all readings stay on the same level.
        phase = min(task.phase for task in waiting_tasks)
        ready = [task for task in waiting_tasks if task.phase in {phase, Phase.VISIBILITY}]
        _resume(ready, _load_all(ready))
    return [task.found for task in tasks]


Values = dict[Callable[[Sequence[Any]], Sequence[Any]], dict[Hashable, Any]]
"""By the function that loaded them: values by key."""


class _Task(Generic[T]):
    """A reading, what it waits for (None at its end), and what it found."""

    found: T

    def __init__(self, reading: Reading[T]) -> None:
        self._reading = reading
        self.load: Load | None = None

    @property
    def phase(self) -> Phase:
        assert self.load is not None
        return self.load.phase

    def resume(self, values: Values) -> None:
        """Go on until something else is needed."""
        load = self.load
        sent = None if load is None else [values[load.function][key] for key in load.keys]
        try:
            self.load = self._reading.send(sent)
        except StopIteration as stop:
            self.load = None
            self.found = stop.value


def _resume(tasks: Sequence[_Task[Any]], values: Values) -> None:
    for number, task in enumerate(tasks, start=1):
        if number % _IN_A_ROW == 0:
            waiting.give_way()
        task.resume(values)


def _load_all(tasks: Sequence[_Task[Any]]) -> Values:
    """Load what tasks wait for, each key once."""
    keys: dict[Callable[[Sequence[Any]], Sequence[Any]], dict[Hashable, None]] = {}
    for load in sorted((task.load for task in tasks if task.load is not None), key=lambda load: load.phase):
        keys.setdefault(load.function, {}).update(dict.fromkeys(load.keys))
    return {function: dict(zip(each, function(list(each)), strict=True)) for function, each in keys.items()}
