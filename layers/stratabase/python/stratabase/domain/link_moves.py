"""What effects do to the roles that objects do not keep themselves: who is led to more, and who no more."""

from collections.abc import Iterator
from typing import NamedTuple

from stratabase.domain.change import Effect, Linking, OnObject, Unlinking
from stratabase.domain.entity import Entity
from stratabase.domain.role_name import RoleName
from stratabase.domain.way import opposite_name
from stratabase.model.attribute import Stored
from stratabase.model.model import Model
from stratabase.model.role import Role


class Move(NamedTuple):
    """An object that a role of an owner leads to, or leads to no more."""

    role: RoleName
    owner: str
    other: str
    begins: bool


def moves(effect: Effect, model: Model) -> Iterator[Move]:
    """Yield what an effect does, as seen from each side that has a role."""
    if isinstance(effect, Linking | Unlinking):
        yield from _of_link(effect, model)
    elif isinstance(effect, OnObject):
        yield from _of_keys(effect, model)


def _of_link(effect: Linking | Unlinking, model: Model) -> Iterator[Move]:
    begins = isinstance(effect, Linking)
    yield Move(effect.role, effect.owner, effect.other, begins)
    opposite = opposite_name(model.classes[effect.role.class_name].roles[effect.role.role_name])
    if opposite is not None:
        yield Move(opposite, effect.other, effect.owner, begins)


def _of_keys(effect: OnObject, model: Model) -> Iterator[Move]:
    """Yield what becomes of the other sides of an object's keys."""
    entity = effect.after or effect.before
    assert entity is not None
    for role in model.classes[entity.reference.class_name].roles.values():
        opposite = opposite_name(role) if role.holds else None
        was, is_ = _key(effect.before, role), _key(effect.after, role)
        if opposite is None or was == is_:
            continue
        for key, begins in ((was, False), (is_, True)):
            if isinstance(key, str):
                yield Move(opposite, key, entity.reference.id, begins)


def _key(entity: Entity | None, role: Role) -> Stored:
    return None if entity is None else entity.state.get(role.name)
