"""What every operation works on: the model, and the ports."""

from dataclasses import dataclass

from stratabase.model.class_ import Class
from stratabase.model.model import Model
from stratabase.operations.ports import Clock, Entities, Ids


@dataclass(frozen=True, slots=True)
class World:
    """The model, the stored objects, the clock and the source of ids."""

    model: Model
    entities: Entities
    clock: Clock
    ids: Ids

    def class_(self, name: str) -> Class:
        """Return a class of the model."""
        return self.model.classes[name]
