"""What reading a page costs its request: past the allowance, a refusal says what would make it cheap."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from stratabase.domain.allowance import Allowance
from stratabase.domain.derived_query import Derive
from stratabase.domain.objects.entity import Entity
from stratabase.domain.refusal import TooMuchRead
from stratabase.store.engine import Item

Read = TypeVar("Read", Item, Item | None)

_BESIDE_STATE = 200
"""What an item weighs in bytes without its state, more or less; looking where there is none costs as much."""


class Budget:
    """What may still be read for one page. `refusal` makes what is raised when it is used up."""

    def __init__(self, allowance: Allowance, refusal: Callable[["Budget"], TooMuchRead]) -> None:
        self._allowance = allowance
        self._refusal = refusal
        self.shared = allowance.taken > 0
        """Whether the request has read other things before."""
        self.items = 0
        """How many items were read."""

    def check(self) -> None:
        """Raise TooMuchRead when nothing is left."""
        if self._allowance.is_used_up:
            raise self._refusal(self)

    def over(self, derive: Derive | None) -> Derive | None:
        """Return what computes derived values, and refuses the page when it reads too much for them."""
        return None if derive is None else partial(self._derived, derive)

    def _derived(self, derive: Derive, entities: Sequence[Entity]) -> Sequence[Entity]:
        with suppress(TooMuchRead):
            return derive(entities)
        raise self._refusal(self)

    def spend(self, items: Sequence[Read]) -> Sequence[Read]:
        """Return what was read, if the allowance admits it. Raises TooMuchRead."""
        self.items += len(items)
        self._allowance.take(weight(items))
        self.check()
        return items


def weight(items: Sequence[Item | None]) -> int:
    """Return what items weigh in bytes, more or less."""
    size = _BESIDE_STATE * len(items)
    for item in items:  # a loop, since every get comes by
        if item is not None and (text := item.state):
            size += len(text) if text.isascii() else len(text.encode())
    return size
