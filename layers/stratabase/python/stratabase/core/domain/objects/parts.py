"""The parts of an object, whose IDs the object stores, and the whole of a part."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.core.domain.objects.entity import Entity, Reference, State
from stratabase.core.model.model import Class, Role
from stratabase.core.model.types.base import Stored


def parts_of(class_: Class, entity: Entity) -> Iterator[Reference]:
    """Yield the references of an object's parts, role by role."""
    for role in class_.compositions:
        yield from (Reference(role.target, id_) for id_ in part_ids(entity.state.get(role.name)))


def part_ids(value: Stored) -> list[str]:
    """Return the IDs in the stored value of a composition, which is a list, one ID, or null."""
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, str) else []


class WholeReference(NamedTuple):
    """A part's reference to its whole.

    `role` is the role of the part, `reference` the whole, `composition` the role of the whole that lists
    parts.
    """

    role: str
    reference: Reference
    composition: str


def whole_of(class_: Class, state: State) -> WholeReference | None:
    """Return the reference to an object's whole, by the object's state; None if the object is not a part."""
    if not class_.part:
        return None
    for role in class_.roles.values():
        id_ = state.get(role.name) if role.whole else None
        if id_ is not None:
            return WholeReference(role.name, Reference(role.target, str(id_)), str(role.opposite))
    return None


_MAX_UNINDEXED = 50
"""The length up to which a list is searched without an index."""


class ListedParts:
    """The test of whether a whole lists a part.

    Many parts share a whole, so each long list becomes a set once.
    """

    def __init__(self) -> None:
        self._indexed: dict[tuple[Reference, str], tuple[list[str], frozenset[str]]] = {}

    def has(self, whole: Entity, composition: str, id_: str) -> bool:
        """Return whether a whole lists a part in a composition."""
        value = whole.state.get(composition)
        if not isinstance(value, list):
            return value == id_
        if len(value) <= _MAX_UNINDEXED:
            return id_ in value
        key = (whole.reference, composition)
        indexed = self._indexed.get(key)
        # The same whole may come in another state, with another list: compare by identity, which is cheap.
        if indexed is None or indexed[0] is not value:
            indexed = self._indexed[key] = (value, frozenset(value))
        return id_ in indexed[1]


def whole_roles(class_: Class) -> Iterator[Role]:
    """Yield the roles of a part that lead to its whole. Each object has a value in exactly one of them."""
    return (role for role in class_.roles.values() if role.whole)
