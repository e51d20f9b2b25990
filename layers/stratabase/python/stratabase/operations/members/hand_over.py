"""Gives the objects that one member owns to another."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

from stratabase import waiting
from stratabase.domain.issues.refusals import ReadBudgetExceeded, Unavailable
from stratabase.domain.members.member import Caller, Member, fold_name
from stratabase.domain.members.refusals import BadMember, FieldMistake, NoSuchMember
from stratabase.domain.objects.change import Change, Effect, Modification, ObjectCheck
from stratabase.domain.objects.commit_refusals import (
    Conflict,
    IntegrityViolation,
    LockedByOthers,
    TooLarge,
    UniqueViolation,
)
from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.parts import whole_of
from stratabase.domain.objects.version import instant_after, with_version_times
from stratabase.domain.query.order import Order, Position
from stratabase.domain.query.page import Query, Window
from stratabase.domain.write.platform_attributes import OWNED_BY, hand_over_values
from stratabase.messages import _, ngettext, or_list
from stratabase.model.member_names import MemberName, could_mean, member_id, member_name, written_at
from stratabase.model.model import Class
from stratabase.model.types.identifier import id_timestamp
from stratabase.operations.members.rules import (
    MAX_ROUNDS,
    ONLY_ADMINISTRATORS_HAND_OVER,
    require_administrator,
)
from stratabase.operations.ports import Members
from stratabase.operations.services import Services

_READ_TOGETHER = (200, 20, 1)
"""Objects in one page; fewer where these are more than may be read at once."""
_WRITTEN_TOGETHER = 20
_CHECKPOINT = 3_600_000
"""Milliseconds for which it is remembered how far a hand-over came."""
IsTheirs = Callable[[State], bool]
"""Tells from the state of an object whether it is one to be handed over."""


@dataclass(frozen=True, slots=True)
class FormerMember:
    """Somebody who is no member any more, by the name that objects have of their owner."""

    name: str


From = str | FormerMember
"""The id of a member, perhaps one who was deleted; or somebody who is known by name only."""


@dataclass(slots=True)
class HandOverResult:
    """What one hand-over did."""

    complete: bool = False
    """Otherwise its time was over: the same hand-over, repeated within an hour, goes on from there."""
    handed_over: int = 0
    locked: int = 0
    """Objects that others have locked; they keep their owner."""
    refused: int = 0
    """Objects that the store does not take, such as one that would be too large; they keep their owner."""

    def __add__(self, other: "HandOverResult") -> "HandOverResult":
        """Return what two calls did, of which the other came later."""
        sums = {name: number + getattr(other, name) for name, number in asdict(self).items()}
        return HandOverResult(**{**sums, "complete": other.complete})


class HandOver:
    """Hands the objects of an owner over to a member: one call as many as its time allows."""

    def __init__(self, members: Members, services: Callable[[], Services]) -> None:
        """`services` is called when something is handed over, and not before."""
        self._members = members
        self._services = services

    def __call__(self, caller: Caller, from_: From, to: str, class_name: str | None = None) -> HandOverResult:
        """Hand over what is owned, in one class or in all; `to` is the id of a member.

        Raises Forbidden, BadMember, Unavailable; NoSuchMember if there is neither a member with that id nor
        an object that one owned.
        """
        require_administrator(caller, ONLY_ADMINISTRATORS_HAND_OVER)
        services = self._services()
        owner, classes = self._checked(services, from_, to, class_name)
        is_theirs = self._is_theirs(from_)
        work = _Work(services, caller, owner, is_theirs, f"{_source_key(from_)}#{to}#{class_name or ''}")
        done = work.done(classes)
        is_known = not isinstance(from_, str) or self._members.by_id(from_) is not None or work.went_on
        if not is_known and done == HandOverResult(complete=True):
            raise NoSuchMember
        return done

    def _checked(
        self, services: Services, from_: From, to: str, class_name: str | None
    ) -> tuple[Member, Sequence[Class]]:
        owner, mistakes = self._members.by_id(to), list[FieldMistake]()
        classes = {
            class_.name: class_ for class_ in services.model.classes.values() if _records_owner(class_)
        }
        if owner is None:
            mistakes.append(FieldMistake("to", _('"to" must be the id of a member.')))
        elif to == from_:
            message = _('"to" is the member who hands over the objects. Specify another member.')
            mistakes.append(FieldMistake("to", message))
        if class_name is not None and class_name not in classes:
            message = (
                _('"class" must be a class that records owners. Use {classes}.', classes=or_list(classes))
                if classes
                else _('"class" must be a class that records owners, but no class of the model does.')
            )
            mistakes.append(FieldMistake("class", message))
        if mistakes or owner is None:
            raise BadMember(mistakes)
        return owner, [each for name, each in classes.items() if class_name in (None, name)]

    def _is_theirs(self, from_: From) -> IsTheirs:
        if isinstance(from_, str):
            member = self._members.by_id(from_)
            return _of_id(from_) if member is None else _of_member(member)
        return _of_former(from_.name, {each.id: each for each in self._members.roster().members})


def _source_key(from_: From) -> str:
    return from_ if isinstance(from_, str) else f"={fold_name(from_.name)}"


def _records_owner(class_: Class) -> bool:
    return class_.is_stored and OWNED_BY in class_.attributes


def _of_member(member: Member) -> IsTheirs:
    theirs = MemberName(member.username, member.id, id_timestamp(member.id))
    return lambda state: member_name(state, OWNED_BY) == theirs


def _of_id(id_: str) -> IsTheirs:
    return lambda state: member_id(state, OWNED_BY) == id_


def _of_former(name: str, members: Mapping[str, Member]) -> IsTheirs:
    """Return what is true of objects whose owner has a name, and is no member."""
    wanted = fold_name(name)
    namesake = next((member for member in members.values() if fold_name(member.username) == wanted), None)

    def is_theirs(state: State) -> bool:
        written = state.get(OWNED_BY)
        if not isinstance(written, str) or fold_name(written) != wanted:
            return False
        id_ = member_id(state, OWNED_BY)
        if id_ is not None:
            return id_ not in members
        return namesake is None or not could_mean(id_timestamp(namesake.id), written_at(state, OWNED_BY))

    return is_theirs


class _Work:
    """One call's work."""

    def __init__(
        self, services: Services, caller: Caller, owner: Member, is_theirs: IsTheirs, name: str
    ) -> None:
        self._services = services
        self._caller = caller
        self._owner = owner
        self._is_theirs = is_theirs
        self._name = f"hand-over#{name}"
        self._end = services.clock.now() + 1000 * services.bulk.seconds
        self._done = HandOverResult()
        self.went_on = False
        """Whether it began where an earlier call had stopped."""

    def done(self, classes: Sequence[Class]) -> HandOverResult:
        """Do as much as there is time for. Raises Unavailable, which says how much was done."""
        class_name, start = self._checkpoint()
        names = [class_.name for class_ in classes]
        skipped = names.index(class_name) if class_name in names else 0
        self.went_on = class_name in names
        try:
            for class_ in classes[skipped:]:
                for entities in self._pages(class_, start if class_.name == class_name else None):
                    self._hand_over(class_, entities)
                    if self._services.clock.now() >= self._end:
                        self._stop(entities[-1])
                        return self._done
        except Unavailable as trouble:
            message = ngettext(
                "{reason} Before that, {count} object was handed over. Repeat the request to continue.",
                "{reason} Before that, {count} objects were handed over. Repeat the request to continue.",
                self._done.handed_over,
                reason=trouble.message,
            )
            raise Unavailable(message, trouble.retry_after) from trouble
        if self.went_on:
            self._services.entities.set_checkpoint(self._name, None)
        self._done.complete = True
        return self._done

    def _checkpoint(self) -> tuple[str | None, Position | None]:
        """Return the class and the object at which an earlier call stopped, if it did so lately."""
        found = self._services.entities.checkpoint(self._name)
        if found is None:
            return None, None
        instant, class_name, id_ = found.split(" ", 2)
        is_fresh = int(instant) + _CHECKPOINT > self._services.clock.now()
        return (class_name, Position((id_,))) if is_fresh else (None, None)

    def _stop(self, last: Entity) -> None:
        class_name, id_ = last.reference
        self._services.entities.set_checkpoint(self._name, f"{self._services.clock.now()} {class_name} {id_}")

    def _pages(self, class_: Class, start: Position | None) -> Iterator[Sequence[Entity]]:
        """Yield the objects of a class in the order of their ids."""
        while page := self._page(class_, start):
            yield page
            start = Position((page[-1].reference.id,))
            waiting.give_way()

    def _page(self, class_: Class, start: Position | None) -> Sequence[Entity]:
        for size in _READ_TOGETHER:
            query = Query(class_.name, Order(), window=Window(size=size, start=start))
            try:
                return self._services.entities.page(query, self._services.new_budget()).items
            except ReadBudgetExceeded:
                continue
        raise Unavailable(_("The objects are too large to be read in time."))

    def _hand_over(self, class_: Class, entities: Sequence[Entity]) -> None:
        """Hand over those of some objects that are theirs."""
        found = [each for each in entities if self._is_theirs(each.state)]
        for first in range(0, len(found), _WRITTEN_TOGETHER):
            some = found[first : first + _WRITTEN_TOGETHER]
            if not self._is_written(class_, self._present(some)):
                for each in some:
                    self._alone(class_, each)

    def _present(self, entities: Sequence[Entity]) -> list[Entity]:
        """Return objects as they are now, with their locks, as far as they are theirs still."""
        now = self._services.entities.read([each.reference for each in entities])
        theirs = [each for each in now if each is not None and self._is_theirs(each.state)]
        return [each for each in theirs if self._stands(each)]

    def _stands(self, entity: Entity) -> bool:
        """Return whether what an object is a part of is there: a deletion may leave parts for later."""
        reference = self._whole(entity)
        if reference is None:
            return True
        (whole,) = self._services.entities.read([reference])
        return whole is not None and self._stands(whole)

    def _touched(self, entities: Sequence[Entity]) -> Iterator[ObjectCheck]:
        """Yield the wholes of parts, which must still be there, and admit the caller."""
        written = {each.reference for each in entities}
        wholes = {reference for each in entities if (reference := self._whole(each)) is not None}
        for whole in self._services.entities.read(sorted(wholes - written)):
            if whole is None:
                raise Conflict
            yield ObjectCheck(whole)

    def _whole(self, entity: Entity) -> Reference | None:
        """Return what an object is a part of."""
        owner = whole_of(self._services.class_(entity.reference.class_name), entity.state)
        return None if owner is None else owner.reference

    def _is_written(self, class_: Class, entities: Sequence[Entity]) -> bool:
        """Hand over objects at once; return False if that cannot be, and nothing was written."""
        now = self._services.clock.now()
        try:
            self._commit(class_, entities, now)
        except (Conflict, LockedByOthers, UniqueViolation, TooLarge, IntegrityViolation):
            return False
        return True

    def _alone(self, class_: Class, entity: Entity) -> None:
        """Hand over one object, or count what keeps it from that."""
        for _round in range(MAX_ROUNDS):
            present, now = self._present([entity]), self._services.clock.now()
            try:
                self._commit(class_, present, now)
            except Conflict:
                continue
            except LockedByOthers as refusal:
                if not refusal.still_hold(self._services.clock.now()):
                    continue
                self._done.locked += 1
            except (UniqueViolation, TooLarge, IntegrityViolation):
                self._done.refused += 1
            return
        raise Unavailable(_("Concurrent writes to the same object prevented this write. Try again."))

    def _commit(self, class_: Class, entities: Sequence[Entity], now: Instant) -> None:
        """Hand over objects in one commit. Raises what a commit does."""
        if not entities:
            return
        instant = instant_after(now, (each.start for each in entities))
        updates = [Modification(each, self._after(class_, each, instant)) for each in entities]
        effects: tuple[Effect, ...] = (*updates, *self._touched(entities))
        change = Change(self._services.ids.new(), instant, effects, self._caller.id, now)
        self._services.entities.commit(change)
        self._done.handed_over += len(entities)

    def _after(self, class_: Class, before: Entity, instant: Instant) -> Entity:
        recorded = hand_over_values(class_, before, self._owner, self._caller, instant)
        state = with_version_times(class_, {**before.state, **recorded}, instant)
        return Entity(before.reference, state, before.commit_ids, start=instant, lock=before.lock)
