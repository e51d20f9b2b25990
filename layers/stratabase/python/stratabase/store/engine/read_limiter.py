"""Limits what a request reads: what is read is drawn from its allowance, and past that it is refused."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

from stratabase.domain.issues.refusals import ReadBudgetExceeded
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.store.engine.port import Item

Read = TypeVar("Read", Item, Item | None)

_BYTES_BESIDE_STATE = 200
"""About what an item weighs without its state. Looking for an item that is not there costs as much."""


class ReadLimiter:
    """Draws reads from a request's allowance; threads that read for the same request may share it.

    Without an allowance, nothing is limited. `explain` makes the refusal; the plain one names the class only.
    """

    def __init__(
        self,
        budget: ReadBudget | None,
        class_name: str,
        explain: Callable[["ReadLimiter"], ReadBudgetExceeded] | None = None,
    ) -> None:
        self._budget = budget
        self._class_name = class_name
        self._explain = explain
        self._lock = Lock()
        self.is_shared = budget is not None and budget.bytes_read > 0
        """Whether the request has read other things before."""
        self.items = 0
        """How many items were read; an item that was looked for and is not there counts too."""

    def check(self) -> None:
        """Raise ReadBudgetExceeded when nothing is left."""
        if self._budget is not None and self._budget.is_exhausted:
            raise self.refusal()

    def record(self, items: Sequence[Item | None]) -> None:
        """Draw what was read from the allowance."""
        if self._budget is not None:
            with self._lock:
                self.items += len(items)
                self._budget.charge(approximate_bytes(items))

    def spend(self, items: Sequence[Read]) -> Sequence[Read]:
        """Return what was read, if the allowance admits it. Raises ReadBudgetExceeded."""
        self.record(items)
        self.check()
        return items

    def refusal(self) -> ReadBudgetExceeded:
        """Return what to raise when nothing is left."""
        return self._explain(self) if self._explain else ReadBudgetExceeded(self._class_name)


UNLIMITED = ReadLimiter(None, "")


def approximate_bytes(items: Sequence[Item | None]) -> int:
    """Return about how many bytes items weigh together."""
    size = _BYTES_BESIDE_STATE * len(items)
    for item in items:  # a loop rather than a sum, since every get comes through here
        if item is not None and (text := item.state):
            size += len(text) if text.isascii() else len(text.encode())
    return size
