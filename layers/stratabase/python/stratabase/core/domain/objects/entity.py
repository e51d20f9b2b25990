"""An object at one moment: its class and ID, its state, and the versions and commits around it.

The model says where the associations of a role are stored: in states, or as links. The state of an object has
the IDs of its parts, and the ID of the object that it is a part of, its whole.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import Any, NamedTuple, overload

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.model.attribute import KEPT
from stratabase.core.model.model import Class, ClassKind, Model, Role
from stratabase.core.model.types.base import Stored
from stratabase.values.formats.invalid_value import describe_value
from stratabase.values.frozen import frozen


class RoleName(NamedTuple):
    """The identity of a role: its class and its name there, such as `RoleName("Team", "members")`."""

    class_name: str
    role_name: str

    def __str__(self) -> str:
        return f"{self.class_name}.{self.role_name}"


State = Mapping[str, Stored]
"""The stored values of an object by attribute name, including `_id`. An absent value is null.

The state also contains the roles that the object itself stores: the ID of the target of a key, the ID of a
part, or a list of IDs of parts in the order of their creation. A part contains the ID of its whole. The state
of a versioned class also contains `_versionStart` and `_versionEnd`.
"""


class Reference(NamedTuple):
    """The identity of an object: its class and its ID."""

    class_name: str
    id: str


class Moment(NamedTuple):
    """An object and an instant, to name the state of the object at that instant."""

    reference: Reference
    at: Instant


def differ(one: State, other: State, names: Iterable[str]) -> bool:
    """Return whether two states have or keep different values of any of these attributes and roles.

    It may also be true if they keep different values of others, which is rare.
    """
    for name in names:  # every update passes here several times, and a loop is faster than `any`
        if one.get(name) != other.get(name):
            return True
    return one.get(KEPT) != other.get(KEPT)


def describe_object(reference: Reference) -> str:
    """Return an object's name for messages in any language: `Team "t7"`."""
    return f"{reference.class_name} {describe_value(reference.id)}"


@frozen
class Entity:
    """An object as it was read, or as a write leaves it.

    `commit_ids` has the last commits that wrote it, the newest last, if the object was read by key.
    """

    reference: Reference
    state: State
    commit_ids: tuple[str, ...] = ()
    counts: Mapping[RoleName, int] = field(default_factory=dict, compare=False)
    """The number of associations by required role, known if the object was read by key.

    For a to-one role of other objects: how many of them refer to this object. For a to-many role of this
    object: how many objects it refers to. Other writes change these counts without writing the rest of the
    object.
    """
    linked: str | None = field(default=None, compare=False)
    """The ID of the last commit that added a link to or from this object, known if it was read by key.

    A deletion expects this ID unchanged, so that it misses no link that is created meanwhile.
    """
    start: Instant | None = field(default=None, compare=False)
    """The instant at which the object entered this state; None if unknown."""
    end: Instant | None = field(default=None, compare=False)
    """The instant at which this state ended; None if it is the present state."""
    previous: Instant | None = field(default=None, compare=False)
    """The start of the last version that ended before this one began; None if there is none."""
    lock: Lock | None = field(default=None, compare=False)
    """The lock, known if the object was read by key. It may have ended. A page need not contain it."""
    part_lock: str | None = field(default=None, compare=False)
    """The ID of the last commit that locked a part at any depth, known if the object was read by key.

    A deletion that deletes parts later expects this ID unchanged, so that it respects locks that begin
    meanwhile.
    """
    claimed: str | None = field(default=None, compare=False)
    """The ID of the last commit that claimed this object, known if it was read by key.

    A commit that claims it too expects this ID unchanged, because the conditions of rules may have changed.
    """
    seen: Mapping[str, Any] | None = field(default=None, compare=False)
    """What the store has read besides the state, for its own use. None if the object was not read by key."""


