"""Grants applied to reads: which objects a caller may see, and which of their attributes are redacted."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from stratabase.core.domain.access.grants import Access
from stratabase.core.domain.access.visibility import ClassVisibility, class_visibility, known_visibilities
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, RoleName, part_ids, whole_roles
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.filter import (
    MATCH_ALL,
    MATCH_NONE,
    ExpressionFilter,
    Filter,
    RoleFilter,
    and_,
    or_,
)
from stratabase.core.domain.query.implied import implied_by_condition
from stratabase.core.model.model import Action, Class
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.as_of import AsOf, AsOfBatch
from stratabase.core.operations.read.batched_reads import BatchedRead, Load, Phase, run, run_together
from stratabase.core.operations.read.derived_values import evaluate
from stratabase.core.operations.read.identity_map import IdentityMap


def last_instant(version: Entity) -> Instant:
    """Return the last instant of a closed version, at which a deleted object is shown."""
    assert version.end is not None, "the last version of a deleted object has ended"
    return version.end - 1


_Visible = Mapping[int, Entity | None]
"""By Python's `id` of an object: what is visible of it, regardless of its whole."""


class _Chain(NamedTuple):
    """An object followed by its wholes, as far as its visibility depends on theirs."""

    objects: Sequence[Entity]
    is_complete: bool
    """Whether all of them exist."""


class ReadPolicy:
    """Applies a profile's grants to objects. `objects` has all objects, visible or not.

    If the access is unconditional, no other objects are read. For reads of the past, `current` limits the
    result to what is visible now too.
    """

    def __init__(
        self, access: Access, objects: IdentityMap, current: "CurrentVisibility | None" = None
    ) -> None:
        self.objects = objects
        self._access = access
        self._current = current
        self._classes = known_visibilities(access)
        self._implied: dict[str, Filter | None] = {}

    def of_class(self, class_name: str) -> ClassVisibility:
        """Return the visibility of a class."""
        if class_name not in self._classes:
            self._classes[class_name] = class_visibility(self._access, self.objects.model.classes[class_name])
        return self._classes[class_name]

    def filter(self, class_name: str) -> Filter:
        """Return the filter for the visible objects of a class. It tests what the objects store."""
        visibility = self.of_class(class_name)
        if not visibility.is_open:
            return MATCH_NONE
        return (
            MATCH_ALL
            if visibility.where is None
            else ExpressionFilter(visibility.where, self.objects.evaluation)
        )

    def implied(self, class_name: str) -> Filter | None:
        """Return what all visible objects of a class meet, None if nothing is known.

        It is about all other objects, whether they are visible or not.
        """
        if class_name not in self._implied:
            self._implied[class_name] = None  # an object can be a part of another one of its class
            self._implied[class_name] = self._find_implied(class_name)
        return self._implied[class_name]

    def _find_implied(self, class_name: str) -> Filter | None:
        visibility, model = self.of_class(class_name), self.objects.model
        class_ = model.classes[class_name]
        found = [] if visibility.where is None else [visibility.where]
        parts = [implied_by_condition(where, class_, model, self.objects.evaluation) for where in found]
        if visibility.by_whole:
            parts.append(self._implied_by_wholes(class_))
        known = [part for part in parts if part is not None]
        return and_(known) if known else None

    def _implied_by_wholes(self, class_: Class) -> Filter | None:
        """Return what parts meet because one of their wholes is visible, None if nothing is known."""
        ways: list[Filter] = []
        for role in whole_roles(class_):
            if self.of_class(role.target).is_open:
                whole = self.implied(role.target)
                if whole is None:
                    return None
                ways.append(RoleFilter(RoleName(class_.name, role.name), whole))
        return or_(ways)

    def show(self, entities: Sequence[Entity | None]) -> BatchedRead[list[Entity | None]]:
        """Return what is visible of each object, None if nothing is.

        Raises ReadBudgetExceeded, Unavailable.
        """
        if self._current is None:
            return (yield from self._show(entities))
        self._current.note(entity for entity in entities if entity is not None)
        return (yield from self._current.limit((yield from self._show(entities))))

    def ids_showing(self, name: RoleName, ids: Sequence[str]) -> BatchedRead[Sequence[str]]:
        """Return the ids of those objects whose role or attribute is visible. Raises as `show`."""
        found = yield from self._ids_with_visible(name, ids)
        return found if self._current is None else (yield from self._current.showing(name, found))

    def _show(self, entities: Sequence[Entity | None]) -> BatchedRead[list[Entity | None]]:
        there = [entity for entity in entities if entity is not None]
        if all(self._of(entity).is_unconditional for entity in there):
            return [None if entity is None else self._of(entity).apply(entity, ()) for entity in entities]
        # 1. Parts may be visible only if their wholes are: load those.
        yield from self.objects.load_with_wholes(
            self.objects.owners(entity for entity in there if self._of(entity).by_whole)
        )
        # 2. Evaluate the conditions of all these objects at once.
        chains = {id(entity): self._chain(entity) for entity in there}
        alone = yield from self._show_alone(each for chain in chains.values() for each in chain.objects)
        # 3. Hide each part whose whole is hidden or does not show it.
        return [
            None if entity is None else self._visible_through_wholes(chains[id(entity)], alone)
            for entity in entities
        ]

    def _ids_with_visible(self, name: RoleName, ids: Sequence[str]) -> BatchedRead[Sequence[str]]:
        permission = self._access.field_permission(*name)
        if permission is None or (Action.READ in permission.actions and permission.where is None):
            return ids
        if permission.where is None:
            return ()
        owners = [Reference(name.class_name, id_) for id_ in ids]
        yield from self.objects.load_with_wholes(owners)
        there = [entity for owner in owners if (entity := self.objects.find(owner)) is not None]
        values = yield from evaluate(self.objects, {name: (name.class_name, [permission.where], there)})
        pairs = zip(there, values[name], strict=True)
        return [entity.reference.id for entity, (value,) in pairs if value is True]

    def _of(self, entity: Entity) -> ClassVisibility:
        return self.of_class(entity.reference.class_name)

    def _chain(self, entity: Entity) -> _Chain:
        chain = [entity]
        while self._of(chain[-1]).by_whole:
            above = next(self.objects.owners(chain[-1:]), None)
            whole = None if above is None else self.objects[above]
            if whole is None:
                return _Chain(chain, is_complete=False)
            chain.append(whole)
        return _Chain(chain, is_complete=True)

    def _show_alone(self, entities: Iterable[Entity]) -> BatchedRead[_Visible]:
        """Return what is visible of objects regardless of their wholes."""
        by_class: dict[str, dict[int, Entity]] = defaultdict(dict)
        for entity in entities:
            by_class[entity.reference.class_name][id(entity)] = entity
        values = yield from evaluate(
            self.objects,
            {
                name: (name, self.of_class(name).conditions, [*found.values()])
                for name, found in by_class.items()
            },
        )
        return {
            number: self.of_class(name).apply(entity, value)
            for name, found in by_class.items()
            for (number, entity), value in zip(found.items(), values[name], strict=True)
        }

    def _visible_through_wholes(self, chain: _Chain, alone: _Visible) -> Entity | None:
        """Return what is visible of the first object of a chain: nothing if any of them is hidden."""
        visible = [each for entity in chain.objects if (each := alone[id(entity)]) is not None]
        is_visible = chain.is_complete and len(visible) == len(chain.objects)
        return visible[0] if is_visible and all(self._leads(*pair) for pair in pairwise(visible)) else None

    def _leads(self, part: Entity, whole: Entity) -> bool:
        """Return whether what is visible of a whole leads to its part."""
        class_ = self.objects.model.classes[part.reference.class_name]
        back = next(role for role in whole_roles(class_) if part.state.get(role.name) is not None)
        return part.reference.id in part_ids(whole.state.get(str(back.opposite)))


