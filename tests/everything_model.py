"""The model that uses every feature, and objects of it."""

from pathlib import Path

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName
from stratabase.core.model.reading import read_model_file
from stratabase.core.model.types.base import Stored
from tests.fakes import DictEntities

FILE = Path(__file__).parent / "core/schema/models/everything.graphql"
EVERYTHING = read_model_file(FILE)


class EverythingObjects(DictEntities):
    """Objects of the everything model, stored without validation."""

    def __init__(self) -> None:
        super().__init__(EVERYTHING)

    def put(self, class_name: str, id_: str, /, **state: Stored) -> Entity:
        """Store an object."""
        entity = Entity(Reference(class_name, id_), {**state, "_id": id_})
        self.objects[entity.reference] = entity
        return entity

    def link(self, class_name: str, role: str, owner: str, *others: str) -> None:
        """Link an object to others by a role without a key. The targets need not exist."""
        for other in others:
            self.graph.link(EVERYTHING, RoleName(class_name, role), owner, other)
