"""The effects of one atomic write: the store commits all of them, or none."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple

from stratabase.core.domain.objects.entity import Entity, Reference, RoleName, opposite_name
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import Author
from stratabase.core.model.model import Model, Role
from stratabase.core.model.types.base import Stored
from stratabase.values.frozen import frozen


@frozen
class Creation:
    """The creation of an object. Its ID must be free: no object and no tombstone has it."""

    before: ClassVar[None] = None
    after: Entity


@frozen
class Modification:
    """The change of an object's state. The object must still be as it was read (`before`)."""

    before: Entity
    after: Entity


@frozen
class Deletion:
    """The deletion of an object, which must still be as it was read (`before`).

    The object's links end with it. Keys of other objects that refer to it stay, as broken references. Its
    parts do not end by themselves: each part is a deletion in the same change.
    """

    before: Entity
    after: ClassVar[None] = None
    withdrawn: "Tombstone | None" = None
    """For an undone restoration: the tombstone that the object gets back."""


class Tombstone(NamedTuple):
    """What the store keeps of a deleted object whose versions are kept."""

    reference: Reference
    last_end: Instant
    """The instant of the deletion."""
    previous_start: Instant
    """The start of the last version."""
    commit_ids: tuple[str, ...] = ()
    """The IDs of the last commits that wrote the object. The deletion is last."""
    claimed: str | None = None
    """The ID of the last commit that has claimed the deleted object. A restoration expects it unchanged."""
    author: Author | None = None
    """Who deleted the object; None if that is unknown."""


class DeletionPlace(NamedTuple):
    """The place of a deleted object in the order of deletion."""

    ended: Instant
    """The instant of the deletion."""
    id_: str
    """The ID of the object, because several may have been deleted at once."""


class DeletedObject(NamedTuple):
    """A deleted object, as it was last."""

    tombstone: Tombstone
    version: Entity
    """Its last version."""


@frozen
class Restoration:
    """The return of a deleted object under its ID. Its tombstone must still be as it was read."""

    before: ClassVar[None] = None
    tombstone: Tombstone
    after: Entity


@frozen
class ObjectCheck:
    """A check of an object that the write does not change: it must exist, and no other member may lock it.

    Examples are a whole of which the write changes a part, or an object of which it changes only links.
    """

    before: Entity
    unchanged: bool = False
    """Whether the object must also still be as it was read."""


@frozen
class LinkCreation:
    """A new link from one object to another, in a role that no key stores.

    Such roles are many-to-many, or to-many without an opposite. `owner` is the ID of an object of the role's
    class, `other` the ID of an object of its target. Both must exist, or be created in the same change. The
    opposite role leads back by this same effect. To create a link that exists does nothing, unless one of the
    sides is required: then it is a Conflict.
    """

    role: RoleName
    owner: str
    other: str


@frozen
class LinkDeletion:
    """The end of such a link. To delete a link that does not exist is treated as in `LinkCreation`."""

    role: RoleName
    owner: str
    other: str


ObjectEffect = Creation | Modification | Deletion | Restoration
LinkEffect = LinkCreation | LinkDeletion
Effect = ObjectEffect | LinkEffect | ObjectCheck
"""One effect of a change. A change has at most one effect on each object, and one on each link.

No link effect involves an object that the change deletes. A checked object has no other effect, except on its
links.
"""


def reference_of(effect: ObjectEffect) -> Reference:
    """Return the reference of the object that an effect concerns."""
    return effect.before.reference if effect.after is None else effect.after.reference


