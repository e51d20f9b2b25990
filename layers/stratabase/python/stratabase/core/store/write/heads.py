"""The action on one head, which combines the effect on its object with the changes of its counts.

A batch has at most one action for each key, so everything that a change does to a head is merged.

The first attempt assumes that the head exists and has every count that the change alters. After a refused
attempt, `HeadWrite.learn` corrects this. A head that is older than a count gets the count now: the number of
existing links. If the object was deleted, there is no count to decrease.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from stratabase.core.domain.objects.change import (
    Creation,
    Deletion,
    Modification,
    ObjectEffect,
    Restoration,
    Tombstone,
)
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    RequiredRoleEmpty,
    RoleNotBuilt,
    RoleViolation,
    TargetNotFound,
)
from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, differ
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import Author
from stratabase.core.model.attribute import KEPT
from stratabase.core.model.model import Class, ClassKind
from stratabase.core.store.engine.actions import is_met
from stratabase.core.store.engine.port import (
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Check,
    Condition,
    ConditionOperator,
    DeleteItem,
    Expectation,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
    Value,
)
from stratabase.core.store.layout import codec, keys, object_items
from stratabase.core.store.layout.access_path import AccessPath
from stratabase.core.store.layout.codec import PART_LOCK
from stratabase.core.store.layout.deleted_listing import DeletedListing
from stratabase.core.store.layout.object_items import (
    IS_DELETED,
    NEVER_WRITTEN,
    NO_LOCK_CONDITIONS,
    OBJECT_ABSENT,
    OBJECT_EXISTS,
    LockConditions,
    expect_same_commit,
    expect_tombstone,
    expect_unchanged,
    index_places,
    live_head,
    moved_places,
)
from stratabase.core.store.write.association_changes import CountDelta
from stratabase.values.frozen import frozen


class HeadContext(NamedTuple):
    """The inputs of a head's action, besides the effect."""

    class_: Class
    paths: tuple[AccessPath, ...]
    """The indexes of the class, with its listing."""
    commit_id: str
    instant: Instant
    """The start of the version that is written."""
    author: Author | None = None
    """Who begins or ends the version."""
    deleted: DeletedListing | None = None
    """Where the class lists its deleted objects, None if it does not."""
    indexed: frozenset[str] | None = None
    """The attributes and roles in these indexes, None if one of them is not READY."""
    has_links: bool = False
    """Whether objects of the class may have links of associations without a foreign key."""
    lock_conditions: LockConditions = NO_LOCK_CONDITIONS
    """The conditions under which the object's lock admits the member who writes."""
    defers_parts: bool = False
    """Whether cleanup deletes parts of the object later. Then no part may have been locked since the read."""
    is_claimed: bool = False
    """Whether the change claims the object. Then no other may have claimed it since the read."""


def head_action(effect: ObjectEffect, context: HeadContext) -> Put | Patch | DeleteItem:
    """Return the action of an effect on the head of its object. Raises TooLarge."""
    return _EFFECT_ACTIONS[type(effect)](effect, context)


def _created(effect: Creation, context: HeadContext) -> Put:
    return Put(_head(effect.after, (), context), NOT_EXISTS)


def _restored(effect: Restoration, context: HeadContext) -> Put:
    gone, after = effect.tombstone, effect.after
    head = _head(after, gone.commit_ids, context)
    previous = codec.previous_start_attributes(gone.previous_start)
    claim: dict[str, Value] = {codec.CLAIMED: context.commit_id} if context.is_claimed else {}
    attributes = {**head.attributes, **previous, **claim}
    return Put(replace(head, attributes=attributes), expect_tombstone(gone))


def _head(after: Entity, commit_ids: tuple[str, ...], context: HeadContext) -> Item:
    """Return the head of a new or restored object."""
    return Item(
        keys.head(after.reference),
        _stamps(commit_ids, context),
        codec.state_text(after.reference, after.state),
        index_places(after, context.paths),
    )


def _stamps(commit_ids: tuple[str, ...], context: HeadContext) -> dict[str, Value]:
    """Return the attributes of a head with its last commit ids, its version start, and who began it."""
    return {
        codec.COMMIT_IDS: codec.append_commit_id(commit_ids, context.commit_id),
        codec.VERSION_START_ATTRIBUTE: context.instant,
        **codec.author_attributes(context.author, context.instant),
    }


