"""The parts of an object, whose ids it keeps."""

from collections.abc import Iterator

from stratabase.domain.entity import Entity, Reference
from stratabase.model.attribute import Stored
from stratabase.model.class_ import Class


def parts_of(class_: Class, entity: Entity) -> Iterator[Reference]:
    """Yield the parts of an object of a class, role by role."""
    for role in class_.roles.values():
        if role.composition:
            yield from (Reference(role.target, id_) for id_ in ids_in(entity.state.get(role.name)))


def ids_in(value: Stored) -> list[str]:
    """Return the ids of parts: a composition keeps a list, or one, or none."""
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, str) else []
