"""The objects that were read by key, each once, and the links that were followed to their end."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from stratabase import waiting
from stratabase.domain.issues.refusals import ReadBudgetExceeded
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.parts import ListedParts, WholeReference, whole_of
from stratabase.domain.query.fetch import Render, stored_state
from stratabase.domain.query.id_range import ALL_IDS, IdRange
from stratabase.operations.context import RequestContext
from stratabase.operations.read.as_of import AsOf
from stratabase.operations.read.loading import Reading
from stratabase.operations.read.pending import PendingWrite

_SHOWN_OBJECT = 200
"""What an object weighs in bytes each time that the answer shows it, more or less."""
_TESTED = 50
"""Objects between two looks at the clock: a condition may take a millisecond for each."""


class IdentityMap:
    """Objects as they are now, as of an instant, or as a pending write leaves them: whatever anybody may see.

    A part is there only while its whole is, and lists it. A part that its whole does not list has been taken
    out of it and waits to be purged, or a restoration brings it back and is not done yet.

    Objects of a page are not noted here: its index may lag behind, and roles are exact.
    """

    def __init__(
        self,
        request: RequestContext,
        as_of: AsOf | None = None,
        pending: PendingWrite | None = None,
        render: Render = stored_state,
    ) -> None:
        """`as_of`: None for now. `render`: makes of an object what answers and expressions know of it."""
        self.model = request.model
        self.budget = request.budget
        self.evaluation = request.evaluation
        self.render = render
        self.as_of = as_of
        self._entities = request.entities
        self._pending = pending
        self._objects: dict[Reference, Entity | None] = {} if pending is None else dict(pending.objects)
        self._links: dict[RoleName, dict[str, tuple[str, ...]]] = defaultdict(dict)
        self._listed = ListedParts()

    def add(self, entities: Iterable[Entity]) -> None:
        """Note objects that were read by key elsewhere."""
        for entity in entities:
            self._objects[entity.reference] = entity

    def __contains__(self, reference: Reference) -> bool:
        """Return whether it is known if there is an object, whatever it may be a part of."""
        return reference in self._objects

    def __getitem__(self, reference: Reference) -> Entity | None:
        """Return an object as it was loaded, None where there was none."""
        return self._objects[reference]

    def find(self, reference: Reference) -> Entity | None:
        """Return an object that there is; None where it is not, or nothing is known of it."""
        entity = self._objects.get(reference)
        return None if entity is None or not self.is_attached(entity) else entity

    def is_attached(self, entity: Entity) -> bool:
        """Return whether an object is no part, or its whole is known to be there and lists it."""
        at = entity
        while (owner := self._owner(at)) is not None:
            whole = self._objects.get(owner.reference)
            if whole is None or not (self._is_closed_part(at, owner) or self.lists(whole, at)):
                return False
            at = whole
        return True

    def _is_closed_part(self, part: Entity, owner: WholeReference) -> bool:
        """Return whether a part is a closed version, and its whole keeps none: that tells of now only."""
        return part.end is not None and not self.model.classes[owner.reference.class_name].versioned

    def lists(self, whole: Entity, part: Entity) -> bool:
        """Return whether an object lists another, which is a part of it, among its parts."""
        owner = self._owner(part)
        return owner is not None and self._listed.has(whole, owner.composition, part.reference.id)

    def owners(self, entities: Iterable[Entity]) -> Iterator[Reference]:
        """Yield what must be known before `is_attached` can tell: the wholes of those that are parts."""
        return (owner.reference for entity in entities if (owner := self._owner(entity)) is not None)

    def missing(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what is still to be loaded before `find` can tell, each once: also the wholes of parts."""
        missing = (self._first_missing(reference) for reference in references)
        return list(dict.fromkeys(reference for reference in missing if reference is not None))

    def _first_missing(self, reference: Reference) -> Reference | None:
        at: Reference | None = reference
        while at is not None and at in self._objects:
            entity = self._objects[at]
            owner = None if entity is None else self._owner(entity)
            at = None if owner is None else owner.reference
        return at

    def _owner(self, entity: Entity) -> WholeReference | None:
        return whole_of(self.model.classes[entity.reference.class_name], entity.state)

    def load(self, references: Iterable[Reference]) -> Reading[None]:
        """Come to know objects; those that are known stay as they were loaded. Raises ReadBudgetExceeded."""
        unknown = [reference for reference in references if reference not in self._objects]
        if unknown:
            found = yield from self._load(unknown)
            self._objects.update(zip(unknown, found, strict=True))

    def resolve(self, references: Iterable[Reference]) -> Reading[None]:
        """Come to know whether there are objects, also as parts of their wholes.

        Raises ReadBudgetExceeded.
        """
        references = list(references)
        while missing := self.missing(references):
            yield from self.load(missing)

    def attached(self, entities: Sequence[Entity]) -> Reading[Sequence[Entity]]:
        """Return those objects of one class that are no parts, or whose wholes list them.

        Raises ReadBudgetExceeded.
        """
        if not entities or not self.model.classes[entities[0].reference.class_name].part:
            return entities
        yield from self.resolve(self.owners(entities))
        return [entity for entity in entities if self.is_attached(entity)]

    def linked(self, role: RoleName, ids: Sequence[str], id_range: IdRange) -> Reading[list[Sequence[str]]]:
        """Return for each owner the ids that a role leads to, in a range. Raises ReadBudgetExceeded."""
        known = self._links[role]
        unknown = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
        found: dict[str, tuple[str, ...]] = {}
        if unknown:
            found = dict(zip(unknown, (yield from self.load_links(role, unknown, id_range)), strict=True))
        if id_range == ALL_IDS:
            known |= found
        return [found[id_] if id_ in found else id_range.select(known[id_]) for id_ in ids]

    def _load(self, references: Sequence[Reference]) -> Reading[Sequence[Entity | None]]:
        found: Sequence[Entity | None]
        if self.as_of is None:
            found = self._entities.read(references, self.budget)
        else:
            found = yield self.as_of.objects(references)
        return found

    def load_links(
        self, role: RoleName, ids: Sequence[str], id_range: IdRange
    ) -> Reading[Sequence[tuple[str, ...]]]:
        """Return for each owner the ids that a role leads to, in a range; they are not noted."""
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
        """Draw on the budget for objects that the answer shows so often. Raises ReadBudgetExceeded."""
        self.budget.charge(_SHOWN_OBJECT * times)
        if self.budget.is_exhausted:
            raise ReadBudgetExceeded(class_name)

    def within_budget(self, class_name: str, entities: Iterable[Entity]) -> Iterator[Entity]:
        """Yield objects that are to be tested, as long as the budget lasts. Raises ReadBudgetExceeded."""
        for number, entity in enumerate(entities, start=1):
            if number % _TESTED == 0:
                waiting.give_way()
                if self.budget.is_exhausted:
                    raise ReadBudgetExceeded(class_name)
            yield entity
