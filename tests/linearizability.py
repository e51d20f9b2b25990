"""Checks whether a history of overlapping operations is linearizable (Wing and Gong)."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

S = TypeVar("S", bound=Hashable)


@dataclass(frozen=True)
class Operation:
    """A call, its result, and the moments between which it ran."""

    asked: Any
    told: Any
    begun: int
    ended: int


Step = Callable[[S, Operation], S | None]
"""Returns the state after an operation, or None if the operation cannot have had that result."""


def is_linearizable(history: Sequence[Operation], first: S, step: Step[S]) -> bool:
    """Return whether some sequential order of the operations explains all results.

    The order must respect real time: an operation takes effect between its start and its end.
    """
    return _Search(history, step).explains((1 << len(history)) - 1, first)


class _Search(Generic[S]):
    """A search over the orders of operations. It visits each pair of remaining operations and state once."""

    def __init__(self, history: Sequence[Operation], step: Step[S]) -> None:
        self._history = history
        self._step = step
        self._failed: set[tuple[int, S]] = set()

    def explains(self, left: int, state: S) -> bool:
        """Return whether some order of the operations that are left (a set of bits) explains them."""
        if not left:
            return True
        if (left, state) in self._failed:
            return False
        waiting = [number for number in range(len(self._history)) if left >> number & 1]
        first_end = min(self._history[number].ended for number in waiting)
        for number in waiting:
            if self._history[number].begun <= first_end:
                after = self._step(state, self._history[number])
                if after is not None and self.explains(left & ~(1 << number), after):
                    return True
        self._failed.add((left, state))
        return False