def _updated(effect: Modification, context: HeadContext) -> Patch:
    before, after, class_ = effect.before, effect.after, context.class_
    # 1. The new state keeps values of attributes that an edit of the model has removed, and others without an
    #    attribute. They come first in its text, also if the update has them, so that texts stay the same from
    #    version to version of the service.
    known = class_.state_names
    unknown = {name: value for name, value in before.state.items() if name not in known and name != KEPT}
    state = {**unknown, **after.state}
    # 2. The object must still be as it was read, and not locked by others.
    is_first = class_.kind is ClassKind.SINGLETON and not before.commit_ids
    more = _more_expected(before, context) if context.defers_parts or context.is_claimed else ()
    if is_first:
        expected = Expectation(None, (*NEVER_WRITTEN.conditions, *more), context.lock_conditions)
    else:
        expected = expect_unchanged(before, more, context.lock_conditions)
    # 3. Most updates leave all indexes alone.
    places: Mapping[str, IndexKey] = {}
    if is_first or context.indexed is None or differ(before.state, state, context.indexed):
        kept = Entity(after.reference, state)
        places = index_places(kept, context.paths) if is_first else moved_places(before, kept, context.paths)
    stamps = _stamps(before.commit_ids, context)
    if context.is_claimed:
        stamps[codec.CLAIMED] = context.commit_id
    if class_.versioned and not is_first:
        stamps[codec.PREVIOUS_START_ATTRIBUTE] = codec.entity_start(before)
    return Patch(
        keys.head(before.reference),
        expected,
        set=stamps,
        state=codec.state_text(after.reference, state),
        places=places,
        seen=before.seen,
    )


def _more_expected(before: Entity, context: HeadContext) -> list[Condition]:
    """Return the conditions that nobody has locked a part, or claimed the object, since it was read."""
    more = [expect_same_commit(PART_LOCK, before.part_lock)] if context.defers_parts else []
    return [*more, expect_same_commit(codec.CLAIMED, before.claimed)] if context.is_claimed else more


def _deleted(effect: Deletion, context: HeadContext) -> DeleteItem | Put:
    before, expected = effect.before, expect_unchanged(effect.before)
    # A link that was created since the object was read would be missed. Its creation has written its commit
    # id to the head, so this expectation then fails.
    more = [expect_same_commit(codec.LINKED, before.linked)] if context.has_links else []
    more += _more_expected(before, context)
    expect = replace(expected, conditions=(*expected.conditions, *more), either=context.lock_conditions)
    if context.class_.versioned:
        # To withdraw a restoration is to write its tombstone again.
        gone = effect.withdrawn or Tombstone(
            before.reference, context.instant, codec.entity_start(before), author=context.author
        )
        tombstone = object_items.tombstone_item(gone, context.commit_id, context.deleted, before.commit_ids)
        return Put(tombstone, expect)
    return DeleteItem(keys.head(before.reference), expect)


_EFFECT_ACTIONS: Mapping[type[Any], Callable[[Any, HeadContext], Put | Patch | DeleteItem]] = {
    Creation: _created,
    Modification: _updated,
    Deletion: _deleted,
    Restoration: _restored,
}
"""By effect: returns its action on the head, without the counts, which `HeadWrite` adds."""


CountLinks = Callable[[Reference, RoleName], int]
"""Returns the number of links of an object by a role, or of references to it by the role of another class."""
IsReleased = Callable[[Key], bool]
"""Returns whether a guard, given by its key, has no holder after the change."""


@frozen
class CountedRoles:
    """The roles that the heads of a class count."""

    roles: tuple[RoleName, ...] = ()
    required_keys: frozenset[RoleName] = frozenset()
    """Roles of other classes whose required foreign keys refer to this class.

    An object must not be deleted while such a key refers to it.
    """
    may_be_unwritten: bool = False
    """Whether the class is a singleton, whose object exists before it has a head."""
    unbuilt: tuple[RoleName, ...] = ()
    """The required roles that refer to this class and are not READY: their counts may be wrong."""
    unbuilt_lists: frozenset[RoleName] = frozenset()
    """The required roles of this class to many that are not READY: their counts may be wrong."""


