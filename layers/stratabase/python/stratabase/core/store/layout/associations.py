"""How the associations of a model are stored.

| association | the store keeps |
|---|---|
| many-to-one | a foreign key in the state of the object on the "many" side, a link at its target |
| one-to-one | a foreign key in the state of one object, a guard at its target |
| many-to-many, or to-many without opposite | links |

Each direction that is not in the state of an object is found by links or guards. A foreign key whose role has
no opposite needs no links, unless the role is required.

Required roles also need counts in heads. A required foreign key is counted at its target, and a required
to-many role at its owner.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from stratabase.core.domain.objects.change import (
    Change,
    Creation,
    Effect,
    Modification,
    ObjectEffect,
    reference_of,
)
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, State
from stratabase.core.model.model import Class, ClassKind, Model, Role


class ForeignKey(NamedTuple):
    """A role that is stored as a foreign key in the state of its objects, and its items at the target."""

    role: RoleName
    target: str
    """The class that the key refers to."""
    opposite: RoleName | None
    link_role: RoleName | None
    """The role of the links at the target, None if there are none.

    It is the opposite if that is to-many. A required key without an opposite has links too, under a made-up
    name, which show which keys are counted.
    """
    exclusive: bool
    """Whether the opposite is to-one. Then the target has a guard, which the object with the key holds."""
    opposite_required: bool
    """Whether the opposite is to-one and required."""
    counted_roles: tuple[RoleName, ...]
    """The roles, among this one and its opposite, for which the head of the target counts the keys.

    These are this role if it is required, and the opposite if it is to-many and required.
    """
    former_role: RoleName | None = None
    """The role of the former links at the target: the opposite, if the key's class is versioned."""

    def target_of(self, entity: Entity | None) -> str | None:
        """Return the id that the key of an object refers to, None if there is none."""
        value = None if entity is None else entity.state.get(self.role.role_name)
        return value if isinstance(value, str) else None


class LinkEnd(NamedTuple):
    """One end of an association that is stored as links."""

    role: RoleName
    """The role at this end. If the model has none, its name is made up."""
    required: bool
    """Whether the role is required, so that heads at this end count their links."""
    has_links: bool
    """Whether objects at this end have links."""
    is_singleton: bool
    """Whether the class at this end is a singleton, whose object always exists."""


LINKED_TRUTH, PARTS, PART = "links", "parts", "part"
"""Where an association itself is kept, if not in keys: links, lists of parts, or the ids of single parts."""

COUNTS, PAST_LINKS = "counts", "past"
"""Kinds of items that are kept beside the links and guards of a role."""


