"""How the associations of a model are stored, as seen from each class.

An association is stored as a foreign key in the state of the objects of one class, where one of its roles
leads to one, or else as links on their own. A foreign key may have, at its target, a link (its opposite leads
to many), a guard (it leads to one), and counts (a role is required).
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from stratabase.domain.objects.change import Change, ObjectEffect, reference_of
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.model.model import Class, ClassKind, Model, Role


class ForeignKey(NamedTuple):
    """A role whose key is in the state of its class's objects, and the items that its targets have for it."""

    role: RoleName
    target: str
    """The class that it leads to."""
    opposite: RoleName | None
    link_role: RoleName | None
    """The name of the links at its target: of the opposite, if that leads to many.

    A required key without opposite has links as well, so that it is known which keys are counted.
    """
    exclusive: bool
    """The opposite leads to one: the target has a guard, held by the only object whose key leads there."""
    opposite_required: bool
    """The opposite leads to one, and is required."""
    counted_roles: tuple[RoleName, ...]
    """Those of this role and its opposite that are required: the target counts the keys for each."""
    former_role: RoleName | None = None
    """The name of the former links at its target, if its class is versioned: the opposite."""

    def target_of(self, entity: Entity | None) -> str | None:
        """Return the id that an object's key leads to, None without one."""
        value = None if entity is None else entity.state.get(self.role.role_name)
        return value if isinstance(value, str) else None


class LinkEnd(NamedTuple):
    """One end of an association that is stored as links."""

    role: RoleName
    """Its class, and the name of its links, which is made up where the model has no role at this end."""
    required: bool
    """Its objects count their links."""
    has_links: bool
    """Its objects have links."""
    is_singleton: bool
    """Its class has exactly one object, which always exists."""


class RequiredRoleStorage(NamedTuple):
    """A required role, and what the store keeps so that nobody empties it."""

    role: RoleName
    target: str
    """The class that it leads to."""
    key_role: RoleName | None
    """The role with the foreign key: itself, or its opposite. None if it is stored as links."""
    opposite: str | None
    """The name of the role that leads back."""
    storage: str
    """Which items are kept. The text differs whenever these must be built anew."""


class LinkAssociation(NamedTuple):
    """An association that is stored as links, as seen from its `near` end."""

    near: LinkEnd
    far: LinkEnd

    @property
    def is_counted(self) -> bool:
        """Whether an end counts its links."""
        return self.near.required or self.far.required

    def reversed(self) -> "LinkAssociation":
        """Return it as seen from the other end."""
        return LinkAssociation(self.far, self.near)


class LinkedPair(NamedTuple):
    """Two objects that links join, as seen from one of them, by their ids."""

    association: LinkAssociation
    near: str
    far: str

    def sides(self) -> Iterator[tuple[LinkEnd, Reference, str]]:
        """Yield each end, the object there, and the id of the other one."""
        near, far = self.association
        yield near, Reference(near.role.class_name, self.near), self.far
        yield far, Reference(far.role.class_name, self.far), self.near

    @property
    def identity(self) -> tuple[RoleName, str, str]:
        """A value that is the same from both ends."""
        near, far = self.association
        if near.role <= far.role:
            return near.role, self.near, self.far
        return far.role, self.far, self.near


