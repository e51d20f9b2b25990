"""Give the objects that one member owns to another member."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from stratabase.core import waiting
from stratabase.core.domain.caller import Caller, require_administrator
from stratabase.core.domain.issues.issue import Subject
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded, Unavailable
from stratabase.core.domain.objects.change import Change, Effect, Modification, ObjectCheck, Tombstone
from stratabase.core.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockedByOthers,
    TooLarge,
    UniqueViolation,
)
from stratabase.core.domain.objects.entity import Entity, Reference, State, whole_of
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import instant_after, with_version_times
from stratabase.core.domain.query.order import Order, Position
from stratabase.core.domain.query.page import Query, Window
from stratabase.core.domain.write.commands import RequestIds, Update
from stratabase.core.domain.write.effects import OWNED_BY, NewOwner, author_of, hand_over_values
from stratabase.core.domain.write.plan import WritePlan
from stratabase.core.domain.write.request import ObjectWrite, WriteContext, WriteRequest
from stratabase.core.domain.write.snapshot import Snapshot
from stratabase.core.model.member_names import MemberName, could_mean, member_id, member_name, written_at
from stratabase.core.model.model import Class
from stratabase.core.model.types.identifier import id_timestamp
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.claims import TooManyClaims
from stratabase.core.operations.write.load import CallerVisibility, StateReaders
from stratabase.core.operations.write.options import NO_OPTIONS
from stratabase.core.operations.write.warnings import claims_and_warnings
from stratabase.members.member import Member, fold_name
from stratabase.members.operations.rules import (
    MAX_ROUNDS,
    ONLY_ADMINISTRATORS_HAND_OVER,
)
from stratabase.members.ports import Members
from stratabase.members.refusals import BadMember, FieldMistake, NoSuchMember
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, ngettext, or_list

_PAGE_SIZES = (200, 20, 1)
"""Objects to read in one page. The next size is tried if a page exceeds the read budget."""
_BATCH_SIZE = 20
"""Objects to write in one commit."""
_CHECKPOINT_LIFETIME = 3_600_000
"""Milliseconds for which the position of an unfinished hand-over is kept."""


class _Warned(Exception):
    """A blocking warning refuses a hand-over."""


_REFUSALS = (UniqueViolation, TooLarge, IntegrityViolation, _Warned, TooManyClaims, ReadBudgetExceeded)
"""The exceptions after which an object keeps its owner, however often it is tried."""
IsOwned = Callable[[State], bool]
"""Returns whether an object with a state belongs to the former owner."""


@frozen
class FormerMember:
    """A member who was deleted, identified by the name that objects record as their owner."""

    name: str


From = str | FormerMember
"""The former owner: a member's id, even if the member was deleted, or a name."""


@dataclass(slots=True)
class HandOverResult:
    """The result of one hand-over."""

    complete: bool = False
    """If False, the time was over. The same hand-over, repeated within an hour, continues from there."""
    handed_over: int = 0
    locked: int = 0
    """The number of objects that others have locked. They keep their owner."""
    refused: int = 0
    """The number of objects that can't be written so: a blocking warning or the store refuses it, for example
    because of their size. They keep their owner."""

    def __add__(self, other: "HandOverResult") -> "HandOverResult":
        """Return the result of two consecutive calls; `other` is the later one."""
        sums = {name: number + getattr(other, name) for name, number in asdict(self).items()}
        return HandOverResult(**{**sums, "complete": other.complete})


