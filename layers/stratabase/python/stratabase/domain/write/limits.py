"""How much one write, or one bulk service, may do."""

from typing import NamedTuple


class BulkLimits(NamedTuple):
    """The limits of one bulk service."""

    objects: int
    seconds: int
    """After which it ends, and says how far it has come."""


MOST_OBJECTS = 1000
"""Of which one command may speak, so that none takes long before it is refused for what the store can do."""
MOST_RESTORED = 10_000
"""Parts that one restoration looks at, so that it is done while somebody waits."""