class StoredRole(NamedTuple):
    """How a role is stored, and which items the store keeps for it beside the states of objects."""

    role: RoleName
    target: str
    """The class that the role refers to."""
    key_role: RoleName | None
    """The role that is stored as a foreign key: this role or its opposite. None if there is no key."""
    opposite: str | None
    """The name of the opposite role."""
    storage: str
    """A text that says how the role is stored. If it changes, items may have to be built again.

    - `key`: in the objects, and nothing beside.
    - `links of`: links with this name at the targets of a key. `guards`: one guard for each target.
    - `links to of`: links with these names at both ends, of an association without a key.
    - `parts`, `part`: a list of parts or one part in the whole; `whole of parts`: the key of a part.

    `optional` means that the role is not required, so that no head counts it. `, past` means that former
    links are kept as well.
    """

    @property
    def is_required(self) -> bool:
        """Whether the role is a required association, so that heads count it."""
        return self._kind in {"links", "guards"} and not self.storage.startswith("optional ")

    @property
    def truth(self) -> str:
        """Where the association itself is kept: in a key, in links, or in the state of the whole."""
        if self.key_role is not None:
            return f"key {self.key_role}"
        return self._words[-1] if self._kind in {PARTS, PART, "whole"} else LINKED_TRUTH

    @property
    def items(self) -> frozenset[str]:
        """The kinds of items that are kept beside the states of objects."""
        kinds = {f"links {name}" for name in self._words[1:]} if self._kind == "links" else set[str]()
        kinds |= {"guards"} if self._kind == "guards" else set()
        kinds |= {COUNTS} if self.is_required else set()
        return frozenset(kinds | ({PAST_LINKS} if self.keeps_past else set()))

    @property
    def is_built(self) -> bool:
        """Whether some of the items follow from others, so that older objects may lack them."""
        is_plain = self.truth == LINKED_TRUTH and len(self.items) == 1
        return bool(self.items) and not is_plain

    @property
    def keeps_past(self) -> bool:
        """Whether former links are kept, which tell what the role led to at an instant."""
        return self.storage.endswith(PAST)

    @property
    def opposite_role(self) -> RoleName | None:
        """The opposite role."""
        return None if self.opposite is None else RoleName(self.target, self.opposite)

    @property
    def key_in_state(self) -> RoleName | None:
        """The role whose objects have the id of the other in their state, which `@unique` can name.

        It is the foreign key, or the role of parts to their whole. None if there are links instead.
        """
        if self._kind in {PARTS, PART}:
            return self.opposite_role
        return self.role if self._kind == "whole" else self.key_role

    def covers(self, other: "StoredRole") -> bool:
        """Return whether writes that keep the items of this role also keep all items of another."""
        same = (self.role, self.target, self.truth) == (other.role, other.target, other.truth)
        return same and self.items >= other.items

    @property
    def _words(self) -> list[str]:
        return self.storage.removesuffix(PAST).removeprefix("optional ").split()

    @property
    def _kind(self) -> str:
        return self._words[0]


PAST = ", past"


class LinkAssociation(NamedTuple):
    """An association that is stored as links, as seen from its `near` end."""

    near: LinkEnd
    far: LinkEnd

    @property
    def is_counted(self) -> bool:
        """Whether the heads at one of the ends count their links."""
        return self.near.required or self.far.required

    def reversed(self) -> "LinkAssociation":
        """Return the association as seen from the other end."""
        return LinkAssociation(self.far, self.near)