class Associations:
    """The associations of a model's stored classes."""

    def __init__(self, model: Model) -> None:
        self._model = model
        stored = [class_ for class_ in model.classes.values() if class_.is_stored]
        self._foreign_keys = {class_.name: tuple(self._keys(class_)) for class_ in stored}
        linked = [association for class_ in stored for association in self._linked(class_)]
        self.by_role = {seen.near.role: seen for each in linked for seen in (each.reversed(), each)}
        """The associations that are stored as links, by the role at their near end."""
        self._with_links = _by_class(each for each in self.by_role.values() if each.near.has_links)
        self.required_keys = _required_keys(self._foreign_keys)
        """By class: the required foreign keys that lead to its objects; while one does, none is deleted."""
        self.counts = self._counts()
        self._requirements = {class_.name: tuple(self._required(class_)) for class_ in stored}
        self._classes_with_roles = frozenset(
            class_.name
            for class_ in stored
            if self._foreign_keys[class_.name]
            or class_.name in {*self._with_links, *self.required_keys, *self.counts}
            or class_.compositions
        )

    def affect(self, change: Change) -> bool:
        """Return whether a change writes more than its own objects, or depends on more."""
        return any(
            not isinstance(effect, ObjectEffect)
            or reference_of(effect).class_name in self._classes_with_roles
            for effect in change.effects
        )

    def foreign_keys(self, class_name: str) -> tuple[ForeignKey, ...]:
        """Return the foreign keys of a class."""
        return self._foreign_keys.get(class_name, ())

    def link_associations(self, class_name: str) -> tuple[LinkAssociation, ...]:
        """Return the associations for which objects of a class have links, as seen from these."""
        return self._with_links.get(class_name, ())

    def counted_roles(self, class_name: str) -> tuple[RoleName, ...]:
        """Return the roles that the heads of a class count."""
        return self.counts.get(class_name, ())

    def requirements(self, class_name: str) -> tuple[RequiredRoleStorage, ...]:
        """Return the required roles of a class for which the store keeps items: all but those to parts."""
        return self._requirements.get(class_name, ())

    def foreign_key(self, role: RoleName) -> ForeignKey:
        """Return the foreign key of a role."""
        return next(each for each in self.foreign_keys(role.class_name) if each.role == role)

    def inverse_key(self, role: RoleName) -> ForeignKey | None:
        """Return the foreign key of a role's opposite; None if the role is stored otherwise."""
        own = self.role(role)
        return next((each for each in self.foreign_keys(own.target) if each.opposite == role), None)

    def pair(self, role: RoleName, owner: str, other: str) -> LinkedPair:
        """Return the pair of two objects that a role links, as seen from its owner."""
        return LinkedPair(self.by_role[role], owner, other)

    def role(self, name: RoleName) -> Role:
        """Return a role of the model."""
        return self._model.classes[name.class_name].roles[name.role_name]

    def _keys(self, class_: Class) -> Iterator[ForeignKey]:
        return (self._key(class_, role) for role in class_.foreign_keys)

    def _key(self, class_: Class, role: Role) -> ForeignKey:
        name = RoleName(class_.name, role.name)
        back = None if role.opposite is None else RoleName(role.target, role.opposite)
        opposite = None if back is None else self.role(back)
        exclusive = opposite is not None and not opposite.many
        listed = opposite is not None and opposite.many and opposite.required
        return ForeignKey(
            name,
            role.target,
            back,
            link_role=_link_role(name, role, opposite),
            exclusive=exclusive,
            opposite_required=exclusive and opposite is not None and opposite.required,
            counted_roles=(
                *((name,) if role.required else ()),
                *((back,) if back is not None and listed else ()),
            ),
            former_role=back if class_.versioned else None,
        )

    def _required(self, class_: Class) -> Iterator[RequiredRoleStorage]:
        for role in class_.roles.values():
            if not role.required or role.composition or role.whole:
                continue
            name = RoleName(class_.name, role.name)
            if name in self.by_role:
                near, far = self.by_role[name]
                kept = f"links {near.role.role_name} {far.role.role_name}"
                yield RequiredRoleStorage(name, role.target, None, role.opposite, kept)
                continue
            key = name if role.holds_key else RoleName(role.target, str(role.opposite))
            keyed = self.foreign_key(key)
            kept = "guards" if keyed.link_role is None else f"links {keyed.link_role.role_name}"
            yield RequiredRoleStorage(name, role.target, key, role.opposite, kept)

    def _linked(self, class_: Class) -> Iterator[LinkAssociation]:
        """Yield the associations of a class that are stored as links, as seen from its roles."""
        for role in class_.roles.values():
            if role.many and not role.composition:
                back = None if role.opposite is None else RoleName(role.target, role.opposite)
                if back is None or self.role(back).many:
                    yield self._link_association(class_, role, back)

    def _link_association(self, class_: Class, role: Role, back: RoleName | None) -> LinkAssociation:
        name = RoleName(class_.name, role.name)
        near = LinkEnd(name, role.required, has_links=True, is_singleton=class_.kind is ClassKind.SINGLETON)
        if back is not None:
            return LinkAssociation(
                near, LinkEnd(back, self.role(back).required, has_links=True, is_singleton=False)
            )
        # A required role without opposite has links at its targets too: a deletion must find who leads there.
        return LinkAssociation(
            near,
            LinkEnd(
                RoleName(role.target, str(name)), required=False, has_links=role.required, is_singleton=False
            ),
        )

    def _counts(self) -> Mapping[str, tuple[RoleName, ...]]:
        found: dict[str, dict[RoleName, None]] = {}
        for each in chain.from_iterable(self._foreign_keys.values()):
            found.setdefault(each.target, {}).update(dict.fromkeys(each.counted_roles))
        for ends in self.by_role.values():
            if ends.near.required:
                found.setdefault(ends.near.role.class_name, {})[ends.near.role] = None
        return {class_name: tuple(names) for class_name, names in found.items()}


def _link_role(name: RoleName, role: Role, opposite: Role | None) -> RoleName | None:
    if opposite is None:
        return RoleName(role.target, str(name)) if role.required else None
    return RoleName(role.target, opposite.name) if opposite.many else None


def _by_class(all_ends: Iterable[LinkAssociation]) -> Mapping[str, tuple[LinkAssociation, ...]]:
    """Return associations by the class at their near end."""
    found: dict[str, list[LinkAssociation]] = {}
    for ends in all_ends:
        found.setdefault(ends.near.role.class_name, []).append(ends)
    return {class_name: tuple(each) for class_name, each in found.items()}


def _required_keys(foreign_keys: Mapping[str, Iterable[ForeignKey]]) -> Mapping[str, frozenset[RoleName]]:
    found: dict[str, set[RoleName]] = {}
    for each in chain.from_iterable(foreign_keys.values()):
        if each.role in each.counted_roles:
            found.setdefault(each.target, set()).add(each.role)
    return {class_name: frozenset(roles) for class_name, roles in found.items()}
