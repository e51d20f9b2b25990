"""What is asked of the objects of a class before a caller sees them, and what is taken out of these."""

from dataclasses import replace
from typing import NamedTuple

from stratabase.domain.access.grants import Access
from stratabase.domain.attributes import is_derived
from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.parts import owner_roles
from stratabase.expressions.expression import Expression
from stratabase.model.model import Action, Class
from stratabase.model.types.storage import Stored
from stratabase.operations.seeing.withheld import WITHHELD


class Sight(NamedTuple):
    """How objects of a class are seen."""

    is_open: bool
    """Some can be seen at all."""
    where: Expression | None
    """What holds for those that can be seen."""
    hidden: frozenset[str]
    """Attributes and compositions that can be read of none."""
    narrowed: tuple[tuple[str, Expression], ...]
    """Attributes and roles with what holds for the objects of which they can be read."""
    derived: frozenset[str]
    """Those of these that no state keeps."""
    by_wholes: bool
    """Their wholes have to be seen, and perhaps are not."""
    is_plain: bool
    """Which can be seen is told by what they keep themselves."""

    @property
    def conditions(self) -> list[Expression]:
        """Everything that is asked."""
        own = [] if self.where is None else [self.where]
        return own + [condition for _, condition in self.narrowed]

    @property
    def is_clear(self) -> bool:
        """Whether every object is seen as it is."""
        return self.is_open and not self.hidden and not self.conditions and not self.by_wholes

    def through(self, entity: Entity, values: tuple[object, ...]) -> Entity | None:
        """Return what is seen of an object for which its conditions give these values; None for nothing."""
        if not self.is_open or (self.where is not None and values[0] is not True):
            return None
        held = values[len(values) - len(self.narrowed) :]
        gone = {name for (name, _), value in zip(self.narrowed, held, strict=True) if value is not True}
        return self.less(entity, self.hidden | gone)

    def less(self, entity: Entity, names: frozenset[str]) -> Entity:
        """Return an object without what it keeps of some names, noting what is not to be derived of it."""
        noted = entity.state.get(WITHHELD)
        withheld = sorted({*(noted if isinstance(noted, list) else ()), *names} & self.derived)
        if not withheld and names.isdisjoint(entity.state):
            return entity
        state: dict[str, Stored] = {name: each for name, each in entity.state.items() if name not in names}
        return with_state(entity, state | {WITHHELD: withheld} if withheld else state)


def sight_of(access: Access, class_: Class) -> Sight:
    """Return how a profile sees the objects of a class."""
    members = {
        name: access.member_permission(class_.name, name) for name in (*class_.attributes, *class_.roles)
    }
    narrower = {name: allowed for name, allowed in members.items() if allowed is not None}
    where = access.class_permission(class_.name).where
    return Sight(
        access.may_read_class(class_.name),
        where,
        frozenset(
            name
            for name, allowed in narrower.items()
            if Action.READ not in allowed.actions and _is_taken_out(class_, name)
        ),
        tuple(
            (name, allowed.where)
            for name, allowed in narrower.items()
            if Action.READ in allowed.actions and allowed.where is not None
        ),
        frozenset(name for name in narrower if is_derived(class_, name)),
        by_wholes := not access.sees_every_object(class_.name) and any(owner_roles(class_)),
        not by_wholes and (where is None or _is_kept(class_, where)),
    )


def _is_kept(class_: Class, where: Expression) -> bool:
    """Return whether a condition looks at nothing but what an object keeps."""
    return all(path[0] not in class_.roles and not is_derived(class_, path[0]) for path in where.paths)


def _is_taken_out(class_: Class, name: str) -> bool:
    """Return whether a state can be without it; not without a key, by which the other side knows it."""
    role = class_.roles.get(name)
    return role is None or role.composition


def with_state(entity: Entity, state: dict[str, Stored]) -> Entity:
    """Return an object with another state."""
    return replace(entity, state=state)