class CurrentVisibility:
    """What a caller sees of objects as they are now. This limits what the caller sees of their past.

    For a deleted object, its last state counts as the present one.
    """

    def __init__(self, read_context: ReadContext, access: Access) -> None:
        self._read_context = read_context
        self._access = access
        self._objects = IdentityMap(read_context)
        self._policy = ReadPolicy(access, self._objects)
        self._hidden: dict[Reference, frozenset[str] | None] = {}
        """By object: the attributes and roles that are hidden now, None if the whole object is."""
        self._last: dict[Reference, Entity] = {}
        """The last versions of deleted objects that were read elsewhere."""

    def note_deleted(self, versions: Iterable[Entity]) -> None:
        """Add the last versions of deleted objects that were read elsewhere."""
        self._last.update((version.reference, version) for version in versions)

    def note(self, versions: Iterable[Entity]) -> None:
        """Add the open ones of versions that were read elsewhere: they are the present objects."""
        self._objects.add(version for version in versions if version.end is None)

    def limit(self, visible: Sequence[Entity | None]) -> BatchedRead[list[Entity | None]]:
        """Return versions without what is hidden now.

        `visible` is what the grants show of each version as of its own instant. Raises ReadBudgetExceeded,
        Unavailable.
        """
        yield from self._resolve(entity.reference for entity in visible if entity is not None)
        return [None if entity is None else self._redact(entity) for entity in visible]

    def showing(self, name: RoleName, ids: Sequence[str]) -> BatchedRead[Sequence[str]]:
        """Return the ids of those objects whose role or attribute is visible now. Raises as `limit`."""
        owners = [Reference(name.class_name, id_) for id_ in ids]
        yield from self._resolve(owners)
        hidden = (self._hidden.get(owner, frozenset()) for owner in owners)
        pairs = zip(ids, hidden, strict=True)
        return [id_ for id_, names in pairs if names is not None and name.role_name not in names]

    def _resolve(self, references: Iterable[Reference]) -> BatchedRead[None]:
        restricted = (
            each for each in references if not self._policy.of_class(each.class_name).is_unrestricted
        )
        unknown = list(dict.fromkeys(each for each in restricted if each not in self._hidden))
        if unknown:
            yield Load(Phase.VISIBILITY, self._find, unknown)

    def _redact(self, entity: Entity) -> Entity | None:
        names = self._hidden.get(entity.reference, frozenset())
        return (
            None
            if names is None
            else self._policy.of_class(entity.reference.class_name).redact(entity, names)
        )

    def _find(self, references: Sequence[Reference]) -> list[None]:
        """Find out what is hidden of objects. Raises ReadBudgetExceeded, Unavailable.

        It is the function of a `Load`, so that many reads share one batch. The result is in `_hidden`.
        """
        present = [each for each in references if each not in self._last]
        run(self._objects.load_with_wholes(present))
        found = {each: self._objects.find(each) for each in present}
        run(self._record_hidden(self._policy, [entity for entity in found.values() if entity is not None]))
        # For deleted objects, the last state decides.
        self._record_hidden_of_deleted([each for each, entity in found.items() if entity is None])
        known = [self._last[each] for each in references if each in self._last]
        self._record_hidden_as_of((each, last_instant(each)) for each in known)
        return [None] * len(references)

    def _record_hidden(self, policy: ReadPolicy, entities: Sequence[Entity]) -> BatchedRead[None]:
        """Note what is hidden of objects in the state in which they are passed."""
        visible = yield from policy.show(entities)
        # Start with everything hidden, then note what the grants show.
        self._hidden.update((each.reference, None) for each in entities)
        by_class: dict[str, list[str]] = defaultdict(list)
        for entity in filter(None, visible):
            by_class[entity.reference.class_name].append(entity.reference.id)
        for class_name, ids in by_class.items():
            hidden: dict[str, set[str]] = {id_: set() for id_ in ids}
            for name, _ in policy.of_class(class_name).conditional:
                showing = {*(yield from policy.ids_showing(RoleName(class_name, name), ids))}
                for id_ in ids:
                    hidden[id_] |= set() if id_ in showing else {name}
            self._hidden |= {Reference(class_name, id_): frozenset(names) for id_, names in hidden.items()}

    def _record_hidden_of_deleted(self, gone: Sequence[Reference]) -> None:
        """Note what was hidden of deleted objects in their last state.

        If none is known, everything is hidden.
        """
        self._hidden.update(dict.fromkeys(gone))
        moments = self._last_moments(gone)
        if not moments:
            return
        versions = AsOfBatch(self._read_context).objects(moments)
        found = zip(versions, moments, strict=True)
        self._record_hidden_as_of((version, at) for version, (_, at) in found if version is not None)

    def _record_hidden_as_of(self, last: Iterable[tuple[Entity, Instant]]) -> None:
        """Note what was hidden of objects as of the last instants at which they existed."""
        versions: dict[Instant, list[Entity]] = defaultdict(list)
        for version, at in last:
            versions[at].append(version)
        batch, records = AsOfBatch(self._read_context), list[BatchedRead[None]]()
        for at, each in versions.items():
            then = IdentityMap(self._read_context, AsOf(batch, at))
            then.add(each)
            records.append(self._record_hidden(ReadPolicy(self._access, then), each))
        run_together(records)

    def _last_moments(self, gone: Sequence[Reference]) -> list[Moment]:
        """Return the last instants at which objects existed. A part existed as long as its wholes."""
        tombstones = (
            self._read_context.entities.tombstones([self._first_ended(each) for each in gone]) if gone else []
        )
        pairs = zip(gone, tombstones, strict=True)
        # The last millisecond before the end.
        return [Moment(reference, each.last_end - 1) for reference, each in pairs if each is not None]

    def _first_ended(self, reference: Reference) -> Reference:
        """Return the object or the first of its wholes that ended, or that its own whole no longer lists."""
        objects, at = self._objects, reference
        while (entity := objects[at]) is not None:
            above = next(objects.owners([entity]), None)
            whole = None if above is None else objects[above]
            if above is None or (whole is not None and not objects.lists(whole, entity)):
                return at
            at = above
        return at
