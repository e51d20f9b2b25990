"""The objects that were read by key, each once, and the links that were followed to their end."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from stratabase import waiting
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.parts import ListedParts, Owner, owner_of
from stratabase.domain.query.fetch import Render, stored_state
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.domain.refusal import TooMuchRead
from stratabase.model.model import Model
from stratabase.operations.fetching.source import Source
from stratabase.operations.fetching.stretch import EVERYTHING, Stretch

_APPEARANCE = 200
"""What an object weighs in bytes each time that the answer shows it, more or less."""
_TESTED = 50
"""Objects between two looks at the clock: a condition may take a millisecond for each."""


class Seen:
    """The objects that were read by key. A part is there only while its whole is, and lists it.

    A part that its whole does not list has been taken out of it and waits to be purged, or a restoration
    brings it back and is not done yet.

    What a page has shown is not among them: its index may lag behind, and roles are exact.
    """

    def __init__(
        self, source: Source, model: Model, allowance: ReadBudget, face: Render = stored_state
    ) -> None:
        self.source = source
        self.model = model
        self.allowance = allowance
        self.face = face
        self._found: dict[Reference, Entity | None] = {}
        self._linked: dict[RoleName, dict[str, tuple[str, ...]]] = defaultdict(dict)
        self._listed = ListedParts()

    def add(self, entities: Iterable[Entity]) -> None:
        """Note objects that were read by key elsewhere."""
        for entity in entities:
            self._found[entity.reference] = entity

    def __contains__(self, reference: Reference) -> bool:
        """Return whether it is known if there is an object, whatever it may be a part of."""
        return reference in self._found

    def __getitem__(self, reference: Reference) -> Entity | None:
        """Return an object as it was read, None where there was none."""
        return self._found[reference]

    def get(self, reference: Reference) -> Entity | None:
        """Return an object that there is; None where it is not, or nothing is known of it."""
        entity = self._found.get(reference)
        return None if entity is None or not self.stands(entity) else entity

    def stands(self, entity: Entity) -> bool:
        """Return whether an object is no part, or its whole is known to be there and lists it."""
        at = entity
        while (way := self._way_up(at)) is not None:
            whole = self._found.get(way.reference)
            if whole is None or not (self._is_former(at, way) or self.lists(whole, at)):
                return False
            at = whole
        return True

    def _is_former(self, part: Entity, way: Owner) -> bool:
        """Return whether a part is a closed version, and its whole keeps none: that tells of now only."""
        return part.end is not None and not self.model.classes[way.reference.class_name].versioned

    def lists(self, whole: Entity, part: Entity) -> bool:
        """Return whether an object lists another, which is a part of it, among its parts."""
        way = self._way_up(part)
        return way is not None and self._listed.has(whole, way.composition, part.reference.id)

    def standing(self, entities: Sequence[Entity]) -> Sequence[Entity]:
        """Return those of some objects of one class that stand. Raises TooMuchRead."""
        if not entities or not self.model.classes[entities[0].reference.class_name].part:
            return entities
        self.settle(self.wholes(entities))
        return [entity for entity in entities if self.stands(entity)]

    def wholes(self, entities: Iterable[Entity]) -> Iterator[Reference]:
        """Yield what must be known before `stands` can tell."""
        return (whole for entity in entities if (whole := self._whole(entity)) is not None)

    def unknown(self, references: Iterable[Reference]) -> list[Reference]:
        """Return what is still to be read before `get` can tell, each once: also the wholes of parts."""
        missing = (self._first_unknown(reference) for reference in references)
        return list(dict.fromkeys(reference for reference in missing if reference is not None))

    def read(self, references: Sequence[Reference]) -> None:
        """Come to know objects; those that are known stay as they were read. Raises TooMuchRead."""
        unknown = [reference for reference in references if reference not in self._found]
        if unknown:
            self._found.update(zip(unknown, self.source.read(unknown, self.allowance), strict=True))

    def linked(self, role: RoleName, ids: Sequence[str], stretch: Stretch) -> list[Sequence[str]]:
        """Return for each owner the ids that a role leads to, a stretch of them. Raises TooMuchRead."""
        known = self._linked[role]
        unknown = [id_ for id_ in dict.fromkeys(ids) if id_ not in known]
        found = dict(zip(unknown, self._asked(role, unknown, stretch), strict=True)) if unknown else {}
        if stretch == EVERYTHING:
            known |= found
        return [found[id_] if id_ in found else stretch.of(known[id_]) for id_ in ids]

    def _asked(self, role: RoleName, ids: Sequence[str], stretch: Stretch) -> Sequence[tuple[str, ...]]:
        return self.source.linked(role, ids, allowance=self.allowance, **stretch._asdict())

    def settle(self, references: Iterable[Reference]) -> None:
        """Come to know whether there are these objects. Raises TooMuchRead."""
        references = list(references)
        while unknown := self.unknown(references):
            self.read(unknown)

    def spend(self, class_name: str, appearances: int) -> None:
        """Draw on the allowance for objects that the answer shows so often. Raises TooMuchRead."""
        self.allowance.charge(_APPEARANCE * appearances)
        if self.allowance.is_exhausted:
            raise TooMuchRead(class_name)

    def in_time(self, class_name: str, entities: Iterable[Entity]) -> Iterator[Entity]:
        """Yield objects that are to be tested, as long as the allowance lasts. Raises TooMuchRead."""
        for number, entity in enumerate(entities, start=1):
            if number % _TESTED == 0:
                waiting.give_way()
                if self.allowance.is_exhausted:
                    raise TooMuchRead(class_name)
            yield entity

    def _first_unknown(self, reference: Reference) -> Reference | None:
        at: Reference | None = reference
        while at is not None and at in self._found:
            entity = self._found[at]
            at = None if entity is None else self._whole(entity)
        return at

    def _whole(self, entity: Entity) -> Reference | None:
        """Return what an object is a part of."""
        way = self._way_up(entity)
        return None if way is None else way.reference

    def _way_up(self, entity: Entity) -> Owner | None:
        return owner_of(self.model.classes[entity.reference.class_name], entity.state)
