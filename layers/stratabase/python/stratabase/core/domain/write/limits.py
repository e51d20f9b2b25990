"""The limits of one write, and of one bulk service, which makes many writes."""

from typing import NamedTuple


class BulkLimits(NamedTuple):
    """The limits of one bulk service. Settings can change them."""

    objects: int
    """The number of objects that one call writes at most."""
    seconds: int
    """The time after which the service stops, and reports how far it has come."""
    requires_condition: bool = True
    """Whether a call is refused if it selects every object without a comparison."""


MAX_OBJECTS_PER_COMMAND = 1000
"""How many objects one command may refer to. So a larger one is refused before it is planned for seconds."""
MAX_OBJECT_BYTES = 350 * 1024
"""The maximum size of an object's state in bytes. DynamoDB limits an item to 400 KB."""
MAX_TEXT_PER_COMMAND = 6 * 1024 * 1024
"""The maximum number of characters in all texts of a command. Only with repetition, a body has so many."""
MAX_PARTS_PER_RESTORATION = 10_000
"""How many parts one restoration may look at, so that it ends while the client waits."""
