"""The backfill of roles: corrects their links, guards and counts.

Objects that were written while no model had the role in this form may lack them, and some may be wrong.
Foreign keys, and the links of roles that are stored as links, are the truth. The backfill derives from them:

1. the links or guards at the targets of foreign keys,
2. the opposite ends of links,
3. the counts in heads.

It writes what is missing, and removes what no key or link stands for. Each commit expects its objects as they
were read, so other processes may write at the same time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from stratabase.core.domain.objects.change import Change, Creation
from stratabase.core.domain.objects.commit_refusals import (
    AlreadyAssociated,
    Conflict,
    IntegrityViolation,
    TargetNotFound,
)
from stratabase.core.domain.objects.entity import SINGLETON_ID, Entity, Reference, RoleName
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Model
from stratabase.core.store.engine.actions import is_committed, new_commit_id, try_commit, update_items
from stratabase.core.store.engine.parallel import sequential_map
from stratabase.core.store.engine.port import (
    EXISTS,
    MAX_ACTIONS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Engine,
    Expectation,
    ExpectationFailed,
    Item,
    Key,
    OutcomeUnknown,
    Patch,
    Put,
    Value,
)
from stratabase.core.store.indexes.entries import MoveStage, RegistryEntry, RoleEntry
from stratabase.core.store.indexes.registry import Registry, registry_fence
from stratabase.core.store.indexes.registry_cache import RegistryCache, WriteSchema
from stratabase.core.store.indexes.role_changes import EntriesByClass, former_entries, link_sources
from stratabase.core.store.layout import codec, keys, links
from stratabase.core.store.layout.associations import (
    LINKED_TRUTH,
    Associations,
    ForeignKey,
    LinkAssociation,
    LinkedPair,
    StoredRole,
)
from stratabase.core.store.layout.object_items import (
    HOLDER,
    OBJECT_ABSENT,
    OBJECT_EXISTS,
    expect_unchanged,
    guard_holder,
    live_head,
)
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write.association_changes import (
    CountDelta,
    CountDeltas,
    association_changes,
    count_deltas,
    link_actions,
)
from stratabase.core.store.write.commit import attempt_repeatedly
from stratabase.core.store.write.heads import HeadWrite
from stratabase.core.store.write.transaction import RelatedWrites, WriteTransaction, counted_roles_of
from stratabase.evolution.backfill.class_heads import live_heads, read_heads, while_time
from stratabase.evolution.backfill.moved_roles import move_role
from stratabase.evolution.backfill.uniques import MAX_REFUSED, Duplicate, Duplicates

_READ_BATCH = 100
"""The number of objects that are read together."""
_WRITE_BATCH = 20
"""The number of objects in one commit. Each takes three actions: its head, its link or guard, its target."""
_MAX_ATTEMPTS = 5
_WORK = "reindex"


T = TypeVar("T")
ReportProgress = Callable[[int], None]


class RoleBackfill:
    """The backfill of the roles of one class."""

    def __init__(  # noqa: PLR0913, PLR0917 - the settings of a build
        self,
        engine: Engine,
        model: Model,
        registry: RegistryCache,
        roles: Sequence[RoleEntry],
        entries: EntriesByClass,
        max_refused: int = MAX_REFUSED,
        has_time: Callable[[], bool] = lambda: True,
    ) -> None:
        """`roles`: the entries to build. `entries`: all entries of roles in the registry.

        `max_refused`: the maximum number of objects to remember that cannot get their guard. `has_time`:
        whether the run may go on. It is asked after each batch of objects.
        """
        self._engine = engine
        self._model = model
        self._associations = Associations(model)
        self._registry = registry
        self._store = StoreContext(engine, model, self._associations, registry, sequential_map)
        self._schema = WriteSchema(Registry(), model, lambda: 0, self._associations)
        self._roles = roles
        self._entries = entries
        self._sources: frozenset[RoleName] = frozenset()
        """The ends of the present association whose links are complete."""
        self._max_refused = max_refused
        self._has_time = has_time
        self._rivals: dict[RoleName, dict[str, set[str]]] = {}
        """By one-to-one role and target id: the ids of the objects that refer to the same target."""
        self._number = 0
        """The number of objects in `_rivals` without their guard."""
        self._more = Counter[RoleName]()
        """By role: the number of further objects without their guard."""

    def build(self, report: ReportProgress) -> Mapping[RegistryEntry, Duplicates]:
        """Move and build all roles; return the duplicates of the roles that some objects violate.

        `report`: takes the number of objects that were processed since the last call.

        Raises OutOfTime. Another build reads the objects again, and writes only what is still missing.
        """
        done, unmoved = set[object](), dict[RegistryEntry, Duplicates]()
        for one in self._roles:
            stored = one.stored
            if one.stage is not MoveStage.BEGUN:
                self._clear(stored)
            places = self._former_places(stored)
            if places and (left := self._move(stored, places)):
                unmoved[one] = left
            elif stored.key_role is not None and stored.items:
                if stored.key_role not in done:
                    self._build_keys(self._associations.foreign_key(stored.key_role), report)
                done.add(stored.key_role)
            elif stored.truth == LINKED_TRUTH:
                ends = self._associations.by_role[stored.role]
                name = LinkedPair(ends, "", "").identity[0]
                if name not in done:
                    self._sources = link_sources(self._entries, stored)
                    self._build_links(ends, report)
                done.add(name)
        refused = {one: found for one in self._roles if (found := self._refused(one))}
        return refused | unmoved

    def _move(self, stored: StoredRole, places: Sequence[StoredRole]) -> Duplicates | None:
        return move_role(self._engine, self._model, self._store, stored, places, self._listed_heads)

    def _refused(self, one: RoleEntry) -> Duplicates | None:
        key = one.stored.key_role
        rivals = {} if key is None else self._rivals.get(key, {})
        if key is None or not (rivals or self._more[key]):
            return None
        found = [
            Duplicate(key, {key.role_name: target}, tuple(sorted(ids))) for target, ids in rivals.items()
        ]
        return Duplicates(tuple(found), self._more[key])

    def _former_places(self, stored: StoredRole) -> list[StoredRole]:
        """Return how the associations of a role may be stored until they are moved.

        If there are links at both ends, those at an end that is complete count. Others may be old.
        """
        formers = former_entries(self._entries, stored, self._associations.by_name)
        places = [former.stored for former in formers if former.stage is MoveStage.BEGUN]
        linked = [place for place in places if place.truth == LINKED_TRUTH]
        whole = [place for place in linked if place.role in link_sources(self._entries, place)]
        return [place for place in places if place not in linked or place in (whole or linked)]

    def _clear(self, stored: StoredRole) -> None:
        """Remove the links where an association is about to be moved, which stand for nothing."""
        if stored.truth == LINKED_TRUTH:
            for end in self._associations.by_role[stored.role]:
                for heads in self._heads(end.role.class_name):
                    owners = (keys.reference_of(head.key).id for head in heads)
                    found = [
                        keys.link(Reference(end.role.class_name, owner), end.role.role_name, other)
                        for owner in owners
                        for other in links.read_ids(self._engine, end.role, owner)
                    ]
                    for some in _batches(found, MAX_ACTIONS - 1):
                        self._delete_cleared(stored, some)
        self._registry.update(lambda registry: registry.with_stage(stored, MoveStage.BEGUN))

    def _delete_cleared(self, stored: StoredRole, some: Sequence[Key]) -> None:
        """Delete links, as long as no build has begun to move associations to them."""

        def plan() -> tuple[None, Sequence[Action]]:
            registry = self._registry.update(lambda registry: registry)
            deletions = [DeleteItem(key) for key in some] if registry.may_clear(stored) else []
            return None, [*deletions, registry_fence(registry)] if deletions else []

        update_items(self._engine, _WORK, plan)

    # Roles that are stored as foreign keys.

    def _build_keys(self, foreign_key: ForeignKey, report: ReportProgress) -> None:
        # First correct the counts by the existing links. Then each link that is added increments its count.
        for heads in self._heads(foreign_key.target):
            self._check_targets(foreign_key, heads)
            report(len(heads))
        for heads in self._heads(foreign_key.role.class_name):
            self._link(foreign_key, [codec.entity_of(head) for head in heads])
            report(len(heads))

    def _link(self, foreign_key: ForeignKey, entities: Iterable[Entity]) -> None:
        """Write the missing links or guards of foreign keys. `entities`: the objects, as they were read."""
        holding = [entity for entity in entities if foreign_key.target_of(entity) is not None]
        found = self._store.get([_evidence(foreign_key, entity) for entity in holding])
        lacking = [
            entity
            for entity, item in zip(holding, found, strict=True)
            if item is None or (foreign_key.exclusive and guard_holder(item) != entity.reference.id)
        ]
        for some in _batches(lacking, _WRITE_BATCH):
            self._link_together(foreign_key, some)

    def _link_together(self, foreign_key: ForeignKey, entities: Sequence[Entity]) -> None:
        try:
            self._commit(self._linking(foreign_key, entities))
        except (IntegrityViolation, Conflict):
            for entity in entities:
                self._link_one(foreign_key, entity)

    def _link_one(self, foreign_key: ForeignKey, entity: Entity) -> None:
        """Write the link or guard of one object. If the object changes meanwhile, read it again and retry.

        If the target is deleted, a link is only needed if the target can be restored.
        """
        current: Entity | None = entity
        while current is not None and foreign_key.target_of(current) is not None:
            try:
                self._commit(self._linking(foreign_key, [current]))
            except IntegrityViolation as refusal:
                if any(isinstance(violation, AlreadyAssociated) for violation in refusal.violations):
                    self._note_rival(foreign_key, current)
                    return
                if not all(isinstance(violation, TargetNotFound) for violation in refusal.violations):
                    raise
                if not self._model.classes[foreign_key.target].versioned or self._link_to_deleted(
                    foreign_key, current
                ):
                    return
            except Conflict:
                pass
            else:
                return
            current = self._store.read(entity.reference)
            if current is not None and self._is_linked(foreign_key, current):
                return

    def _link_to_deleted(self, foreign_key: ForeignKey, entity: Entity) -> bool:
        """Link an object to a deleted target, which may be restored; return False if the caller must retry.

        No count changes: a restored object gets its counts when they are first needed.
        """
        key = _evidence(foreign_key, entity)
        target = keys.head(Reference(foreign_key.target, str(foreign_key.target_of(entity))))
        attributes: dict[str, Value] = {links.START: 0}
        if foreign_key.link_role is None:
            attributes[HOLDER] = entity.reference.id
        link = Put(Item(key, attributes), NOT_EXISTS)
        unchanged = Check(keys.head(entity.reference), expect_unchanged(entity))
        try:
            self._engine.commit(Batch(_new_commit_id(), (link, unchanged, Check(target, OBJECT_ABSENT))))
        except ExpectationFailed as refusal:
            # Another object that refers to the same deleted target holds the guard: leave it.
            return foreign_key.exclusive and [each.action.key for each in refusal.failures] == [key]
        except OutcomeUnknown:
            return False
        return True

    def _is_linked(self, foreign_key: ForeignKey, entity: Entity) -> bool:
        if foreign_key.target_of(entity) is None:
            return True
        (item,) = self._engine.get([_evidence(foreign_key, entity)])
        return item is not None and (not foreign_key.exclusive or guard_holder(item) == entity.reference.id)

    def _note_rival(self, foreign_key: ForeignKey, entity: Entity) -> None:
        if self._number >= self._max_refused:
            self._more[foreign_key.role] += 1
            return
        self._number += 1
        target = str(foreign_key.target_of(entity))
        (guard,) = self._engine.get([keys.one_to_one_guard(foreign_key.role, target)])
        rivals = self._rivals.setdefault(foreign_key.role, {}).setdefault(target, set())
        rivals |= {entity.reference.id, *([] if guard is None else [str(guard_holder(guard))])}

    def _linking(self, foreign_key: ForeignKey, entities: Sequence[Entity]) -> WriteTransaction:
        """Return a transaction that links objects as if their foreign keys were new.

        Raises IntegrityViolation.
        """
        name = foreign_key.role.role_name
        creations = [
            Creation(Entity(each.reference, {ID: each.reference.id, name: foreign_key.target_of(each)}))
            for each in entities
        ]
        # The start of these links is unknown. With 0, reads as of an instant treat them as candidates.
        change = Change(_new_commit_id(), 0, tuple(creations))
        changes = association_changes(change, self._associations, lambda _: ())
        link_writes = {action.key: _if_free(action) for action in link_actions(changes, 0)}
        return self._transaction(change, count_deltas(changes), link_writes, entities)

    def _check_targets(self, foreign_key: ForeignKey, heads: Sequence[Item]) -> None:
        """Remove the links and guards of targets that no foreign key stands for. Correct the counts."""
        for head in heads:
            target = keys.reference_of(head.key)
            for ids in _batches(self._led_by(foreign_key, target), _READ_BATCH):
                holders = self._store.read_all([Reference(foreign_key.role.class_name, id_) for id_ in ids])
                for id_, entity in zip(ids, holders, strict=True):
                    if foreign_key.target_of(entity) != target.id:
                        self._unlink(foreign_key, target, id_)
        self._recount(heads, foreign_key.counted_roles)

    def _led_by(self, foreign_key: ForeignKey, target: Reference) -> Sequence[str]:
        if foreign_key.link_role is not None:
            return links.read_ids(self._engine, foreign_key.link_role, target.id)
        (guard,) = self._engine.get([keys.one_to_one_guard(foreign_key.role, target.id)])
        return [] if guard is None else [str(guard_holder(guard))]

    def _unlink(self, foreign_key: ForeignKey, target: Reference, id_: str) -> None:
        """Remove a link or guard, unless the object's foreign key refers to the target by now."""
        reference = Reference(foreign_key.role.class_name, id_)
        if foreign_key.link_role is None:
            key = keys.one_to_one_guard(foreign_key.role, target.id)
            expect = Expectation(conditions=(Condition(HOLDER, ConditionOperator.EQUALS, id_),))
        else:
            key, expect = keys.link(target, foreign_key.link_role.role_name, id_), EXISTS
        for _ in range(_MAX_ATTEMPTS):
            entity = self._store.read(reference)
            (item,) = self._engine.get([key])
            if item is None or foreign_key.target_of(entity) == target.id:
                return
            deltas = CountDeltas()
            deltas[target].counts.subtract(foreign_key.counted_roles)
            unchanged = [] if entity is None else [entity]
            absence_checks = [] if entity is not None else [Check(keys.head(reference), OBJECT_ABSENT)]
            change = Change(_new_commit_id(), 0)
            try:
                self._commit(
                    self._transaction(
                        change, deltas, {key: DeleteItem(key, expect)}, unchanged, absence_checks
                    )
                )
            except Conflict:
                continue
            return

    # Roles that are stored as links.

    def _build_links(self, ends: LinkAssociation, report: ReportProgress) -> None:
        near, far = ends
        for heads in self._heads(near.role.class_name):
            for head in heads:
                self._complete(ends, keys.reference_of(head.key))
            report(len(heads))
        if far.has_links:
            for heads in self._heads(far.role.class_name):
                for head in heads:
                    self._complete(ends.reversed(), keys.reference_of(head.key))
                report(len(heads))
        for end in (end for end in ends if end.required):
            for heads in self._heads(end.role.class_name):
                self._recount(heads, (end.role,))

    def _complete(self, ends: LinkAssociation, reference: Reference) -> None:
        """Write the missing far ends of an object's links, and remove links to objects that do not exist."""
        near, far = ends
        ids = links.read_ids(self._engine, near.role, reference.id)
        others = self._store.read_all([Reference(far.role.class_name, id_) for id_ in ids])
        back = [
            keys.link(Reference(far.role.class_name, id_), far.role.role_name, reference.id) for id_ in ids
        ]
        far_links = self._store.get(back) if far.has_links else [None] * len(ids)
        for id_, other, item in zip(ids, others, far_links, strict=True):
            pair = LinkedPair(ends, reference.id, id_)
            if (other is None and not far.is_singleton) or (
                far.has_links and item is None and near.role not in self._sources
            ):
                self._unlink_pair(pair)
            elif far.has_links and item is None:
                self._link_pair(pair)

    def _link_pair(self, pair: LinkedPair) -> None:
        """Write the missing far link of a pair."""
        near, far = pair.association
        other = Reference(far.role.class_name, pair.far)
        own = keys.link(Reference(near.role.class_name, pair.near), near.role.role_name, pair.far)
        key = keys.link(other, far.role.role_name, pair.near)
        deltas = CountDeltas()
        deltas[other] = CountDelta(must_exist=not far.is_singleton, gains_links=True)
        if far.required:
            deltas[other].counts[far.role] += 1
        self._attempt(deltas, {key: Put(Item(key), NOT_EXISTS)}, [Check(own, EXISTS)])

    def _unlink_pair(self, pair: LinkedPair) -> None:
        """Remove the near link of a pair that has no far link or far object."""
        near, far = pair.association
        owner, other = Reference(near.role.class_name, pair.near), Reference(far.role.class_name, pair.far)
        key = keys.link(owner, near.role.role_name, pair.far)
        back = keys.link(other, far.role.role_name, pair.near)
        deltas = CountDeltas()
        if near.required:
            deltas[owner].counts[near.role] -= 1
        is_there = self._store.read(other) is not None or far.is_singleton
        check = Check(back, NOT_EXISTS) if is_there else Check(keys.head(other), OBJECT_ABSENT)
        self._attempt(deltas, {key: DeleteItem(key, EXISTS)}, [check])

    def _attempt(self, deltas: CountDeltas, links_: Mapping[Key, Action], checks: Sequence[Check]) -> None:
        """Write links. Ignore a refusal: then a concurrent write has changed and maintained them."""
        try:
            self._commit(self._transaction(Change(_new_commit_id(), 0), deltas, links_, (), checks))
        except (IntegrityViolation, Conflict):
            return

    # Counts.

    def _recount(self, heads: Sequence[Item], roles: Sequence[RoleName]) -> None:
        """Set the counts of objects to the numbers of their links.

        A wrong count is first removed, then set on the condition that it still does not exist. A concurrent
        write that changes the links must set the count itself first, so the result is exact.
        """
        for role in roles:
            known = self._counts([head.key for head in heads], role)
            numbers = {key: self._store.count_links(keys.reference_of(key), role) for key in known}
            missing = [key for key, number in known.items() if number is None]
            self._write([_count(key, role, numbers[key]) for key in missing])
            right = [key for key, number in known.items() if number == numbers[key]]
            # A wrong count may have changed while the links were counted, and now be equal by chance. So a
            # count is only right if it is still the same after counting.
            again = self._counts(right, role)
            for key, number in known.items():
                if number is not None and again.get(key) != numbers[key]:
                    self._reset_count(key, role)

    def _counts(self, wanted: Sequence[Key], role: RoleName) -> dict[Key, int | None]:
        """Return the counts of a role in the heads of existing objects, None for a head without it."""
        heads = [head for head in map(live_head, self._engine.get(wanted)) if head is not None]
        return {head.key: codec.counts(head).get(role) for head in heads}

    def _reset_count(self, key: Key, role: RoleName) -> None:
        """Remove the count of an object, whatever its value, and set it again."""
        name = codec.count_attribute(role)
        while (known := self._counts([key], role).get(key)) is not None:
            as_read = Expectation(conditions=(Condition(name, ConditionOperator.EQUALS, known),))
            self._write([Patch(key, as_read, remove=frozenset({name}))])
        self._write([_count(key, role, self._store.count_links(keys.reference_of(key), role))])

    def _write(self, patches: Sequence[Patch]) -> None:
        """Write patches, except on objects that concurrent writes have changed.

        If these writes have set the count, it is exact.
        """
        if not patches:
            return
        if not is_committed(self._engine, Batch(_new_commit_id(), tuple(patches))):
            for patch in patches if len(patches) > 1 else ():
                self._write([patch])

    def _transaction(
        self,
        change: Change,
        deltas: CountDeltas,
        link_writes: Mapping[Key, Action],
        unchanged: Sequence[Entity],
        more_checks: Sequence[Check] = (),
    ) -> WriteTransaction:
        """Return a transaction that changes counts and links. Raises IntegrityViolation.

        `unchanged`: objects that must be as they were read.
        """
        expected = {entity.reference: expect_unchanged(entity) for entity in unchanged}
        heads = [
            HeadWrite(
                reference,
                None,
                delta,
                counted_roles_of(self._store, reference.class_name),
                change.commit_id,
                ignores_required=True,
                also_expected=expected.get(reference, NO_EXPECTATION),
            )
            for reference, delta in deltas.items()
        ]
        checks = [
            Check(keys.head(reference), expect)
            for reference, expect in expected.items()
            if reference not in deltas
        ]
        related = RelatedWrites(
            {keys.head(head.reference): head for head in heads}, link_writes, {}, (), (*checks, *more_checks)
        )
        return WriteTransaction(self._store, self._schema, change, related)

    def _commit(self, transaction: WriteTransaction) -> None:
        """Commit a transaction. Raises IntegrityViolation; Conflict also if a response was lost."""
        id_ = transaction.change.commit_id
        try:
            attempt_repeatedly(
                transaction,
                lambda number, actions: try_commit(self._engine, Batch(id_, tuple(actions), number)),
            )
        except OutcomeUnknown as doubt:
            raise Conflict from doubt

    def _heads(self, class_name: str) -> Iterator[Sequence[Item]]:
        """Yield the heads of a class in batches. A singleton is not listed."""
        if self._store.is_singleton(class_name):
            yield live_heads(self._engine, [keys.head(Reference(class_name, SINGLETON_ID))])
        else:
            yield from self._listed_heads(class_name)

    def _listed_heads(self, class_name: str) -> Iterator[list[Item]]:
        return while_time(read_heads(self._engine, class_name), self._has_time)


def _evidence(foreign_key: ForeignKey, entity: Entity) -> Key:
    """Return the key of the link or guard for an object's foreign key."""
    target = str(foreign_key.target_of(entity))
    if foreign_key.link_role is None:
        return keys.one_to_one_guard(foreign_key.role, target)
    return keys.link(
        Reference(foreign_key.target, target), foreign_key.link_role.role_name, entity.reference.id
    )


def _count(key: Key, role: RoleName, number: int) -> Patch:
    """Return the action that sets a count, on the condition that the object exists and lacks this count."""
    name = codec.count_attribute(role)
    absent = Expectation(
        OBJECT_EXISTS.exists, (*OBJECT_EXISTS.conditions, Condition(name, ConditionOperator.ABSENT))
    )
    return Patch(key, absent, set={name: number})


def _if_free(action: Action) -> Action:
    """Return the write of a link, on the condition that it does not exist: it must be counted only once."""
    assert isinstance(action, Put)
    return Put(action.item, NOT_EXISTS)


def _batches(wanted: Iterable[T], size: int) -> Iterator[list[T]]:
    batch: list[T] = []
    for each in wanted:
        batch.append(each)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def _new_commit_id() -> str:
    return new_commit_id(_WORK)