@dataclass(slots=True)
class HeadWrite:
    """Everything that a change does to one head."""

    reference: Reference
    effect_action: Put | Patch | DeleteItem | None
    """The action of the effect on the object; None if the change only affects counts or locks."""
    delta: CountDelta
    counted: CountedRoles
    commit_id: str
    ignores_required: bool = False
    """Skip the checks that no required role becomes empty, because they were done before."""
    is_checked: bool = False
    """Whether the change writes a part or a link of the object, and not its state. The object must exist."""
    lock_conditions: LockConditions = NO_LOCK_CONDITIONS
    """For a checked object: the conditions under which its lock admits the member who writes."""
    also_expected: Expectation = NO_EXPECTATION
    """For a checked or claimed object: a further expectation."""
    effect_type: type[ObjectEffect] | None = None
    is_claimed: bool = False
    """Whether the change claims the object, and does not write its state."""
    is_tombstone: bool = False
    """Whether the claimed object is a deleted one, and must stay deleted. Otherwise it must exist."""
    is_absent: bool = False
    """Whether a refused attempt has found that the object does not exist."""
    uncounted: dict[RoleName, int] = field(default_factory=dict)
    """The roles for which the head has no count yet, with the number of their links."""

    @property
    def is_deletion(self) -> bool:
        """Whether the change deletes the object."""
        return self.effect_type is Deletion

    # Violations, and corrections after a refused attempt.

    def certain_violation(self) -> RoleViolation | None:
        """Return the violation that does not depend on stored items, None if there is none.

        Either a reference is set to an object that the change deletes, or has found deleted, or a required
        role is not built yet.
        """
        if self.is_deletion and (self.delta.must_exist or self.delta.gains_links):
            return TargetNotFound(self.reference)
        if self.is_tombstone and self.delta.must_exist:
            return TargetNotFound(self.reference)
        role = None if self.ignores_required else self._unbuilt_role()
        return None if role is None else RoleNotBuilt(self.reference, role)

    def _unbuilt_role(self) -> RoleName | None:
        """Return a required role that the change might empty, and whose counts are not built yet."""
        if self.is_deletion:
            return next(iter(self.counted.unbuilt), None)
        lost = (role for role, number in self.delta.counts.items() if number < 0)
        return next((role for role in lost if role in self.counted.unbuilt_lists), None)

    def is_contradictory(self, is_released: IsReleased) -> bool:
        """Return whether the object must both exist and not exist, which no single action can express."""
        is_written = isinstance(self.effect_action, Patch)
        return (is_written or self._must_exist) and any(self._emptied_roles(is_released))

    @property
    def _must_exist(self) -> bool:
        return self.delta.must_exist or self.is_checked or (self.is_claimed and not self.is_tombstone)

    def learn(self, found: Item | None, count: CountLinks, is_released: IsReleased) -> list[RoleViolation]:
        """Correct this write based on the head that was found; return the violated roles. Raises Conflict."""
        expected = self.also_expected if self.effect_action is None else self.effect_action.expect
        if not is_met(expected, found):
            raise Conflict
        if (head := live_head(found)) is None:
            return self._learn_absence()
        emptied = [RequiredRoleEmpty(self.reference, role) for role in self._emptied_roles(is_released)]
        return [*emptied, *self._learn_counts(head, count)]

    def _learn_absence(self) -> list[RoleViolation]:
        # A singleton exists without a head. It has no counts yet.
        if self.counted.may_be_unwritten:
            self.uncounted = dict.fromkeys(self.delta.counts, 0)
            return []
        if self.is_checked or (self.is_claimed and not self.is_tombstone):
            raise Conflict
        if self.delta.must_exist:
            return [TargetNotFound(self.reference)]
        # References to the object are only removed: the next attempt expects that it does not exist.
        self.is_absent = self.effect_action is None
        return []

    def _learn_counts(self, found: Item, count: CountLinks) -> Iterator[RoleViolation]:
        counts = codec.counts(found)
        for role in self._relevant_roles():
            if role in counts:
                self.uncounted.pop(role, None)
            else:
                self.uncounted[role] = count(self.reference, role)
            if not self._is_enough(role, counts.get(role, self.uncounted.get(role, 0))):
                yield RequiredRoleEmpty(self.reference, role)

    def _is_enough(self, role: RoleName, number: int) -> bool:
        """Return whether a count admits the change: a required role must not become empty.

        For a deletion, no required key may refer to the object afterwards.
        """
        more = self.delta.counts[role]
        if self.is_deletion:
            return number + more <= 0
        return self.ignores_required or role in self.counted.required_keys or more >= 0 or number + more > 0

    def _emptied_roles(self, is_released: IsReleased) -> list[RoleName]:
        """Return the required one-to-one roles of the object that the change empties."""
        if self.ignores_required or isinstance(self.effect_action, DeleteItem | Put):
            return []
        return [role for guard, role in self.delta.released_guards.items() if is_released(guard)]

    def _relevant_roles(self) -> list[RoleName]:
        """Return the roles whose counts the change alters, or must check."""
        if self.is_deletion:
            return [] if self.ignores_required else [*self.counted.required_keys]
        return [role for role, number in self.delta.counts.items() if number]

    # The action.

    def action(self, other_check: Check | None, is_released: IsReleased) -> Action | None:
        """Return the action on the head for the next attempt, None if none is needed.

        `other_check`: a check of the same head by the guards, which this action must include.
        """
        if self.effect_action is not None and self.effect_type is not None:
            return self._ADD_COUNTS[self.effect_type](self, self.effect_action)
        key = keys.head(self.reference)
        claim = {codec.CLAIMED: self.commit_id} if self.is_claimed else {}
        if self.is_tombstone:  # it has no counts
            patch = Patch(key, self.also_expected, set=claim)
        elif self.is_absent or self._emptied_roles(is_released):
            return Check(key, OBJECT_ABSENT)
        else:
            exists = NO_EXPECTATION if self.counted.may_be_unwritten else OBJECT_EXISTS
            expect = replace(both(exists, self.also_expected), either=self.lock_conditions)
            patch = self._with_changed_counts(Patch(key, expect, set=claim))
        # An expectation that the object exists takes precedence over one that it does not exist.
        is_more = other_check is not None and other_check.expect != OBJECT_ABSENT
        expect = both(patch.expect, other_check.expect) if other_check and is_more else patch.expect
        if patch.set or patch.add:
            return replace(patch, expect=expect)
        return Check(key, expect) if self._must_exist or other_check else None

    def _with_all_counts(self, base: Put) -> Action:
        """Return the creation of a head, with all its counts."""
        if not self.counted.roles and not self.delta.gains_links:
            return base
        counts = {codec.count_attribute(role): self.delta.counts[role] for role in self.counted.roles}
        attributes = {**base.item.attributes, **counts, **self._link_stamp()}
        return replace(base, item=replace(base.item, attributes=attributes))

    def _with_changed_counts(self, base: Patch) -> Patch:
        """Return a patch that also changes the counts: adds to existing ones, and sets missing ones."""
        counts = {role: self.delta.counts[role] for role in self._relevant_roles()}
        if not counts and not self.delta.gains_links:
            return base
        set_, add = dict(base.set), dict(base.add)
        for role, number in counts.items():
            name = codec.count_attribute(role)
            if role in self.uncounted:
                set_[name] = self.uncounted[role] + number
            else:
                add[name] = number
        conditions = tuple(self._count_condition(role, number) for role, number in counts.items())
        return replace(
            base,
            expect=both(base.expect, Expectation(None, conditions)),
            set={**set_, **self._link_stamp()},
            add=add,
        )

    def _count_condition(self, role: RoleName, number: int) -> Condition:
        """Return the condition under which a number may be added to a count: no required role gets empty."""
        name = codec.count_attribute(role)
        if role in self.uncounted:
            return Condition(name, ConditionOperator.ABSENT)
        if number < 0 and role not in self.counted.required_keys and not self.ignores_required:
            return Condition(name, ConditionOperator.MORE_THAN, -number)
        return Condition(name, ConditionOperator.PRESENT)

    def _without_counts(self, base: Put) -> Action:
        """Return the head of a restored object, without counts.

        Links to it may have stayed, and others may be removed at the same time. So its counts are set when
        they are first needed.
        """
        attributes = {**base.item.attributes, **self._link_stamp()}
        return replace(base, item=replace(base.item, attributes=attributes))

    def _if_unneeded(self, base: DeleteItem | Put) -> Action:
        """Return a deletion that expects that no required key refers to the object after the change."""
        conditions = tuple(self._unneeded_condition(role) for role in self._relevant_roles())
        return replace(base, expect=both(base.expect, Expectation(None, conditions)))

    def _unneeded_condition(self, role: RoleName) -> Condition:
        name = codec.count_attribute(role)
        if role in self.uncounted:
            return Condition(name, ConditionOperator.ABSENT)
        return Condition(name, ConditionOperator.AT_MOST, -self.delta.counts[role])

    def _link_stamp(self) -> dict[str, Value]:
        return {codec.LINKED: self.commit_id} if self.delta.gains_links else {}

    _ADD_COUNTS: ClassVar[Mapping[type[ObjectEffect], Callable[["HeadWrite", Any], Action]]] = {
        Creation: _with_all_counts,
        Modification: _with_changed_counts,
        Deletion: _if_unneeded,
        Restoration: _without_counts,
    }


def expect_unclaimed(found: Entity | Tombstone) -> Expectation:
    """Return the expectation that nobody has claimed an object, or restored a deleted one, since the read."""
    if isinstance(found, Entity):
        return Expectation(conditions=(expect_same_commit(codec.CLAIMED, found.claimed),))
    return both(expect_tombstone(found), IS_DELETED)


def both(one: Expectation, other: Expectation) -> Expectation:
    """Return an expectation that combines two, of which one at most has alternatives."""
    exists = one.exists if other.exists is None else other.exists
    more = tuple(each for each in other.conditions if each not in one.conditions)
    return Expectation(exists, (*one.conditions, *more), one.either or other.either)