class HandOver:
    """Gives the objects of an owner to a member. One call does as much as its time allows."""

    def __init__(self, members: Members, services: Callable[[], Services]) -> None:
        """`services` returns the services. It is called when a hand-over begins, not before."""
        self._members = members
        self._services = services

    def __call__(self, caller: Caller, from_: From, to: str, class_name: str | None = None) -> HandOverResult:
        """Hand over the objects of one class or of all classes. `to` is the id of the new owner.

        Raises Forbidden, BadMember, Unavailable. Raises NoSuchMember if no member has the id `from_` and no
        object has such an owner.
        """
        require_administrator(caller, ONLY_ADMINISTRATORS_HAND_OVER)
        services = self._services()
        owner, classes = self._validate(services, from_, to, class_name)
        is_owned = self._ownership_test(from_)
        # The position has the stored names of classes, which stay when a class is renamed.
        stored_class = "" if class_name is None else classes[0].stored_name
        run = _HandOverRun(services, caller, owner, is_owned, f"{_source_key(from_)}#{to}#{stored_class}")
        result = run.execute(classes)
        # An unknown id is a mistake, unless objects still have it as their owner.
        is_known = not isinstance(from_, str) or self._members.by_id(from_) is not None or run.resumed
        if not is_known and result == HandOverResult(complete=True):
            raise NoSuchMember
        return result

    def _validate(
        self, services: Services, from_: From, to: str, class_name: str | None
    ) -> tuple[Member, Sequence[Class]]:
        owner, mistakes = self._members.by_id(to), list[FieldMistake]()
        classes = {
            class_.name: class_ for class_ in services.model.classes.values() if _records_owner(class_)
        }
        if owner is None:
            mistakes.append(FieldMistake("to", _('"to" must be the ID of a member.')))
        elif to == from_:
            message = _('"to" is the current owner of the objects. Specify another member.')
            mistakes.append(FieldMistake("to", message))
        if class_name is not None and class_name not in classes:
            message = (
                _('"class" must be a class that records owners. Use {classes}.', classes=or_list(classes))
                if classes
                else _('"class" must be a class that records owners, but no class in the model does.')
            )
            mistakes.append(FieldMistake("class", message))
        if mistakes or owner is None:
            raise BadMember(mistakes)
        return owner, [each for name, each in classes.items() if class_name in (None, name)]

    def _ownership_test(self, from_: From) -> IsOwned:
        if isinstance(from_, str):
            member = self._members.by_id(from_)
            return _owned_by_id(from_) if member is None else _owned_by_member(member)
        return _owned_by_former_member(from_.name, {each.id: each for each in self._members.roster().members})


def _source_key(from_: From) -> str:
    return from_ if isinstance(from_, str) else f"={fold_name(from_.name)}"


def _records_owner(class_: Class) -> bool:
    return class_.is_stored and OWNED_BY in class_.attributes


def _owned_by_member(member: Member) -> IsOwned:
    theirs = MemberName(member.username, member.id, id_timestamp(member.id))
    return lambda state: member_name(state, OWNED_BY) == theirs


def _owned_by_id(id_: str) -> IsOwned:
    return lambda state: member_id(state, OWNED_BY) == id_


def _owned_by_former_member(name: str, members: Mapping[str, Member]) -> IsOwned:
    """Return the test for objects whose recorded owner has this name and is no longer a member."""
    folded_name = fold_name(name)
    namesake = next(
        (member for member in members.values() if fold_name(member.username) == folded_name), None
    )

    def is_owned(state: State) -> bool:
        recorded = state.get(OWNED_BY)
        if not isinstance(recorded, str) or fold_name(recorded) != folded_name:
            return False
        # States of older versions have only the name. Then it means the present member of that name if the
        # member existed when the name was written.
        id_ = member_id(state, OWNED_BY)
        if id_ is not None:
            return id_ not in members
        return namesake is None or not could_mean(id_timestamp(namesake.id), written_at(state, OWNED_BY))

    return is_owned


