"""Looking again when what was read does not fit together: a commit may show one item before another."""

from stratabase import waiting
from stratabase.domain.refusal import Unavailable

_MOST = 10
_FIRST_PAUSE = 0.002
"""Seconds; each pause is twice as long as the one before it, so that all take some two seconds."""


class ReadRetry:
    """The looks at something, one after the other."""

    def __init__(self) -> None:
        self._failed = 0

    def wait(self) -> None:
        """Return when it is time for another look. Raises Unavailable when there have been enough."""
        self._failed += 1
        if self._failed == _MOST:
            raise Unavailable("a write to the same object does not come to an end; try again")
        waiting.pause(_FIRST_PAUSE * 2.0**self._failed)

    def reset(self) -> None:
        """Note that one of them was good."""
        self._failed = 0
