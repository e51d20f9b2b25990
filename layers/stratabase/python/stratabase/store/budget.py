"""How much one page may read: past it, a refusal says what would make the page cheap."""

import time
from collections.abc import Callable, Sequence

from stratabase.domain.refusal import TooMuchRead
from stratabase.store.engine import Item

MOST_BYTES = 20 * 1024 * 1024
MOST_SECONDS = 10.0
_BESIDE_STATE = 200
"""What an item weighs in bytes without its state, more or less."""


class Budget:
    """What may still be read for one page. `refusal` makes what is raised when it is used up."""

    def __init__(
        self,
        refusal: Callable[[int], TooMuchRead] | None = None,
        *,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._refusal = refusal
        self._left = most_bytes
        self._clock = clock
        self._end = clock() + MOST_SECONDS
        self.items = 0
        """How many items were read."""

    def spend(self, items: Sequence[Item]) -> Sequence[Item]:
        """Return what was read, if the budget allows for it. Raises TooMuchRead."""
        self.items += len(items)
        self._left -= sum(len(item.state or "") + _BESIDE_STATE for item in items)
        if self._refusal is not None and (self._left < 0 or self._clock() > self._end):
            raise self._refusal(self.items)
        return items
