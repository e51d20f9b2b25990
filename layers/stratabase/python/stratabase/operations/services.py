"""What every operation works on: the model, and the ports."""

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field

from stratabase.domain.objects.lock import LONGEST_LOCK_MINUTES
from stratabase.domain.query.consumption import Measuring
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.write.limits import BulkLimits
from stratabase.domain.write.warning_rules import WarningRules
from stratabase.model.model import Class, Model
from stratabase.operations.ports import Clock, Entities, Ids


@dataclass(frozen=True, slots=True)
class Services:
    """The model, the stored objects, the clock, the source of ids, and of what a request may read."""

    model: Model
    entities: Entities
    clock: Clock
    ids: Ids
    new_budget: Callable[[], ReadBudget]
    """Makes what one request may read; its time begins at once."""
    measuring: Measuring = field(default=lambda _: nullcontext())
    """Measures what is asked of the storage; without it, nothing is noted."""
    bulk: BulkLimits = field(default_factory=BulkLimits)
    """How much one bulk service may do."""
    lock_minutes: int = LONGEST_LOCK_MINUTES
    """For how many minutes an object may be locked at most."""
    warning_rules: WarningRules = field(init=False)
    """What writes are warned of."""

    def __post_init__(self) -> None:
        """Find out once what every creation asks."""
        object.__setattr__(self, "warning_rules", WarningRules(self.model))

    def class_(self, name: str) -> Class:
        """Return a class of the model."""
        return self.model.classes[name]
