"""Finds out which objects a caller sees, and what of them, by what there is."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from stratabase.domain.access.grants import Access
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.parts import owner_roles, part_ids
from stratabase.domain.query.filter import And, Filter, Holds, Or
from stratabase.expressions.environment import EvaluationContext
from stratabase.model.model import Action
from stratabase.operations.fetching.seen import Seen
from stratabase.operations.seeing.conditions import values_of
from stratabase.operations.seeing.sight import Sight, sight_of

NOBODY = Or(())
"""The filter that lets nothing through."""
_Shown = Mapping[int, Entity | None]
"""What is seen of objects by themselves, by the `id` of each."""


class _Line(NamedTuple):
    """An object, its whole, the whole of that, as far as these must be seen; whether none of them is gone."""

    members: Sequence[Entity]
    is_whole: bool


class Looking:
    """Looks at objects; `seen` reads what there is, whether the caller sees it or not."""

    def __init__(self, seen: Seen, access: Access, circumstances: EvaluationContext) -> None:
        self.seen = seen
        self._access = access
        self._circumstances = circumstances
        self._sights: dict[str, Sight] = {}

    def sight(self, class_name: str) -> Sight:
        """Return how objects of a class are seen."""
        if class_name not in self._sights:
            self._sights[class_name] = sight_of(self._access, self.seen.model.classes[class_name])
        return self._sights[class_name]

    def filter(self, sight: Sight) -> Filter:
        """Return which objects are seen, where what they keep tells it."""
        if not sight.is_open:
            return NOBODY
        return And(()) if sight.where is None else Holds(sight.where, self._circumstances)

    def shown(self, entities: Iterable[Entity | None]) -> list[Entity | None]:
        """Return what is seen of each object, None for nothing. Raises TooMuchRead."""
        entities = list(entities)
        there = [entity for entity in entities if entity is not None]
        self.seen.settle(self.seen.wholes(each for each in there if self._sight_of(each).by_wholes))
        lines = {id(entity): self._line(entity) for entity in there}
        alone = self._alone(member for line in lines.values() for member in line.members)
        return [None if entity is None else self._through(lines[id(entity)], alone) for entity in entities]

    def leading(self, name: RoleName, ids: Sequence[str]) -> Sequence[str]:
        """Return the objects of which a role, or an attribute, is seen. Raises TooMuchRead."""
        allowed = self._access.member_permission(*name)
        if allowed is None or (Action.READ in allowed.actions and allowed.where is None):
            return ids
        if allowed.where is None:
            return ()
        self.seen.settle(owners := [Reference(name.class_name, id_) for id_ in ids])
        there = [entity for owner in owners if (entity := self.seen.get(owner)) is not None]
        values = values_of(self.seen, self._circumstances, {name.class_name: ([allowed.where], there)})
        pairs = zip(there, values[name.class_name], strict=True)
        return [entity.reference.id for entity, (value,) in pairs if value is True]

    def _sight_of(self, entity: Entity) -> Sight:
        return self.sight(entity.reference.class_name)

    def _line(self, entity: Entity) -> _Line:
        members = [entity]
        while self._sight_of(members[-1]).by_wholes:
            above = next(self.seen.wholes(members[-1:]), None)
            whole = None if above is None else self.seen[above]
            if whole is None:
                return _Line(members, is_whole=False)
            members.append(whole)
        return _Line(members, is_whole=True)

    def _alone(self, entities: Iterable[Entity]) -> _Shown:
        """Return what is seen of objects whatever becomes of their wholes."""
        by_class: dict[str, dict[int, Entity]] = defaultdict(dict)
        for entity in entities:
            by_class[entity.reference.class_name][id(entity)] = entity
        values = values_of(
            self.seen,
            self._circumstances,
            {name: (self.sight(name).conditions, [*found.values()]) for name, found in by_class.items()},
        )
        return {
            number: self.sight(name).through(entity, value)
            for name, found in by_class.items()
            for (number, entity), value in zip(found.items(), values[name], strict=True)
        }

    def _through(self, line: _Line, alone: _Shown) -> Entity | None:
        """Return what is seen of the first of a line: nothing where something on the line is hidden."""
        shown = [each for member in line.members if (each := alone[id(member)]) is not None]
        is_seen = line.is_whole and len(shown) == len(line.members)
        return shown[0] if is_seen and all(self._leads(*pair) for pair in pairwise(shown)) else None

    def _leads(self, part: Entity, whole: Entity) -> bool:
        """Return whether what is seen of a whole leads to its part."""
        class_ = self.seen.model.classes[part.reference.class_name]
        back = next(role for role in owner_roles(class_) if part.state.get(role.name) is not None)
        return part.reference.id in part_ids(whole.state.get(str(back.opposite)))
