"""The parts of an object, whose ids it keeps; and the whole of a part."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.model.model import Class, Role
from stratabase.model.types.storage import Stored


def parts_of(class_: Class, entity: Entity) -> Iterator[Reference]:
    """Yield the parts of an object of a class, role by role."""
    for role in class_.compositions:
        yield from (Reference(role.target, id_) for id_ in part_ids(entity.state.get(role.name)))


def part_ids(value: Stored) -> list[str]:
    """Return the ids of parts: a composition keeps a list, or one, or none."""
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, str) else []


class WholeReference(NamedTuple):
    """The way from a part to its whole: by which role of the part, and the composition that leads back."""

    role: str
    reference: Reference
    composition: str


def whole_of(class_: Class, state: State) -> WholeReference | None:
    """Return the whole that an object of a class is a part of by its state; None for what is no part."""
    if not class_.part:
        return None
    for role in class_.roles.values():
        id_ = state.get(role.name) if role.whole else None
        if id_ is not None:
            return WholeReference(role.name, Reference(role.target, str(id_)), str(role.opposite))
    return None


_FEW = 50
"""Ids among which one is looked for without an index."""


class ListedParts:
    """Tells whether wholes list parts. Long lists are indexed once, since many parts share a whole."""

    def __init__(self) -> None:
        self._indexed: dict[tuple[Reference, str], tuple[list[str], frozenset[str]]] = {}

    def has(self, whole: Entity, composition: str, id_: str) -> bool:
        """Return whether an object lists a part in a composition."""
        value = whole.state.get(composition)
        if not isinstance(value, list):
            return value == id_
        if len(value) <= _FEW:
            return id_ in value
        key = (whole.reference, composition)
        indexed = self._indexed.get(key)
        if indexed is None or indexed[0] is not value:
            indexed = self._indexed[key] = (value, frozenset(value))
        return id_ in indexed[1]


def whole_roles(class_: Class) -> Iterator[Role]:
    """Yield the roles of a part that lead back to its whole, of which each object has one."""
    return (role for role in class_.roles.values() if role.whole)