class _HandOverRun:
    """One call of a hand-over."""

    def __init__(
        self, services: Services, caller: Caller, owner: Member, is_owned: IsOwned, name: str
    ) -> None:
        self._services = services
        self._caller = caller
        self._owner = owner
        self._is_owned = is_owned
        self._name = f"hand-over#{name}"
        self._end = services.bulk_end()
        self._result = HandOverResult()
        self.resumed = False
        """Whether the call continued from the position of an earlier one."""

    def execute(self, classes: Sequence[Class]) -> HandOverResult:
        """Hand over as many objects as the time allows. Raises Unavailable, which says how many were done."""
        class_name, start = self._checkpoint()
        names = [class_.stored_name for class_ in classes]
        skipped = names.index(class_name) if class_name in names else 0
        self.resumed = class_name in names
        try:
            # The classes before the checkpoint are done. In its class, continue after its object.
            for class_ in classes[skipped:]:
                for entities in self._pages(class_, start if class_.stored_name == class_name else None):
                    self._hand_over(class_, entities)
                    # Check the time after a page, not before, so that each call makes progress.
                    if self._services.clock.now() >= self._end:
                        self._save_checkpoint(class_, entities[-1])
                        return self._result
        except Unavailable as trouble:
            message = ngettext(
                "{reason} Before that, {count} object was handed over. Repeat the request to continue.",
                "{reason} Before that, {count} objects were handed over. Repeat the request to continue.",
                self._result.handed_over,
                reason=trouble.message,
            )
            raise Unavailable(message, trouble.retry_after, may_have_written=True) from trouble
        if self.resumed:
            # Everything is done, so the next call must start from the beginning.
            self._services.entities.set_checkpoint(self._name, None)
        self._result.complete = True
        return self._result

    def _checkpoint(self) -> tuple[str | None, Position | None]:
        """Return the class and the position where an earlier call stopped, if that was recent."""
        checkpoint = self._services.entities.checkpoint(self._name)
        if checkpoint is None:
            return None, None
        instant, class_name, id_ = checkpoint.split(" ", 2)
        is_fresh = int(instant) + _CHECKPOINT_LIFETIME > self._services.clock.now()
        return (class_name, Position((id_,))) if is_fresh else (None, None)

    def _save_checkpoint(self, class_: Class, last: Entity) -> None:
        at = f"{self._services.clock.now()} {class_.stored_name} {last.reference.id}"
        self._services.entities.set_checkpoint(self._name, at)

    def _pages(self, class_: Class, start: Position | None) -> Iterator[Sequence[Entity]]:
        """Yield the objects of a class in pages, in the order of their ids."""
        while page := self._page(class_, start):
            yield page
            start = Position((page[-1].reference.id,))
            waiting.give_way()

    def _page(self, class_: Class, start: Position | None) -> Sequence[Entity]:
        for size in _PAGE_SIZES:
            query = Query(class_.name, Order(), window=Window(size=size, start=start))
            try:
                return self._services.entities.page(query, self._services.new_budget()).items
            except ReadBudgetExceeded:
                continue
        raise Unavailable(_("The objects are too large to read within the read limit."))

    def _hand_over(self, class_: Class, entities: Sequence[Entity]) -> None:
        """Hand over those of the objects that the former owner owns."""
        owned = [each for each in entities if self._is_owned(each.state)]
        for first in range(0, len(owned), _BATCH_SIZE):
            batch = owned[first : first + _BATCH_SIZE]
            # If the batch fails as a whole, one object at a time shows which ones are in the way.
            if not self._try_commit(class_, self._reread(batch)):
                for each in batch:
                    self._hand_over_one(class_, each)

    def _reread(self, entities: Sequence[Entity]) -> list[Entity]:
        """Return the objects as they are now, with their locks, if they still belong to the former owner."""
        current = self._services.entities.read([each.reference for each in entities])
        owned = [each for each in current if each is not None and self._is_owned(each.state)]
        return [each for each in owned if self._has_its_wholes(each)]

    def _has_its_wholes(self, entity: Entity) -> bool:
        """Return whether all wholes of an object exist.

        A deletion may leave parts behind until its cleanup.
        """
        reference = self._whole(entity)
        if reference is None:
            return True
        (whole,) = self._services.entities.read([reference])
        return whole is not None and self._has_its_wholes(whole)

    def _touched_wholes(self, entities: Sequence[Entity]) -> Iterator[ObjectCheck]:
        """Yield the wholes of parts, which must exist and not be locked by others. Raises Conflict."""
        written = {each.reference for each in entities}
        wholes = {reference for each in entities if (reference := self._whole(each)) is not None}
        # A whole that the same commit writes is checked by that write.
        for whole in self._services.entities.read(sorted(wholes - written)):
            if whole is None:
                raise Conflict
            yield ObjectCheck(whole)

    def _whole(self, entity: Entity) -> Reference | None:
        """Return the reference of the whole that an object is a part of, or None."""
        owner = whole_of(self._services.class_(entity.reference.class_name), entity.state)
        return None if owner is None else owner.reference

    def _try_commit(self, class_: Class, entities: Sequence[Entity]) -> bool:
        """Hand over objects in one commit. Return False if that is refused, and nothing was written."""
        now = self._services.clock.now()
        try:
            self._commit(class_, entities, now)
        except (Conflict, LockedByOthers, *_REFUSALS):
            return False
        return True

    def _hand_over_one(self, class_: Class, entity: Entity) -> None:
        """Hand over one object, or count it as locked or refused. Raises Unavailable."""
        for _round in range(MAX_ROUNDS):
            current, now = self._reread([entity]), self._services.clock.now()
            try:
                self._commit(class_, current, now)
            except Conflict:
                continue
            except LockedByOthers as refusal:
                # The lock has ended in the meantime: try again.
                if not refusal.still_hold(self._services.clock.now()):
                    continue
                self._result.locked += 1
            except _REFUSALS:
                self._result.refused += 1
            return
        raise Unavailable(_("Concurrent writes to the same object prevented this write. Try again."))

    def _commit(self, class_: Class, entities: Sequence[Entity], now: Instant) -> None:
        """Hand over objects in one commit.

        Raises what `WritableObjects.commit` raises, _Warned, TooManyClaims, ReadBudgetExceeded.
        """
        if not entities:
            return
        # The new versions must start after the present ones, even if the clock was set back.
        instant = instant_after(now, (each.start for each in entities))
        updates = [Modification(each, self._after(class_, each, instant)) for each in entities]
        effects: tuple[Effect, ...] = (*updates, *self._touched_wholes(entities))
        commit_id = self._services.ids.new()
        author = author_of(self._caller, commit_id)
        change = Change(commit_id, instant, effects, author, self._caller.id, now)
        if self._services.warning_rules.exist:
            change = replace(change, claims=self._claimed(entities, change))
        self._services.entities.commit(change)
        self._result.handed_over += len(entities)

    def _claimed(self, entities: Sequence[Entity], change: Change) -> tuple[Entity | Tombstone, ...]:
        """Return what the commit must claim. Raises _Warned, TooManyClaims, ReadBudgetExceeded."""
        services, now = self._services, change.time
        snapshot = Snapshot(entities={each.reference: each for each in entities})
        ids = RequestIds(Update(entities[0].reference), services.ids.new)
        request = WriteRequest(WriteContext(services.model, ids, self._caller, now, snapshot))
        for effect in change.object_effects():
            if effect.before is not None and effect.after is not None:
                subject = Subject(
                    services.class_(effect.after.reference.class_name), effect.after.reference.id
                )
                request.add(
                    ObjectWrite(subject, effect.after.reference, effect.before, dict(effect.after.state))
                )
        plan = WritePlan(request, change.instant, change.effects)
        conditions = CallerVisibility(services, self._caller, NO_OPTIONS).conditions_at(change.instant)
        claims, warnings = claims_and_warnings(StateReaders(services, plan, *conditions), force=True)
        if warnings:
            raise _Warned
        return claims.claimed

    def _after(self, class_: Class, before: Entity, instant: Instant) -> Entity:
        owner = NewOwner(self._owner.id, self._owner.username)
        recorded = hand_over_values(class_, before, owner, self._caller, instant)
        state = with_version_times(class_, {**before.state, **recorded}, instant)
        return Entity(before.reference, state, before.commit_ids, start=instant, lock=before.lock)
