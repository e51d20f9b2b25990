"""The dependencies that all operations share: the model, the ports, and the limits."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from sys import maxsize

from stratabase.core import waiting
from stratabase.core.domain.objects.lock import MAX_LOCK_MINUTES
from stratabase.core.domain.query.consumption import Measuring
from stratabase.core.domain.query.read_budget import ReadBudget
from stratabase.core.domain.write.limits import BulkLimits
from stratabase.core.domain.write.warning_rules import WarningRules
from stratabase.core.model.model import Class, Model
from stratabase.core.operations.file_ports import FileStores
from stratabase.core.operations.ports import Clock, EntityRepository, Ids
from stratabase.core.waiting import remaining_seconds

_BULK_SHARE = 0.75
"""The share of the remaining time of a request that a bulk operation can use."""
_UNLIMITED = BulkLimits(objects=maxsize, seconds=maxsize)


@dataclass(frozen=True, slots=True)
class Services:
    """The model, the store, the clock, the source of ids, and the limits that all operations share."""

    model: Model
    entities: EntityRepository
    """The repository of the objects."""
    clock: Clock
    ids: Ids
    new_budget: Callable[[], ReadBudget]
    """Makes the read budget of one request. Its time starts at once."""
    measuring: Measuring = field(default=lambda _: nullcontext())
    """A context manager that measures calls to the storage. The default measures nothing."""
    bulk: BulkLimits = _UNLIMITED
    """The limits of one bulk operation. The default has none; those of an instance are settings."""
    lock_minutes: int = MAX_LOCK_MINUTES
    """The longest lock, in minutes."""
    files: FileStores | None = None
    """The stores of files. Without them, no file is pending."""
    pause: Callable[[float], None] = waiting.pause
    """Waits for some seconds between two rounds of a write."""
    warning_rules: WarningRules = field(init=False)
    """The warnings of the model, prepared for writes."""

    def __post_init__(self) -> None:
        """Prepare the warnings once, because every write needs them."""
        object.__setattr__(self, "warning_rules", WarningRules(self.model))

    def bulk_end(self) -> float:
        """Return the instant at which a bulk operation that begins now must stop, in milliseconds.

        It is early enough to finish the object in progress, and to answer, before the deadline.
        """
        return self.clock.now() + 1000 * min(self.bulk.seconds, _BULK_SHARE * remaining_seconds())

    def class_(self, name: str) -> Class:
        """Return the class with a name."""
        return self.model.classes[name]
