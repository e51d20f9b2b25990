"""Charges the items that a request reads to its read budget, and refuses more when the budget is used up."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TypeVar

from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.store.engine.port import Counted, Item

Read = TypeVar("Read", Item, Item | None)

_BYTES_BESIDE_STATE = 200
"""The approximate size of an item without its state, which is also charged for a missing item."""


class ReadLimiter:
    """Charges reads to the read budget of a request. Several threads of the request may share a limiter."""

    def __init__(
        self,
        budget: ReadBudget | None,
        class_name: str,
        explain: Callable[["ReadLimiter"], ReadBudgetExceeded] | None = None,
    ) -> None:
        """`explain`: creates the refusal; by default, the refusal only names the class."""
        self.budget = budget
        """None for reads without a limit."""
        self._class_name = class_name
        self._explain = explain
        self._lock = Lock()
        self.is_shared = budget is not None and budget.bytes_read > 0
        """Whether the request had already read something else from the same budget."""
        self.items = 0
        """The number of items that were read, including missing ones. Stays 0 without a budget."""

    def check(self) -> None:
        """Raise ReadBudgetExceeded if the budget is used up."""
        if self.budget is not None and self.budget.is_exhausted:
            raise self.refusal()

    def record(self, items: Sequence[Item | None]) -> None:
        """Charge items that were read to the budget."""
        if self.budget is not None:
            self.charge(len(items), approximate_bytes(items))

    def charge(self, items: int, bytes_read: int) -> None:
        """Charge a number of items to the budget, whose sizes add up to `bytes_read`."""
        if self.budget is not None:
            with self._lock:
                self.items += items
                self.budget.charge(bytes_read, items)

    def spend(self, items: Sequence[Read]) -> Sequence[Read]:
        """Charge items that were read, and return them. Raises ReadBudgetExceeded."""
        if self.budget is not None:
            self.charge(len(items), approximate_bytes(items))
            self.check()
        return items

    def compare(self, characters: int) -> None:
        """Charge characters of a text before they are compared. Raises ReadBudgetExceeded."""
        if self.budget is not None and self.budget.compare(characters):
            self.check()

    def spend_count(self, counted: Counted) -> None:
        """Charge what an engine has read to count items. Raises ReadBudgetExceeded."""
        self.charge(*counted)
        self.check()

    def refusal(self) -> ReadBudgetExceeded:
        """Return the exception for a budget that is used up."""
        return self._explain(self) if self._explain else ReadBudgetExceeded(self._class_name)


UNLIMITED = ReadLimiter(None, "")


def approximate_bytes(items: Sequence[Item | None]) -> int:
    """Return the approximate total size of items, in bytes."""
    text = "".join([item.state or "" for item in items if item is not None])
    return _BYTES_BESIDE_STATE * len(items) + (len(text) if text.isascii() else len(text.encode()))
