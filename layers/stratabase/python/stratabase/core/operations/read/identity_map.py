"""The identity map: each object that was read by key, and each link that was followed, once.

A `RoleLoader` is a role of some objects, with what is loaded at its other end.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import repeat
from typing import Any

from stratabase.core.domain.access.visibility import key_despite_grants
from stratabase.core.domain.objects.entity import (
    Entity,
    ListedParts,
    Reference,
    RoleName,
    RoleStorage,
    State,
    UnmadeEntities,
    WholeReference,
    storage_of,
    whole_of,
)
from stratabase.core.domain.query.fetch import Render, render_stored
from stratabase.core.domain.query.page import ALL_IDS, IdRange
from stratabase.core.model.member_names import member_key
from stratabase.core.model.model import Class, Role
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.as_of import AsOf
from stratabase.core.operations.read.batched_reads import BatchedRead
from stratabase.core.operations.read.pending import PendingWrite
from stratabase.values.cel.environment import EvaluationContext

_SHOWN_OBJECT = 200
"""Bytes to charge each time that the answer shows an object, roughly its size."""


class IdentityMap:
    """The loaded objects, regardless of grants: now, as of an instant, or as a pending write leaves them.

    A part exists only while its whole exists and lists it. A part that its whole does not list is either left
    over from a change, and waits for cleanup, or belongs to a restoration that is not finished.

    Objects of pages are not added: the index of a page may lag behind, and roles must be exact.

    Methods that load keep what they read, methods that fetch do not, and those that find only look here.
    """

    def __init__(
        self,
        read_context: ReadContext,
        as_of: AsOf | None = None,
        pending: PendingWrite | None = None,
        render: Render = render_stored,
    ) -> None:
        """`as_of` is None for the present. `render` returns what answers and expressions see of an object."""
        self.model = read_context.model
        self.budget = read_context.budget
        self.render = render
        self.as_of = as_of
        self._read_context = read_context
        self._entities = read_context.entities
        self._pending = pending
        # The objects that the write changes are known from the start, and so never read from the store.
        self._objects: dict[Reference, Entity | None] = {} if pending is None else dict(pending.objects)
        self.loaded: Callable[[Reference], Entity | None] = self._objects.get
        """Returns an object as it was loaded, regardless of its wholes. None if it was not."""
        self._links: dict[RoleName, dict[str, tuple[str, ...]]] = defaultdict(dict)
        self._checked_parts: set[str] = set()
        """The classes of parts whose roles to their wholes are where the model expects them."""

    @property
    def evaluation(self) -> EvaluationContext:
        """What expressions can refer to besides objects."""
        return self._read_context.evaluation

    @cached_property
    def _listed(self) -> ListedParts:
        """The test of whether wholes list their parts. Most requests read no parts."""
        return ListedParts()

    def add(self, entities: Iterable[Entity]) -> None:
        """Add objects that were read by key elsewhere."""
        for entity in entities:
            self._objects[entity.reference] = entity

    def __contains__(self, reference: Reference) -> bool:
        """Return whether an object was looked up. Its wholes may still be unknown."""
        return reference in self._objects

    def __getitem__(self, reference: Reference) -> Entity | None:
        """Return an object as it was loaded, or None if it does not exist."""
        return self._objects[reference]

    def find(self, reference: Reference) -> Entity | None:
        """Return an object if it is known to exist. None if it does not, or was not loaded."""
        entity = self._objects.get(reference)
        return None if entity is None or not self.is_attached(entity) else entity

    def is_attached(self, entity: Entity) -> bool:
        """Return whether an object is not a part, or its wholes are loaded, exist, and list it."""
        at = entity
        while (owner := self._owner(at)) is not None:
            whole = self._objects.get(owner.reference)
            if whole is None or not (self._is_closed_part(at, owner) or self.lists(whole, at)):
                return False
            at = whole
        return True

    def _is_closed_part(self, part: Entity, owner: WholeReference) -> bool:
        """Return whether a part is a closed version whose whole has no versions.

        The present list of such a whole says nothing about the past.
        """
        return part.end is not None and not self.model.classes[owner.reference.class_name].versioned

    def lists(self, whole: Entity, part: Entity) -> bool:
        """Return whether a whole lists an object among its parts."""
        owner = self._owner(part)
        return owner is not None and self._listed.has(whole, owner.composition, part.reference.id)

    def owners(self, entities: Iterable[Entity]) -> Iterator[Reference]:
        """Yield the wholes of those objects that are parts. `is_attached` needs them."""
        return (owner.reference for entity in entities if (owner := self._owner(entity)) is not None)

    def not_loaded(self, references: Iterable[Reference]) -> list[Reference]:
        """Return those objects that were not looked up, each once. Their wholes do not matter."""
        found, objects = dict.fromkeys(references), self._objects
        return [reference for reference in found if reference not in objects] if objects else list(found)

    def missing(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what to load next so that `find` can answer: objects and wholes of parts, each once."""
        missing = (self._first_missing(reference) for reference in references)
        return list(dict.fromkeys(reference for reference in missing if reference is not None))

    def _first_missing(self, reference: Reference) -> Reference | None:
        at: Reference | None = reference
        # Follow the wholes of a part as far as they are loaded.
        while at is not None and at in self._objects:
            entity = self._objects[at]
            owner = None if entity is None else self._owner(entity)
            at = None if owner is None else owner.reference
        return at

    def _owner(self, entity: Entity) -> WholeReference | None:
        class_name = entity.reference.class_name
        owner = whole_of(self.model.classes[class_name], entity.state)
        if owner is not None and class_name not in self._checked_parts:
            # If the role is still stored as a former model did, no whole lists its parts yet.
            self.check_role(RoleName(class_name, owner.role))
            self._checked_parts.add(class_name)
        return owner

    def load(self, references: Iterable[Reference]) -> BatchedRead[None]:
        """Load objects. Those that are loaded already stay as they are. Raises ReadBudgetExceeded."""
        unknown = self.not_loaded(references)
        if unknown:
            found = yield from self._fetch_objects(unknown)
            self._objects.update(zip(unknown, found, strict=True))

    def load_with_wholes(self, references: Iterable[Reference]) -> BatchedRead[None]:
        """Load objects and all wholes that they are parts of. Raises ReadBudgetExceeded."""
        references = list(references)
        while missing := self.missing(references):
            yield from self.load(missing)

    def shows_stored_states(self, class_name: str) -> bool:
        """Return whether all objects of a class are shown as their states are."""
        return self.render is render_stored and not self.model.classes[class_name].part

    def attached(self, entities: Sequence[Entity]) -> BatchedRead[Sequence[Entity]]:
        """Return those objects of one class that are not parts, or whose wholes list them.

        Raises ReadBudgetExceeded.
        """
        if not entities or not self.model.classes[_class_name(entities)].part:
            return entities
        yield from self.load_with_wholes(self.owners(entities))
        return [entity for entity in entities if self.is_attached(entity)]

    def check_role(self, role: RoleName) -> None:
        """Raise RoleUnavailable if objects may not have a role in their state."""
        self._entities.check_role(role)

    def load_links(
        self, role: RoleName, ids: Sequence[str], id_range: IdRange
    ) -> BatchedRead[list[Sequence[str]]]:
        """Return, for each owner, the ids in a range that a role leads to. Raises ReadBudgetExceeded.

        Complete lists of ids are kept.
        """
        known = self._links[role]
        unknown = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
        found: dict[str, tuple[str, ...]] = {}
        if unknown:
            found = dict(zip(unknown, (yield from self.fetch_links(role, unknown, id_range)), strict=True))
        # Only a complete list can answer another range later.
        if id_range == ALL_IDS:
            known |= found
        return [found[id_] if id_ in found else id_range.select(known[id_]) for id_ in ids]

    def _fetch_objects(self, references: Sequence[Reference]) -> BatchedRead[Sequence[Entity | None]]:
        """Return objects. Present ones are read at once, only past ones share a batch with other reads."""
        found: Sequence[Entity | None]
        if self.as_of is None:
            found = self._entities.read(references, self.budget)
        else:
            found = yield self.as_of.objects(references)
        return found

    def fetch_links(
        self, role: RoleName, ids: Sequence[str], id_range: IdRange
    ) -> BatchedRead[Sequence[tuple[str, ...]]]:
        """Load, for each owner, the ids in a range that a role leads to. They are not kept."""
        found: Sequence[tuple[str, ...]]
        if self.as_of is not None:
            found = yield self.as_of.links(role, ids, id_range)
        elif self._pending is not None:
            found = self._pending.linked(
                role,
                ids,
                id_range,
                lambda *stored: self._entities.linked(role, *stored, budget=self.budget),
            )
        else:
            found = self._entities.linked(role, ids, id_range, budget=self.budget)
        return found

    def charge_shown(self, class_name: str, times: int) -> None:
        """Charge the budget for objects that the answer shows this many times. Raises ReadBudgetExceeded."""
        self.budget.charge(_SHOWN_OBJECT * times)
        self.budget.check(class_name)

    def compare(self, class_name: str, characters: int) -> None:
        """Charge characters of a text before they are compared. Raises ReadBudgetExceeded."""
        self.budget.compare_in(class_name, characters)

    def within_budget(self, class_name: str, entities: Iterable[Entity]) -> Iterator[Entity]:
        """Yield objects that are to be tested. Raises ReadBudgetExceeded when the budget is used up."""
        return self.budget.within(class_name, entities)