class LinkedPair(NamedTuple):
    """Two objects that are linked by an association which is stored as links."""

    association: LinkAssociation
    near: str
    """The id of the object at the near end."""
    far: str
    """The id of the object at the far end."""

    def sides(self) -> Iterator[tuple[LinkEnd, Reference, str]]:
        """Yield for both ends: the end, its object, and the id of the other object."""
        near, far = self.association
        yield near, Reference(near.role.class_name, self.near), self.far
        yield far, Reference(far.role.class_name, self.far), self.near

    @property
    def identity(self) -> tuple[RoleName, str, str]:
        """A value that identifies the pair, and is the same from both ends."""
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
        self._exclusive_keys = {
            name: tuple(key for key in keys if key.exclusive) for name, keys in self._foreign_keys.items()
        }
        linked = [association for class_ in stored for association in self._linked(class_)]
        self.by_role = {seen.near.role: seen for each in linked for seen in (each.reversed(), each)}
        """By role: the association that is stored as links, with this role at its near end."""
        self._with_links = _by_class(each for each in self.by_role.values() if each.near.has_links)
        self.required_keys = _required_keys(self._foreign_keys)
        """By class: the required foreign keys that refer to it. An object with references is not deleted."""
        self.counts = self._counts()
        self._stored_roles = {class_.name: tuple(self._roles(class_)) for class_ in stored}
        self.by_name = {one.role: one for roles in self._stored_roles.values() for one in roles}
        """By role: how it is stored."""
        self._classes_with_roles = frozenset(
            class_.name
            for class_ in stored
            if self._foreign_keys[class_.name]
            or class_.name in {*self._with_links, *self.required_keys, *self.counts}
            or class_.compositions
        )

    def affect(self, change: Change) -> bool:
        """Return whether a change may write items of other objects, or depend on them."""
        return any(map(self._affects, change.effects))

    def _affects(self, effect: Effect) -> bool:
        if isinstance(effect, Creation | Modification):
            # Parts come and go by effects of their own. So only foreign keys and counts matter here.
            class_name, after = effect.after.reference.class_name, effect.after.state
            if effect.before is None and self.counts.get(class_name):
                return True
            before: State = {} if effect.before is None else effect.before.state
            for key in self._foreign_keys[class_name]:
                name = key.role.role_name
                if before.get(name) != after.get(name):
                    return True
            return False
        return not isinstance(effect, ObjectEffect) or (
            reference_of(effect).class_name in self._classes_with_roles
        )

    def foreign_keys(self, class_name: str) -> tuple[ForeignKey, ...]:
        """Return the foreign keys of a class."""
        return self._foreign_keys.get(class_name, ())

    def exclusive_keys(self, class_name: str) -> tuple[ForeignKey, ...]:
        """Return the foreign keys of a class whose targets have guards."""
        return self._exclusive_keys.get(class_name, ())

    def link_associations(self, class_name: str) -> tuple[LinkAssociation, ...]:
        """Return the associations for which objects of a class have links. The class is at the near end."""
        return self._with_links.get(class_name, ())

    def counted_roles(self, class_name: str) -> tuple[RoleName, ...]:
        """Return the roles that the heads of a class count."""
        return self.counts.get(class_name, ())

    def stored_roles(self, class_name: str) -> tuple[StoredRole, ...]:
        """Return how the roles of a class are stored."""
        return self._stored_roles.get(class_name, ())

    def foreign_key(self, role: RoleName) -> ForeignKey:
        """Return the foreign key of a role that is stored as one."""
        return next(each for each in self.foreign_keys(role.class_name) if each.role == role)

    def inverse_key(self, role: RoleName) -> ForeignKey | None:
        """Return the foreign key of a role's opposite, None if the opposite is not stored as one."""
        own = self.role(role)
        return next((each for each in self.foreign_keys(own.target) if each.opposite == role), None)

    def pair(self, role: RoleName, owner: str, other: str) -> LinkedPair:
        """Return the pair of two objects that a role links, with the owner at the near end."""
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

    def _roles(self, class_: Class) -> Iterator[StoredRole]:
        for role in class_.roles.values():
            name = RoleName(class_.name, role.name)
            if role.composition:
                yield StoredRole(name, role.target, None, role.opposite, PARTS if role.many else PART)
            elif role.whole:
                listed = self.role(RoleName(role.target, str(role.opposite))).many
                storage = f"whole of {PARTS if listed else PART}"
                yield StoredRole(name, role.target, None, role.opposite, storage)
            elif name in self.by_role:
                yield self._linked_role(name, role)
            else:
                yield self._keyed_role(name, role)

    def _linked_role(self, name: RoleName, role: Role) -> StoredRole:
        near, far = self.by_role[name]
        names = [near.role.role_name, *([far.role.role_name] if far.has_links else [])]
        if role.required:
            return StoredRole(
                name, role.target, None, role.opposite, f"links {near.role.role_name} {far.role.role_name}"
            )
        return StoredRole(name, role.target, None, role.opposite, f"optional links {' '.join(names)}")

    def _keyed_role(self, name: RoleName, role: Role) -> StoredRole:
        key = name if role.holds_key else RoleName(role.target, str(role.opposite))
        if role.holds_key and not role.required:
            return StoredRole(name, role.target, key, role.opposite, "key")
        keyed = self.foreign_key(key)
        kept = "guards" if keyed.link_role is None else f"links {keyed.link_role.role_name}"
        optional = "" if role.required else "optional "
        past = PAST if keyed.former_role == name else ""
        return StoredRole(name, role.target, key, role.opposite, f"{optional}{kept}{past}")

    def _linked(self, class_: Class) -> Iterator[LinkAssociation]:
        """Yield the associations of a class that are stored as links. The class is at the near end."""
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
        # A required role without opposite also has links at its targets: before the deletion of a target,
        # they show which objects need it.
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
    """Return associations, grouped by the class at their near end."""
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
