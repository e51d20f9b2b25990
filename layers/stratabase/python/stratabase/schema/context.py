"""What a service knows of the request that it answers."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from stratabase.domain.allowance import Allowance
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


@dataclass(frozen=True, slots=True)
class Context:
    """The world that it works on, who asks, the request's correlation id, and what it may still read."""

    world: World
    caller: Caller
    trace_id: str
    allowance: Allowance
    outcomes: Outcomes = field(default_factory=Outcomes)


class Call(NamedTuple):
    """One call of a service: its arguments, coerced, and the names of the fields selected directly below."""

    context: Context
    arguments: dict[str, Any]
    selected: frozenset[str]