def _class_name(entities: Sequence[Entity]) -> str:
    """Return the class of several objects, which has them all. It makes none of them."""
    return entities.class_name if type(entities) is UnmadeEntities else entities[0].reference.class_name


_BY_THE_KEY_OF_THE_OTHER = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS})

_IN_STATES = frozenset({RoleStorage.OWN_KEY, RoleStorage.PARTS, RoleStorage.WHOLE})


class RoleLoader:
    """A role of a class, and the loaded objects that it leads to."""

    def __init__(self, name: RoleName, objects: IdentityMap) -> None:
        self.name = name
        self.role: Role = objects.model.classes[name.class_name].roles[name.role_name]
        self.target: Class = objects.model.classes[self.role.target]
        self.storage = storage_of(objects.model, self.role)
        self._key = self.role.opposite if self.storage in _BY_THE_KEY_OF_THE_OTHER else None
        """The key in the targets that must lead back to the owner, if the role is stored in such keys."""
        self.is_stored_in_targets = self._key is not None
        self._objects = objects
        self.depends_on_wholes = self.target.part and self.storage is not RoleStorage.PARTS
        """Whether a target exists only if its whole, which must be loaded too, lists it."""
        self.found = objects.find if self.depends_on_wholes else objects.loaded
        """Returns the target with a reference if it exists and was loaded, else None."""
        # The store checks roles that it answers itself.
        if self.storage in _IN_STATES:
            objects.check_role(name)

    def reference(self, id_: str) -> Reference:
        """Return the reference of a target with an id."""
        # Every role passes here for each object. The constructor would take twice as long.
        return tuple.__new__(Reference, (self.role.target, id_))

    def references(self, ids: Iterable[str]) -> Iterator[Reference]:
        """Return the references of targets with these ids."""
        return map(tuple.__new__, repeat(Reference), zip(repeat(self.role.target), ids))

    def all_stored_ids(self, owners: Iterable[State]) -> list[Sequence[str]]:
        """Return what `stored_ids` returns for each owner."""
        if self.role.recorded_in is not None:
            return list(map(self.stored_ids, owners))
        # Most owners have one id.
        name, stored_ids = self.role.name, self.stored_ids
        return [
            (stored,) if (stored := owner.get(name)).__class__ is str else stored_ids(owner)
            for owner in owners
        ]

    def stored_ids(self, owner: State) -> Sequence[str]:
        """Return the ids that the state of an owner has for the role: one id, a list of parts, or none."""
        recorded_in = self.role.recorded_in
        stored: Any = (
            owner.get(self.name.role_name) if recorded_in is None else member_key(owner, recorded_in)
        )
        if stored is None:
            return ()
        if isinstance(stored, list):
            return stored
        # Keep the class of a text, because a RecordedMember is more than its text.
        return (stored if isinstance(stored, str) else str(stored),)

    def unread(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what to load before `found` can answer."""
        if self.depends_on_wholes:
            return self._objects.missing(references)
        return self._objects.not_loaded(references)

    def leads_back(self, entity: Entity, owner: str) -> bool:
        """Return whether the key of a target still leads to the owner.

        True if the role is not stored in keys.
        """
        return self._key is None or key_despite_grants(entity, self._key) == owner

    def targets(self, owner: str, ids: Iterable[str]) -> list[Entity]:
        """Return the existing objects with these ids that the owner still leads to."""
        there = (self.found(self.reference(id_)) for id_ in ids)
        return [each for each in there if each is not None and self.leads_back(each, owner)]