@frozen
class Change:
    """One commit: its effects, its ID (which identifies retries), its instant, and its author."""

    commit_id: str
    instant: Instant
    """The start of all versions that the change creates.

    It is later than the starts of the versions that the change ends. So it may be ahead of the clock, if that
    has stepped back (`instant_after`).
    """
    effects: tuple[Effect, ...] = field(default_factory=tuple)
    author: Author | None = None
    """Who makes the change; None if nobody does, such as in a backfill."""
    member_id: str | None = None
    """The ID of the member whom locks must admit; None if the change ignores locks."""
    now: Instant | None = None
    """The time by which locks are judged, since `instant` may be ahead of the clock; None means `instant`."""
    root: Reference | None = None
    """The object that is restored with its parts. Only such a change may take several commits."""
    files: tuple[str, ...] = ()
    """The IDs of the uploads that objects of the change take. Each must be pending, and in time at `now`."""
    claims: "tuple[Entity | Tombstone, ...]" = ()
    """Objects that the commit stamps, if they still have the stamp with which they were read.

    So of two changes that claim the same object, the second is refused. A stamp is not a revision. Objects
    that the change does not write must exist, or still be deleted. Objects that it restores are only stamped.
    """
    record: IdempotencyRecord | None = None
    """What the commit also stores if its request has an idempotency key. The step must have no record yet."""

    @property
    def time(self) -> Instant:
        """The time by which locks and uploads are judged."""
        return self.instant if self.now is None else self.now

    def part(self, effects: Iterable[Effect]) -> "Change":
        """Return a change with some of the effects, without the claims of objects that the others write."""
        kept = tuple(effects)
        if not self.claims:
            return replace(self, effects=kept)
        others = {reference_of(each) for each in self.object_effects()}
        others -= {reference_of(each) for each in kept if isinstance(each, ObjectEffect)}
        claims = tuple(each for each in self.claims if each.reference not in others)
        return replace(self, effects=kept, claims=claims)

    def object_effects(self) -> list[ObjectEffect]:
        """Return the effects that create, change, delete or restore objects."""
        return [effect for effect in self.effects if isinstance(effect, ObjectEffect)]

    def checked_entities(self) -> Iterator[Entity]:
        """Yield the objects that the change does not alter, but whose existence and locks it checks."""
        return (effect.before for effect in self.effects if isinstance(effect, ObjectCheck))

    def unchanged_entities(self) -> Iterator[Entity]:
        """Yield the checked objects that must still be as they were read."""
        return (
            effect.before for effect in self.effects if isinstance(effect, ObjectCheck) and effect.unchanged
        )

    def link_effects(self) -> Iterator[LinkEffect]:
        """Yield the effects on links."""
        return (effect for effect in self.effects if isinstance(effect, LinkEffect))


class LinkMove(NamedTuple):
    """One association that begins or ends, seen from one of its sides: `owner` leads to `other` by a role."""

    role: RoleName
    owner: str
    other: str
    begins: bool


class EffectIndex:
    """The effects of a write, indexed by object and by role.

    An index is built when it is first needed: a write without roles needs only the objects.
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
        """All associations that begin or end, from each side that has a role, also of deleted objects."""
        return [move for effect in self._effects for move in _link_moves(effect, self.model)]

    @cached_property
    def by_owner(self) -> Mapping[tuple[RoleName, str], dict[str, bool]]:
        """By role and ID of the owner: the IDs of the other objects, and whether the association begins."""
        moves: dict[tuple[RoleName, str], dict[str, bool]] = defaultdict(dict)
        for role, owner, other, begins in self.moves:
            moves[role, owner][other] = begins
        return moves

    def is_deleted(self, reference: Reference) -> bool:
        """Return whether the write deletes an object."""
        return isinstance(self.objects.get(reference), Deletion)


def _link_moves(effect: Effect, model: Model) -> Iterator[LinkMove]:
    """Yield the associations that an effect begins or ends, from each side that has a role."""
    if isinstance(effect, LinkCreation | LinkDeletion):
        yield from _moves_of_link(effect, model)
    elif isinstance(effect, ObjectEffect):
        yield from _moves_of_keys(effect, model)


def _moves_of_link(effect: LinkCreation | LinkDeletion, model: Model) -> Iterator[LinkMove]:
    begins = isinstance(effect, LinkCreation)
    yield LinkMove(effect.role, effect.owner, effect.other, begins)
    opposite = opposite_name(model.classes[effect.role.class_name].roles[effect.role.role_name])
    if opposite is not None:
        yield LinkMove(opposite, effect.other, effect.owner, begins)


def _moves_of_keys(effect: ObjectEffect, model: Model) -> Iterator[LinkMove]:
    """Yield the associations of the opposite roles that begin or end because an object's keys change."""
    entity = effect.after or effect.before
    assert entity is not None
    for role in model.classes[entity.reference.class_name].foreign_keys:
        was, is_ = _key(effect.before, role), _key(effect.after, role)
        if was == is_ or (opposite := opposite_name(role)) is None:
            continue
        for key, begins in ((was, False), (is_, True)):
            if isinstance(key, str):
                yield LinkMove(opposite, key, entity.reference.id, begins)


def _key(entity: Entity | None, role: Role) -> Stored:
    return None if entity is None else entity.state.get(role.name)
