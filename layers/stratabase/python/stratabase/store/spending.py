"""What several reads at the same time take from a request's allowance."""

from collections.abc import Sequence
from threading import Lock

from stratabase.domain.allowance import Allowance
from stratabase.domain.refusal import TooMuchRead
from stratabase.store.budget import weight
from stratabase.store.engine import Item


class Spending:
    """An allowance that several draw from at the same time."""

    def __init__(self, allowance: Allowance | None, class_name: str) -> None:
        self._allowance = allowance
        self._class_name = class_name
        self._door = Lock()

    def check(self) -> None:
        """Raise TooMuchRead when nothing is left."""
        if self._allowance is not None and self._allowance.is_used_up:
            raise TooMuchRead(self._class_name)

    def take(self, items: Sequence[Item | None]) -> None:
        """Note what was read."""
        if self._allowance is not None:
            with self._door:
                self._allowance.take(weight(items))


FREELY = Spending(None, "")
"""Without an allowance."""
