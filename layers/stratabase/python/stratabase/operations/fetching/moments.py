"""Stored objects, each as it was at an instant of its own; of classes that keep no versions, as they are."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import ListedParts, Owner, owner_of
from stratabase.domain.objects.role_storage import RoleStorage, storage_of
from stratabase.domain.query.read_budget import ReadBudget
from stratabase.model.model import Model
from stratabase.operations.fetching.stretch import EVERYTHING, Stretch
from stratabase.operations.ports import Entities

Moment = tuple[Reference, Instant]
_Owner = tuple[str, Instant]

_BY_KEYS = frozenset({RoleStorage.OPPOSITE_KEY, RoleStorage.OPPOSITE_KEYS})


class _Doubt(NamedTuple):
    """A part at an instant, whose whole keeps no versions."""

    entity: Entity
    at: Instant
    up: Owner


class Moments:
    """Reads many objects at many instants in as few round trips as one. Locks are of no version."""

    def __init__(self, entities: Entities, model: Model) -> None:
        self._entities = entities
        self._model = model
        self._listed = ListedParts()
        self._candidates: dict[RoleName, dict[_Owner, tuple[str, ...]]] = defaultdict(dict)

    def read(self, moments: Sequence[Moment], allowance: ReadBudget | None = None) -> list[Entity | None]:
        """Return the objects in the order asked for, None where there was none. Raises TooMuchRead."""
        found = self._entities.as_of(moments, allowance)
        there = [(each, at) for each, (_, at) in zip(found, moments, strict=True) if each is not None]
        loose = self._without_wholes(there, allowance)
        return [
            entity and loose.get((entity.reference, at), self._free(entity))
            for entity, (_, at) in zip(found, moments, strict=True)
        ]

    def loosened(self, versions: Sequence[Entity], allowance: ReadBudget | None = None) -> list[Entity]:
        """Return versions that were read elsewhere as `read` would, each as of when it began; all of them."""
        loose = self._without_wholes([(version, version.start or 0) for version in versions], allowance)
        return [loose.get((each.reference, each.start or 0)) or each for each in versions]

    def linked(
        self,
        role: RoleName,
        owners: Sequence[_Owner],
        stretch: Stretch,
        allowance: ReadBudget | None = None,
    ) -> list[tuple[str, ...]]:
        """Return for each owner the ids of the objects that a role may have led to; their keys tell.

        Where all that is left of links must be read for any of them, it is not read again.
        """
        if not self._is_read_whole(role):
            return self._linked(role, owners, stretch, allowance)
        known = self._candidates[role]
        unknown = [owner for owner in dict.fromkeys(owners) if owner not in known]
        if unknown:
            known |= zip(unknown, self._linked(role, unknown, EVERYTHING, allowance), strict=True)
        return [tuple(stretch.of(known[owner])) for owner in owners]

    def _linked(
        self, role: RoleName, owners: Sequence[_Owner], stretch: Stretch, allowance: ReadBudget | None
    ) -> list[tuple[str, ...]]:
        ids, instants = [id_ for id_, _ in owners], [at for _, at in owners]
        return self._entities.linked(role, ids, **stretch._asdict(), at=instants, allowance=allowance)

    def _is_read_whole(self, role: RoleName) -> bool:
        """Return whether a role is told by the keys of versions of others."""
        walked = self._model.classes[role.class_name].roles[role.role_name]
        return storage_of(self._model, walked) in _BY_KEYS and self._model.classes[walked.target].versioned

    def _free(self, entity: Entity) -> Entity:
        return replace(entity, lock=None) if self._is_versioned(entity.reference) else entity

    def _is_versioned(self, reference: Reference) -> bool:
        return self._model.classes[reference.class_name].versioned

    def _without_wholes(
        self, there: Iterable[tuple[Entity, Instant]], allowance: ReadBudget | None
    ) -> Mapping[Moment, Entity | None]:
        """Return parts whose wholes keep no versions and have them no more, without the key to them.

        None for those that were not there any more either, though what is left of them is not purged yet.
        """
        doubts = [_Doubt(entity, at, up) for entity, at in there for up in self._ways_up(entity)]
        wholes = list(dict.fromkeys(doubt.up.reference for doubt in doubts))
        if not wholes:
            return {}
        found = dict(zip(wholes, self._entities.read(wholes, allowance), strict=True))
        missing = [whole for whole, entity in found.items() if entity is None]
        ended = dict(zip(missing, self._entities.pending_purges(missing), strict=True))
        loose: dict[Moment, Entity | None] = {}
        for doubt in doubts:
            whole, moment = found[doubt.up.reference], (doubt.entity.reference, doubt.at)
            if whole is None:
                loose[moment] = self._loose(doubt, ended[doubt.up.reference])
            elif doubt.entity.end is None and not self._lists(whole, doubt):
                # The change of the whole that took the part out of it was its last one, or earlier.
                loose[moment] = self._loose(doubt, whole.start)
        return loose

    def _lists(self, whole: Entity, doubt: _Doubt) -> bool:
        return self._listed.has(whole, doubt.up.composition, doubt.entity.reference.id)

    def _loose(self, doubt: _Doubt, ended: Instant | None) -> Entity | None:
        if ended is not None and ended <= doubt.at:
            return None
        state = {name: value for name, value in doubt.entity.state.items() if name != doubt.up.role}
        return self._free(replace(doubt.entity, state=state))

    def _ways_up(self, entity: Entity) -> Iterator[Owner]:
        """Yield the way from a versioned part to its whole, if that keeps no versions."""
        class_ = self._model.classes[entity.reference.class_name]
        up = owner_of(class_, entity.state) if class_.versioned else None
        if up is not None and not self._is_versioned(up.reference):
            yield up