class UnmadeEntities(Sequence[Entity]):
    """Objects of one class that were read. They are made when one is used: many pages need only states."""

    __slots__ = ("_made", "_make", "class_name", "states")

    def __init__(
        self, class_name: str, states: Sequence[State], make: Callable[[], Sequence[Entity]]
    ) -> None:
        """`make`: returns the objects with these states."""
        self.class_name = class_name
        self.states = states
        self._make = make
        self._made: Sequence[Entity] | None = None

    def __len__(self) -> int:
        return len(self.states)

    @overload
    def __getitem__(self, index: int) -> Entity: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Entity]: ...
    def __getitem__(self, index: int | slice) -> Entity | Sequence[Entity]:
        return self._all()[index]

    def __iter__(self) -> Iterator[Entity]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]

    def _all(self) -> Sequence[Entity]:
        # They are made once, because what is computed for an object is found by its identity.
        if self._made is None:
            self._made = self._make()
        return self._made


def states_of(entities: Sequence[Entity]) -> Sequence[State]:
    """Return the states of objects."""
    return entities.states if isinstance(entities, UnmadeEntities) else [each.state for each in entities]


_MAX_ID_LENGTH = 255
"""Characters. The IDs that the service generates are far shorter."""


def normalize_reference(reference: Reference) -> Reference:
    """Return a reference that every store can look up.

    A client may send an ID that no store accepts as a key. The result then has an ID that no object has
    either.
    """
    id_ = reference.id
    if id_.isascii() and len(id_) <= _MAX_ID_LENGTH:
        return reference
    return Reference(reference.class_name, id_.encode("utf-8", "replace").decode()[:_MAX_ID_LENGTH])


SINGLETON_ID = "1"


def singleton_reference(class_: Class) -> Reference:
    """Return the reference of the only object of a singleton class."""
    return Reference(class_.name, SINGLETON_ID)


def is_unwritten(class_: Class, entity: Entity) -> bool:
    """Return whether an object is a singleton that has never been written."""
    return class_.kind is ClassKind.SINGLETON and not entity.commit_ids


class SerialName(NamedTuple):
    """The identity of a numbering: a class and its Serial attribute, as `SerialName("Employee", "badge")`."""

    class_name: str
    attribute: str


class RoleStorage(Enum):
    """Where a role's associations are stored: in keys, in links of their own, or in lists of parts."""

    OWN_KEY = "the object holds the id of the other"
    OPPOSITE_KEY = "the other, of which there is one, holds the object's id"
    OPPOSITE_KEYS = "the others hold the object's id"
    LINKS = "links are kept on their own"
    PARTS = "the object holds the ids of its parts"
    WHOLE = "the part holds the id of its whole"
    RECORDED_MEMBER = "the object holds the member's id beside the member's name"


def storage_of(model: Model, role: Role) -> RoleStorage:
    """Return where the associations of a role are stored."""
    if role.recorded_in is not None:
        return RoleStorage.RECORDED_MEMBER
    if role.composition or role.whole:
        return RoleStorage.PARTS if role.composition else RoleStorage.WHOLE
    if not role.many:
        return RoleStorage.OWN_KEY if role.holds_key else RoleStorage.OPPOSITE_KEY
    opposite = opposite_of(model, role)
    return RoleStorage.LINKS if opposite is None or opposite.many else RoleStorage.OPPOSITE_KEYS


def opposite_of(model: Model, role: Role) -> Role | None:
    """Return the opposite role, which leads back; None if there is none."""
    return None if role.opposite is None else model.classes[role.target].roles[role.opposite]


def opposite_name(role: Role) -> RoleName | None:
    """Return the name of the opposite role; None if there is none."""
    return None if role.opposite is None else RoleName(role.target, role.opposite)


def is_one_to_one(model: Model, role: Role) -> bool:
    """Return whether an association has two sides that each lead to one object."""
    opposite = opposite_of(model, role)
    return opposite is not None and not role.many and not opposite.many


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
