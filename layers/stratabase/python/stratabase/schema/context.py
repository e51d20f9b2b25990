"""What a service knows of the request that it answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stratabase.domain.allowance import Allowance
from stratabase.domain.consumption import Consumption
from stratabase.domain.entity import Reference
from stratabase.domain.fetch import Fetch
from stratabase.domain.member import Caller
from stratabase.operations.world import World


class Outcomes:
    """What the root fields of one request came to, by response key, so that none of them is done twice."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._failures: dict[str, Exception] = {}

    def of(self, key: str, work: Callable[[], Any]) -> Any:
        """Return what `work` returns, or raise what it raises; the same again when it was done before."""
        if key in self._failures:
            raise self._failures[key]
        if key not in self._values:
            try:
                self._values[key] = work()
            except Exception as failure:
                self._failures[key] = failure
                raise
        return self._values[key]


class Insight(NamedTuple):
    """What one service asked of the storage: its response key, and how much is to be told of that."""

    key: str
    level: str
    consumed: tuple[Consumption, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """The world that it works on, who asks, the request's correlation id, and what it may still read."""

    world: World
    caller: Caller
    trace_id: str
    allowance: Allowance
    outcomes: Outcomes = field(default_factory=Outcomes)
    insights: list[Insight] = field(default_factory=list)
    """What services asked of the storage that are to tell."""
    called: dict[Reference, str] = field(default_factory=dict)
    """What the client calls the objects that the request has written so far."""


class Call(NamedTuple):
    """One call of a service: its response key, its arguments, coerced, and what is selected of its answer."""

    context: Context
    key: str
    arguments: dict[str, Any]
    selected: frozenset[str]
    """The names of the fields selected directly below."""
    fetch: Fetch
    """The roles that are wanted of the objects that it shows."""


Answering = Callable[[Call], Any]
"""Answers a call of a service."""
