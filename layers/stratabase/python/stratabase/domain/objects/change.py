"""What one atomic write does: all of it, or nothing."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, NamedTuple

from stratabase.domain.objects.entity import Entity, Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.role_storage import opposite_name
from stratabase.model.model import Model, Role
from stratabase.model.types.storage import Stored


@dataclass(frozen=True, slots=True)
class Creation:
    """A new object; its id must be free: none has it, and none that is remembered had it."""

    before: ClassVar[None] = None
    after: Entity


@dataclass(frozen=True, slots=True)
class Modification:
    """An object's new state; it must still be as it was read (`before`)."""

    before: Entity
    after: Entity


@dataclass(frozen=True, slots=True)
class Deletion:
    """The end of an object; it must still be as it was read.

    Its associations end with it, but for the keys of others that lead to it: they lead to nothing then. Its
    parts do not end by themselves: each is a deletion in the same change.
    """

    before: Entity
    after: ClassVar[None] = None
    withdrawn: "Tombstone | None" = None
    """What is remembered of an object that a restoration brought back in vain: it is as if it never had."""


class Tombstone(NamedTuple):
    """A deleted object of which is remembered that there was one: its versions are kept."""

    reference: Reference
    last_end: Instant
    """When it was deleted."""
    previous_start: Instant
    """The start of its last version."""
    commit_ids: tuple[str, ...] = ()
    """The last commits that wrote it, that which deleted it last."""


@dataclass(frozen=True, slots=True)
class Restoration:
    """A deleted object comes back under its id; nobody must have brought it back since it was read."""

    before: ClassVar[None] = None
    tombstone: Tombstone
    after: Entity


@dataclass(frozen=True, slots=True)
class Touch:
    """An object that is written through, but stays as it is.

    A whole whose part is changed, an object of which only links are set: it must still be there, and admit
    him who writes.
    """

    before: Entity
    unchanged: bool = False
    """It must also still be as it was read."""


@dataclass(frozen=True, slots=True)
class LinkCreation:
    """One object more in a role that no key stands for (many-to-many, or to-many one way).

    `owner` (an id of the role's class) leads by it to `other` (an id of its target); both must be there, or
    be made by the same change. The opposite leads back by this same effect. Linking what is linked already
    does nothing, but where either side is required: there it is a Conflict.
    """

    role: RoleName
    owner: str
    other: str


@dataclass(frozen=True, slots=True)
class LinkDeletion:
    """One object less in such a role; told of what is not linked, as with Linking."""

    role: RoleName
    owner: str
    other: str


ObjectEffect = Creation | Modification | Deletion | Restoration


LinkEffect = LinkCreation | LinkDeletion


Effect = ObjectEffect | LinkEffect | Touch
"""At most one on each object, and one on each link; an object that ends is in no Linking or Unlinking.

Of an object that is touched there is no other effect, but on its links.
"""


def reference_of(effect: ObjectEffect) -> Reference:
    """Return the object that an effect is on."""
    return effect.before.reference if effect.after is None else effect.after.reference


@dataclass(frozen=True, slots=True)
class Change:
    """One commit: its id (for retries), its instant, what it does, and on whose behalf."""

    commit_id: str
    instant: Instant
    """Since when everything is as the change leaves it: later than all that it changes began to be as it was.

    So it may be ahead of the clock, where that has stepped back (`version`)."""
    effects: tuple[Effect, ...] = field(default_factory=tuple)
    member_id: str | None = None
    """The id of the member whom locks must admit; None for a change that was allowed before: all do."""
    now: Instant | None = None
    """What the clock said, by which locks are judged; None: `instant`, which may be ahead of it."""
    root: Reference | None = None
    """The object that is restored with its parts. Without it, all that comes back must fit in one commit."""

    def object_effects(self) -> Iterator[ObjectEffect]:
        """Yield the effects that make, change or end objects."""
        return (effect for effect in self.effects if isinstance(effect, ObjectEffect))

    def touched_entities(self) -> Iterator[Entity]:
        """Yield the objects that stay as they are, and are written through."""
        return (effect.before for effect in self.effects if isinstance(effect, Touch))

    def unchanged_entities(self) -> Iterator[Entity]:
        """Yield those of them that must still be as they were read."""
        return (effect.before for effect in self.effects if isinstance(effect, Touch) and effect.unchanged)

    def link_effects(self) -> Iterator[LinkEffect]:
        """Yield the effects on links."""
        return (effect for effect in self.effects if isinstance(effect, LinkEffect))


class LinkMove(NamedTuple):
    """An object that a role of an owner leads to, or leads to no more."""

    role: RoleName
    owner: str
    other: str
    begins: bool


class EffectIndex:
    """The effects of a write by what they are on: objects, and roles that objects do not store themselves.

    Each index is built when it is first needed: a write without roles needs the objects only.
    """

    def __init__(self, effects: Iterable[Effect], model: Model) -> None:
        self._effects = tuple(effects)
        self.model = model

    @cached_property
    def objects(self) -> Mapping[Reference, ObjectEffect]:
        """The effects by the object that is created, changed, deleted or restored."""
        return {reference_of(each): each for each in self._effects if isinstance(each, ObjectEffect)}

    @cached_property
    def moves(self) -> Sequence[LinkMove]:
        """What roles lead to from now on, or no more, also those of deleted objects."""
        return [move for effect in self._effects for move in _link_moves(effect, self.model)]

    @cached_property
    def by_owner(self) -> Mapping[tuple[RoleName, str], dict[str, bool]]:
        """By role and id of the owner: the ids of other objects, and whether it leads there from now on."""
        found: dict[tuple[RoleName, str], dict[str, bool]] = defaultdict(dict)
        for role, owner, other, begins in self.moves:
            found[role, owner][other] = begins
        return found

    def is_deleted(self, reference: Reference) -> bool:
        """Return whether an object ends."""
        return isinstance(self.objects.get(reference), Deletion)


def _link_moves(effect: Effect, model: Model) -> Iterator[LinkMove]:
    """Yield what an effect does, as seen from each side that has a role."""
    if isinstance(effect, LinkCreation | LinkDeletion):
        yield from _of_link(effect, model)
    elif isinstance(effect, ObjectEffect):
        yield from _of_keys(effect, model)


def _of_link(effect: LinkCreation | LinkDeletion, model: Model) -> Iterator[LinkMove]:
    begins = isinstance(effect, LinkCreation)
    yield LinkMove(effect.role, effect.owner, effect.other, begins)
    opposite = opposite_name(model.classes[effect.role.class_name].roles[effect.role.role_name])
    if opposite is not None:
        yield LinkMove(opposite, effect.other, effect.owner, begins)


def _of_keys(effect: ObjectEffect, model: Model) -> Iterator[LinkMove]:
    """Yield what becomes of the other sides of an object's keys."""
    entity = effect.after or effect.before
    assert entity is not None
    for role in model.classes[entity.reference.class_name].foreign_keys:
        if (opposite := opposite_name(role)) is None:
            continue
        was, is_ = _key(effect.before, role), _key(effect.after, role)
        for key, begins in ((was, False), (is_, True)) if was != is_ else ():
            if isinstance(key, str):
                yield LinkMove(opposite, key, entity.reference.id, begins)


def _key(entity: Entity | None, role: Role) -> Stored:
    return None if entity is None else entity.state.get(role.name)
