"""What every operation works on: the model, and the ports."""

from collections.abc import Callable
from dataclasses import dataclass

from stratabase.domain.allowance import Allowance
from stratabase.model.class_ import Class
from stratabase.model.model import Model
from stratabase.operations.ports import Clock, Entities, Ids


@dataclass(frozen=True, slots=True)
class World:
    """The model, the stored objects, the clock, the source of ids, and of what a request may read."""

    model: Model
    entities: Entities
    clock: Clock
    ids: Ids
    allowance: Callable[[], Allowance]
    """Makes what one request may read; its time begins at once."""

    def class_(self, name: str) -> Class:
        """Return a class of the model."""
        return self.model.classes[name]
