"""Why objects cannot be locked, or unlocked."""

from collections.abc import Iterable

from stratabase.domain.entity import Reference
from stratabase.domain.lock import Lock


class Unlockable(Exception):
    """Some are not there, or another has locked them; nothing was written."""

    def __init__(self, held: Iterable[tuple[Reference, Lock]], missing: Iterable[Reference]) -> None:
        self.held = tuple(held)
        """All that were found, with the locks as they were then."""
        self.missing = tuple(missing)
        super().__init__(self.held, self.missing)
