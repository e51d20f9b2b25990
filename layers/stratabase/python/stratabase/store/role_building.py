"""Links and counts for required roles, of objects that were written while nobody kept them.

A key or a link that is in the store is the truth. What is derived from it is made to agree: the link or guard
by which a key is found from its target, the far ends of links, and the counts at the objects that are led to.
What is left from a time when nobody kept it is taken away. Each object is written under the condition that
what was read of it still holds, together with its counts, so that others may write at the same time.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeVar

from stratabase.domain.objects.change import Change, Creation
from stratabase.domain.objects.commit_refusals import (
    AlreadyAssociated,
    Conflict,
    IntegrityViolation,
    TargetNotFound,
)
from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.identity import SINGLETON_ID
from stratabase.model.model import Model
from stratabase.store import codec, keys, links
from stratabase.store.association import End, Ends, Keyed, Pair
from stratabase.store.associations import Associations
from stratabase.store.claiming import MOST_REFUSED, Duplicate, Duplicates
from stratabase.store.claims import HOLDER, holder
from stratabase.store.deed import Deed, Surroundings
from stratabase.store.demands import Demand, Demands, demands
from stratabase.store.desk import Desk
from stratabase.store.drafting import counted_at
from stratabase.store.engine.parallel import sequential_map
from stratabase.store.engine.port import (
    EXISTS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Batch,
    Check,
    Condition,
    ConditionOperator,
    Delete,
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
from stratabase.store.head import Head
from stratabase.store.heads import as_read
from stratabase.store.indexes.entries import RegistryEntry, RequiredRoleEntry
from stratabase.store.indexes.registry import Registry
from stratabase.store.indexes.registry_cache import RegistryCache, WriteRules
from stratabase.store.presence import GONE, living
from stratabase.store.presence import THERE as ALIVE
from stratabase.store.ties import ties

_TOGETHER = 100
"""Objects that are read together."""
_WRITTEN_TOGETHER = 20
"""Objects that are linked in one commit. Each is its head, its link or guard, and the head of its target."""
_ROUNDS = 5

T = TypeVar("T")

Tell = Callable[[int], None]


class RoleBuilder:
    """Makes what is kept for required roles agree with the keys and links of all objects."""

    def __init__(
        self,
        engine: Engine,
        model: Model,
        slots: RegistryCache,
        roles: Sequence[RequiredRoleEntry],
        most: int = MOST_REFUSED,
    ) -> None:
        """`most`: how many objects to remember of which only one may lead where several do."""
        self._engine = engine
        self._model = model
        self._associations = Associations(model)
        self._desk = Desk(engine, model, self._associations, lambda: slots, sequential_map)
        self._rules = WriteRules(Registry(), model, lambda: 0, self._associations)
        self._roles = roles
        self._most = most
        self._rivals: dict[RoleName, dict[str, set[str]]] = {}
        """By the role of a key and what it leads to: who leads there although only one may."""
        self._number = 0
        """How many are among them without the guard that they need."""
        self._more = Counter[RoleName]()
        """How many there are beside them."""

    def build(self, tell: Tell) -> Mapping[RegistryEntry, Duplicates]:
        """Build all of them; return those that some objects break, with what these lead to."""
        done: set[object] = set()
        for one in self._roles:
            requirement = one.requirement
            if requirement.key is None:
                ends = self._associations.ends[requirement.role]
                name = Pair(ends, "", "").name[0]
                if name not in done:
                    self._build_links(ends, tell)
                done.add(name)
            elif requirement.key not in done:
                self._build_keys(self._associations.keyed_by(requirement.key), tell)
                done.add(requirement.key)
        return {one: found for one in self._roles if (found := self._refused(one))}

    def _refused(self, one: RequiredRoleEntry) -> Duplicates | None:
        key = one.requirement.key
        rivals = {} if key is None else self._rivals.get(key, {})
        if key is None or not (rivals or self._more[key]):
            return None
        found = [
            Duplicate(key, {key.role_name: target}, tuple(sorted(ids))) for target, ids in rivals.items()
        ]
        return Duplicates(tuple(found), self._more[key])

    # Keys that objects hold.

    def _build_keys(self, keyed: Keyed, tell: Tell) -> None:
        # Once the counts of what is there are right, each link that is added counts one more.
        for heads in self._heads(keyed.target):
            self._check_targets(keyed, heads)
            tell(len(heads))
        for heads in self._heads(keyed.role.class_name):
            self._link(keyed, [codec.entity_of(head) for head in heads])
            tell(len(heads))

    def _link(self, keyed: Keyed, entities: Iterable[Entity]) -> None:
        """Give the keys of objects, as they were read, the links or guards that they lack."""
        holding = [entity for entity in entities if keyed.key(entity) is not None]
        found = self._desk.got([_evidence(keyed, entity) for entity in holding])
        lacking = [
            entity
            for entity, item in zip(holding, found, strict=True)
            if item is None or (keyed.exclusive and holder(item) != entity.reference.id)
        ]
        for some in _batches(lacking, _WRITTEN_TOGETHER):
            self._link_together(keyed, some)

    def _link_together(self, keyed: Keyed, entities: Sequence[Entity]) -> None:
        try:
            self._commit(self._linking(keyed, entities))
        except (IntegrityViolation, Conflict):
            for entity in entities:
                self._link_one(keyed, entity)

    def _link_one(self, keyed: Keyed, entity: Entity) -> None:
        """Link one object, as it is by then. A key that leads to what cannot come back needs no link."""
        current: Entity | None = entity
        while current is not None and keyed.key(current) is not None:
            try:
                self._commit(self._linking(keyed, [current]))
            except IntegrityViolation as refusal:
                if any(isinstance(breach, AlreadyAssociated) for breach in refusal.violations):
                    self._note_rival(keyed, current)
                    return
                if not all(isinstance(breach, TargetNotFound) for breach in refusal.violations):
                    raise
                if not self._model.classes[keyed.target].versioned or self._link_to_deleted(keyed, current):
                    return
            except Conflict:
                pass
            else:
                return
            current = self._desk.read(entity.reference)
            if current is not None and self._is_linked(keyed, current):
                return

    def _link_to_deleted(self, keyed: Keyed, entity: Entity) -> bool:
        """Link an object to what is deleted, which may be restored; return False if that must be tried again.

        Nothing is counted: an object that is restored gets its counts when they are first needed.
        """
        key = _evidence(keyed, entity)
        target = keys.head(Reference(keyed.target, str(keyed.key(entity))))
        attributes: dict[str, Value] = {links.START: 0}
        if keyed.link is None:
            attributes[HOLDER] = entity.reference.id
        link = Put(Item(key, attributes), NOT_EXISTS)
        unchanged = Check(keys.head(entity.reference), as_read(entity))
        try:
            self._engine.commit(Batch(_name(), (link, unchanged, Check(target, GONE))))
        except ExpectationFailed as refusal:
            # Of several objects that lead to what is deleted, one has the guard.
            return keyed.exclusive and [each.action.key for each in refusal.failures] == [key]
        except OutcomeUnknown:
            return False
        return True

    def _is_linked(self, keyed: Keyed, entity: Entity) -> bool:
        if keyed.key(entity) is None:
            return True
        (item,) = self._engine.get([_evidence(keyed, entity)])
        return item is not None and (not keyed.exclusive or holder(item) == entity.reference.id)

    def _note_rival(self, keyed: Keyed, entity: Entity) -> None:
        if self._number >= self._most:
            self._more[keyed.role] += 1
            return
        self._number += 1
        target = str(keyed.key(entity))
        (guard,) = self._engine.get([keys.couple(keyed.role, target)])
        rivals = self._rivals.setdefault(keyed.role, {}).setdefault(target, set())
        rivals |= {entity.reference.id, *([] if guard is None else [str(holder(guard))])}

    def _linking(self, keyed: Keyed, entities: Sequence[Entity]) -> Deed:
        """Return what sets keys that objects have, as if they were set now. Raises Broken."""
        name = keyed.role.role_name
        begun = [
            Creation(Entity(each.reference, {"_id": each.reference.id, name: keyed.key(each)}))
            for each in entities
        ]
        # An instant of 0 says that nobody knows since when: readers of versions look at the object then.
        change = Change(_name(), 0, tuple(begun))
        all_ties = ties(change, self._associations, lambda _: ())
        made = {action.key: _if_free(action) for action in links.actions(all_ties, 0)}
        return self._deed(change, demands(all_ties), made, entities)

    def _check_targets(self, keyed: Keyed, heads: Sequence[Item]) -> None:
        """Take away links and guards at objects that no key stands for, and make their counts right."""
        for head in heads:
            target = keys.reference_of(head.key)
            for ids in _batches(self._led_by(keyed, target), _TOGETHER):
                holders = self._desk.read_all([Reference(keyed.role.class_name, id_) for id_ in ids])
                for id_, entity in zip(ids, holders, strict=True):
                    if keyed.key(entity) != target.id:
                        self._unlink(keyed, target, id_)
        self._recount(heads, keyed.counted)

    def _led_by(self, keyed: Keyed, target: Reference) -> Sequence[str]:
        if keyed.link is not None:
            return links.found(self._engine, keyed.link, target.id)
        (guard,) = self._engine.get([keys.couple(keyed.role, target.id)])
        return [] if guard is None else [str(holder(guard))]

    def _unlink(self, keyed: Keyed, target: Reference, id_: str) -> None:
        """Take away a link or a guard, unless the key leads here after all."""
        reference = Reference(keyed.role.class_name, id_)
        if keyed.link is None:
            key = keys.couple(keyed.role, target.id)
            expect = Expectation(conditions=(Condition(HOLDER, ConditionOperator.EQUALS, id_),))
        else:
            key, expect = keys.link(target, keyed.link.role_name, id_), EXISTS
        for _ in range(_ROUNDS):
            entity = self._desk.read(reference)
            (item,) = self._engine.get([key])
            if item is None or keyed.key(entity) == target.id:
                return
            wanted = Demands()
            wanted[target].tally.subtract(keyed.counted)
            checks = [] if entity is None else [entity]
            gone = [] if entity is not None else [Check(keys.head(reference), GONE)]
            change = Change(_name(), 0)
            try:
                self._commit(self._deed(change, wanted, {key: Delete(key, expect)}, checks, gone))
            except Conflict:
                continue
            return

    # Links on their own.

    def _build_links(self, ends: Ends, tell: Tell) -> None:
        near, far = ends
        for heads in self._heads(near.role.class_name):
            for head in heads:
                self._complete(ends, keys.reference_of(head.key))
            tell(len(heads))
        if far.kept:
            for heads in self._heads(far.role.class_name):
                for head in heads:
                    self._complete(ends.turned(), keys.reference_of(head.key))
                tell(len(heads))
        for end in (end for end in ends if end.required):
            for heads in self._heads(end.role.class_name):
                self._recount(heads, (end.role,))

    def _complete(self, ends: Ends, reference: Reference) -> None:
        """Let each link of an object have its other end; one that leads to nothing is taken away."""
        near, far = ends
        ids = links.found(self._engine, near.role, reference.id)
        others = self._desk.read_all([Reference(far.role.class_name, id_) for id_ in ids])
        back = [
            keys.link(Reference(far.role.class_name, id_), far.role.role_name, reference.id) for id_ in ids
        ]
        there = self._desk.got(back) if far.kept else [None] * len(ids)
        for id_, other, item in zip(ids, others, there, strict=True):
            pair = Pair(ends, reference.id, id_)
            if (other is None and not far.always) or (far.kept and item is None and not self._is_real(near)):
                self._part(pair)
            elif far.kept and item is None:
                self._join(pair)

    def _is_real(self, end: End) -> bool:
        """Return whether links at an end belong to a role of the model, and not only follow others."""
        class_ = self._model.classes[end.role.class_name]
        return end.role.role_name in class_.roles

    def _join(self, pair: Pair) -> None:
        """Make the far link of a pair whose near link is there."""
        near, far = pair.ends
        other = Reference(far.role.class_name, pair.far)
        own = keys.link(Reference(near.role.class_name, pair.near), near.role.role_name, pair.far)
        key = keys.link(other, far.role.role_name, pair.near)
        wanted = Demands()
        wanted[other] = Demand(there=not far.always, linked=True)
        if far.required:
            wanted[other].tally[far.role] += 1
        self._attempt(wanted, {key: Put(Item(key), NOT_EXISTS)}, [Check(own, EXISTS)])

    def _part(self, pair: Pair) -> None:
        """Take away the near link of a pair that has no other end."""
        near, far = pair.ends
        owner, other = Reference(near.role.class_name, pair.near), Reference(far.role.class_name, pair.far)
        key = keys.link(owner, near.role.role_name, pair.far)
        back = keys.link(other, far.role.role_name, pair.near)
        wanted = Demands()
        if near.required:
            wanted[owner].tally[near.role] -= 1
        is_there = self._desk.read(other) is not None or far.always
        beside = Check(back, NOT_EXISTS) if is_there else Check(keys.head(other), GONE)
        self._attempt(wanted, {key: Delete(key, EXISTS)}, [beside])

    def _attempt(self, wanted: Demands, links_: Mapping[Key, Action], beside: Sequence[Check]) -> None:
        """Do something to a link, unless it or its other end has changed meanwhile: then others keep it."""
        try:
            self._commit(self._deed(Change(_name(), 0), wanted, links_, (), beside))
        except (IntegrityViolation, Conflict):
            return

    # Both.

    def _recount(self, heads: Sequence[Item], roles: Sequence[RoleName]) -> None:
        """Give objects counts that are as many as their links.

        A wrong one is taken away, and made anew under the condition that it is not there. Whoever changes
        links meanwhile must make the count first, so it is exact.
        """
        for role in roles:
            known = self._counts([head.key for head in heads], role)
            numbers = {key: self._desk.count(keys.reference_of(key), role) for key in known}
            missing = [key for key, number in known.items() if number is None]
            self._write([_count(key, role, numbers[key]) for key in missing])
            right = [key for key, number in known.items() if number == numbers[key]]
            # A wrong one may have changed while the links were counted, and be as many as they were then.
            again = self._counts(right, role)
            for key, number in known.items():
                if number is not None and again.get(key) != numbers[key]:
                    self._make_anew(key, role)

    def _counts(self, wanted: Sequence[Key], role: RoleName) -> dict[Key, int | None]:
        """Return what is counted at those objects that are there; None where nothing is."""
        heads = [head for head in map(living, self._engine.get(wanted)) if head is not None]
        return {head.key: codec.counts(head).get(role) for head in heads}

    def _make_anew(self, key: Key, role: RoleName) -> None:
        """Take the count of an object away, whatever it is, and make it anew."""
        name = codec.count_name(role)
        while (known := self._counts([key], role).get(key)) is not None:
            as_read = Expectation(conditions=(Condition(name, ConditionOperator.EQUALS, known),))
            self._write([Patch(key, as_read, remove=frozenset({name}))])
        self._write([_count(key, role, self._desk.count(keys.reference_of(key), role))])

    def _write(self, patches: Sequence[Patch]) -> None:
        """Do all of it but what others came in the way of.

        Where they have made a count meanwhile, it is exact already.
        """
        if not patches:
            return
        try:
            self._engine.commit(Batch(_name(), tuple(patches)))
        except (ExpectationFailed, OutcomeUnknown):
            for patch in patches if len(patches) > 1 else ():
                self._write([patch])

    def _deed(
        self,
        change: Change,
        wanted: Demands,
        made: Mapping[Key, Action],
        unchanged: Sequence[Entity],
        beside: Sequence[Check] = (),
    ) -> Deed:
        """Return what demands something of heads, and does something to links. Raises Broken."""
        expected = {entity.reference: as_read(entity) for entity in unchanged}
        heads = [
            Head(
                reference,
                None,
                demand,
                counted_at(self._desk, reference.class_name),
                change.commit_id,
                forced=True,
                unchanged=expected.get(reference, NO_EXPECTATION),
            )
            for reference, demand in wanted.items()
        ]
        checks = [
            Check(keys.head(reference), expect)
            for reference, expect in expected.items()
            if reference not in wanted
        ]
        around = Surroundings(
            {keys.head(head.reference): head for head in heads}, made, {}, (), (*checks, *beside)
        )
        return Deed(self._desk, self._rules, change, around)

    def _commit(self, deed: Deed) -> None:
        """Write it. Raises Broken, Conflict."""
        deed.check()
        for round_ in range(_ROUNDS):
            try:
                self._engine.commit(Batch(deed.change.commit_id, deed.actions(), round_))
            except ExpectationFailed as refusal:
                deed.learn(refusal.failures)
            except OutcomeUnknown as doubt:
                raise Conflict from doubt
            else:
                return
        raise Conflict

    def _heads(self, class_name: str) -> Iterator[Sequence[Item]]:
        """Yield the heads of a class, as they are."""
        if self._desk.is_singleton(class_name):
            listed: Iterable[Key] = [keys.head(Reference(class_name, SINGLETON_ID))]
        else:
            pages = self._engine.range(keys.LISTING, keys.listing(class_name))
            listed = (item.key for item in chain.from_iterable(pages))
        for wanted in _batches(listed, _TOGETHER):
            yield [head for head in map(living, self._engine.get(wanted)) if head is not None]


def _evidence(keyed: Keyed, entity: Entity) -> Key:
    """Return the key of the link or guard that an object's key is found by."""
    target = str(keyed.key(entity))
    if keyed.link is None:
        return keys.couple(keyed.role, target)
    return keys.link(Reference(keyed.target, target), keyed.link.role_name, entity.reference.id)


def _count(key: Key, role: RoleName, number: int) -> Patch:
    """Return what gives an object that is there a count that it does not have."""
    name = codec.count_name(role)
    absent = Expectation(ALIVE.exists, (*ALIVE.conditions, Condition(name, ConditionOperator.ABSENT)))
    return Patch(key, absent, set={name: number})


def _if_free(action: Action) -> Action:
    """Return what makes a link, if nobody has made it meanwhile: it is counted only once."""
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


def _name() -> str:
    return f"reindex{secrets.token_hex(12)}"
