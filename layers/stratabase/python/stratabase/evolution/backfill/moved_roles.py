"""Moves the associations of a role from where they were stored to where the model of today stores them.

An association is kept in one place: in the key of an object, in links, or in the state of a whole. If the
model changes that place, for example because a role becomes to-many, each association is taken out of the old
place and put into the new one in the same commit. So a stopped run goes on where it stopped, and a model that
is changed back moves everything back.

A move creates no version, and ignores locks. It expects that both objects are as they were read, and appends
its id to their commit ids, so that a concurrent write of them is planned again. While a role is moved, all
processes refuse it, so its associations do not change.

What the new place cannot have stays in the old place, and is reported: a second object of a to-one role, a
second whole of a part, and a part without a whole. Associations with objects that do not exist stay as well.
Links, guards and counts are built afterwards (required_roles.py), and old ones that nothing stands for go.
A move keeps the index entries of both objects right, and deletes guards of unique values that a key was part
of. Guards of the new values are built afterwards (uniques.py).
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from stratabase.core.domain.objects.entity import (
    SINGLETON_ID,
    Entity,
    Reference,
    RoleName,
    part_ids,
    whole_of,
)
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Model
from stratabase.core.model.types.base import Stored
from stratabase.core.store.engine.actions import is_committed, new_commit_id
from stratabase.core.store.engine.port import (
    EXISTS,
    MAX_ACTIONS,
    Action,
    Batch,
    Check,
    DeleteItem,
    Engine,
    Item,
    Key,
    Patch,
    Put,
    Value,
)
from stratabase.core.store.indexes.registry_cache import WriteSchema
from stratabase.core.store.layout import codec, keys, links
from stratabase.core.store.layout.associations import LINKED_TRUTH, PART, PARTS, Associations, StoredRole
from stratabase.core.store.layout.object_items import (
    delete_guard,
    expect_unchanged,
    guard_holder,
    live_head,
    moved_places,
)
from stratabase.core.store.read.context import StoreContext
from stratabase.core.store.write.guard_writes import unique_claims
from stratabase.evolution.backfill.uniques import Duplicate, Duplicates

_KEY = "key"
_PAIRS_PER_COMMIT = 15
"""Each pair takes up to two heads and four links."""


ReadHeads = Callable[[str], Iterator[list[Item]]]
"""Yields the heads of a class in batches."""


class Place(NamedTuple):
    """Where an association is kept, as seen from the object that holds it."""

    kind: str
    """`key`, `links`, `parts` or `part`."""
    holder: RoleName
    """The role of the objects with the key, of the wholes, or of one end of the links."""
    other: RoleName
    """The role at the other end. If the model has none, its name is made up."""

    @property
    def is_composition(self) -> bool:
        """Whether whole and part have each other's ids in their states."""
        return self.kind in {PARTS, PART}

    def pair_key(self, holder: str, other: str) -> Key:
        """Return the key of the link at the holder."""
        return keys.link(Reference(self.holder.class_name, holder), self.holder.role_name, other)

    def link_keys(self, holder: str, other: str) -> tuple[Key, Key]:
        """Return the keys of the links at both ends."""
        back = keys.link(Reference(self.other.class_name, other), self.other.role_name, holder)
        return self.pair_key(holder, other), back


def place_of(stored: StoredRole) -> Place:
    """Return where the associations of a role are kept."""
    opposite = stored.opposite_role or RoleName(stored.target, str(stored.role))
    ends = (stored.role, opposite)
    if stored.key_role is not None:
        return Place(_KEY, *(ends if stored.key_role == stored.role else ends[::-1]))
    if stored.truth == LINKED_TRUTH:
        return Place(LINKED_TRUTH, *ends)
    return Place(stored.truth, *(ends[::-1] if stored.storage.startswith("whole") else ends))


class StoredPair(NamedTuple):
    """Two associated objects, by their ids, as seen from the old place."""

    holder: str
    other: str


class RoleMove:
    """The move of the associations of one role from one place to another."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a move works with
        self,
        engine: Engine,
        model: Model,
        store: StoreContext,
        former: StoredRole,
        wanted: StoredRole,
        read_heads: ReadHeads,
    ) -> None:
        self._engine = engine
        self._model = model
        self._store = store
        self._read_heads = read_heads
        self._wanted = wanted
        self._from, self._to = place_of(former), place_of(wanted)
        known = self._from, self._to
        self._is_turned = known[0].holder == known[1].other or known[0].other == known[1].holder
        self._far_links = _has_far_links(store.associations, wanted)
        self._conflicts: dict[tuple[str, str], set[str]] = {}
        """See `run`."""

    def run(self) -> Mapping[tuple[str, str], set[str]]:
        """Move everything; return what the new place cannot have.

        The result has the ids for which there is no room, by the owner and its value in the new place.
        """
        batch: list[StoredPair] = []
        for pair in self._pairs():
            batch.append(pair)
            if len(batch) == _PAIRS_PER_COMMIT:
                self._move(batch)
                batch = []
        self._move(batch)
        return self._conflicts

    def _pairs(self) -> Iterator[StoredPair]:
        holder = self._from.holder
        if holder.class_name not in self._model.classes:
            return
        for heads in self._read_heads(holder.class_name):
            for entity in map(codec.entity_of, heads):
                id_ = entity.reference.id
                if self._from.kind == LINKED_TRUTH:
                    others: Sequence[str] = links.read_ids(self._engine, holder, id_)
                else:
                    others = part_ids(entity.state.get(holder.role_name))
                yield from (StoredPair(id_, other) for other in others)

    def _move(self, pairs: Sequence[StoredPair]) -> None:
        """Move pairs in one commit. If that is too large, or refused, move them one by one."""
        if not pairs or self._try(pairs):
            return
        for pair in pairs:
            while not self._try([pair]):
                pass

    def _try(self, pairs: Sequence[StoredPair]) -> bool:
        """Move pairs as far as they still exist; return False if a write or their number prevents it."""
        ends = [[self._reference(self._from.holder, each.holder) for each in pairs]]
        ends += [[self._reference(self._from.other, each.other) for each in pairs]]
        references = list(dict.fromkeys(chain(*ends)))
        found = self._engine.get([keys.head(each) for each in references])
        evidence = [self._from.pair_key(*each) for each in pairs] if self._from.kind == LINKED_TRUTH else []
        linked = self._engine.get(evidence) if evidence else [None] * len(pairs)
        draft = _Draft(
            {
                reference: codec.entity_of(head)
                for reference, item in zip(references, found, strict=True)
                if (head := live_head(item)) is not None
            },
            new_commit_id("reindex"),
            self._store.write_schema(),
        )
        for pair, link in zip(pairs, linked, strict=True):
            if self._from.kind != LINKED_TRUTH or link is not None:
                self._move_pair(draft, pair)
        actions = draft.actions()
        if not actions:
            return True
        actions += self._released_guards(draft)
        if len(actions) > MAX_ACTIONS and len(pairs) > 1:
            return False
        return is_committed(self._engine, Batch(draft.commit_id, tuple(actions)))

    def _released_guards(self, draft: "_Draft") -> list[DeleteItem]:
        """Return the deletions of the guards that objects hold and no longer need."""
        released: dict[Key, str] = {}
        for before, after in draft.changed():
            constraints = self._store.write_schema().constraints(before.reference.class_name)
            needed = unique_claims(constraints, after).keys()
            gone = unique_claims(constraints, before).keys() - needed
            released |= dict.fromkeys(gone, before.reference.id)
        guards = self._engine.get([*released]) if released else []
        pairs = zip(released.items(), guards, strict=True)
        return [delete_guard(key, id_) for (key, id_), guard in pairs if guard_holder(guard) == id_]

    def _move_pair(self, draft: "_Draft", pair: StoredPair) -> None:
        holder, other = (
            self._reference(self._from.holder, pair.holder),
            self._reference(self._from.other, pair.other),
        )
        if not (self._exists(draft, holder) and self._exists(draft, other)):
            return
        if not self._is_kept(draft, holder, other):
            return
        near, far = (other, holder) if self._is_turned else (holder, other)
        if (rival := self._rival(draft, near, far)) is not None:
            self._conflicts.setdefault((near.id, rival), set()).add(far.id)
            return
        self._take_out(draft, holder, other)
        self._put_in(draft, near, far)

    def _exists(self, draft: "_Draft", reference: Reference) -> bool:
        return reference in draft.states or self._is_unwritten(draft, reference)

    def _is_kept(self, draft: "_Draft", holder: Reference, other: Reference) -> bool:
        """Return whether the old place still has an association.

        The value of a role may also belong to another place, if several moves were stopped.
        """
        place = self._from
        if place.kind == LINKED_TRUTH:
            return True
        value = draft.states[holder].get(place.holder.role_name)
        if place.kind == PART:
            return value == other.id and draft.states[other].get(place.other.role_name) == holder.id
        if place.kind == PARTS:
            return isinstance(value, list) and other.id in value
        return value == other.id

    def _is_unwritten(self, draft: "_Draft", reference: Reference) -> bool:
        """Return whether an object is a singleton that was never written, so that it has no state."""
        return reference not in draft.states and self._store.is_singleton(reference.class_name)

    def _rival(self, draft: "_Draft", near: Reference, far: Reference) -> str | None:
        """Return the id that takes the place of an association in the new storage, None if it is free."""
        to = self._to
        if to.kind == LINKED_TRUTH:
            return None
        if self._is_unwritten(draft, near) or (to.is_composition and self._is_unwritten(draft, far)):
            return SINGLETON_ID
        value = draft.states[near].get(to.holder.role_name)
        if to.kind != PARTS and isinstance(value, list):
            # A value under the name of the old place is what moves.
            is_moving = self._from.holder == to.holder and value == [far.id]
            if not is_moving:
                return next((id_ for id_ in value if id_ != far.id), None)
        # A list of parts has no room for a key that another place left under its name, either.
        if isinstance(value, str) and value != far.id and self._is_there(draft, far.class_name, value):
            return value
        return self._rival_whole(draft, near, far) if to.is_composition else None

    def _is_there(self, draft: "_Draft", class_name: str, id_: str) -> bool:
        reference = Reference(class_name, id_)
        return reference in draft.states or self._store.read(reference) is not None

    def _rival_whole(self, draft: "_Draft", whole: Reference, part: Reference) -> str | None:
        """Return another whole that already has a part, or the part if it contains its own whole."""
        class_ = self._model.classes[part.class_name]
        owner = whole_of(class_, draft.states[part])
        if owner is not None and owner.reference != whole and self._store.read(owner.reference) is not None:
            return owner.reference.id
        at: Reference | None = whole
        while at is not None and at != part:
            entity = self._store.read(at)
            state = draft.states.get(at, {} if entity is None else entity.state)
            above = whole_of(self._model.classes[at.class_name], state)
            at = None if above is None else above.reference
        return None if at is None else part.id

    def _take_out(self, draft: "_Draft", holder: Reference, other: Reference) -> None:
        place = self._from
        key, back = place.link_keys(holder.id, other.id)
        if place.kind == LINKED_TRUTH:
            draft.links[key] = DeleteItem(key, EXISTS)
            draft.links[back] = DeleteItem(back)
            return
        if place.kind == _KEY:  # its link, if any, would count as an association if links are the truth later
            draft.links[back] = DeleteItem(back)
        name = place.holder.role_name
        left = [id_ for id_ in part_ids(draft.states[holder].get(name)) if id_ != other.id]
        draft.set(holder, name, left or None)
        if place.is_composition:
            draft.set(other, place.other.role_name, None)

    def _put_in(self, draft: "_Draft", near: Reference, far: Reference) -> None:
        place, name = self._to, self._to.holder.role_name
        if place.kind == LINKED_TRUTH:
            key, back = place.link_keys(near.id, far.id)
            draft.links[key] = Put(Item(key))
            draft.linked.add(near)
            if self._far_links:
                draft.links[back] = Put(Item(back))
                draft.linked.add(far)
            return
        if place.kind == PARTS:
            value: Any = list(dict.fromkeys([*part_ids(draft.states[near].get(name)), far.id]))
        else:
            value = far.id
        draft.set(near, name, value)
        if place.is_composition:
            draft.set(far, place.other.role_name, near.id)
        draft.checked |= {near, far}

    def _reference(self, role: RoleName, id_: str) -> Reference:
        return Reference(role.class_name, id_)


class _Draft:
    """The objects and links that one commit of a move writes."""

    def __init__(self, entities: Mapping[Reference, Entity], commit_id: str, schema: WriteSchema) -> None:
        self.commit_id = commit_id
        self._schema = schema
        self._entities = entities
        self.states: dict[Reference, dict[str, Stored]] = {
            reference: dict(entity.state) for reference, entity in entities.items()
        }
        self.links: dict[Key, Action] = {}
        self.linked: set[Reference] = set()
        """The objects that get new links."""
        self.checked: set[Reference] = set()
        """The objects that must be as they were read, even if their states do not change."""

    def set(self, reference: Reference, name: str, value: Stored) -> None:
        """Set a value in the state of an object, or remove it with None."""
        if value is None:
            self.states[reference].pop(name, None)
        else:
            self.states[reference][name] = value

    def changed(self) -> Iterator[tuple[Entity, Entity]]:
        """Yield the objects whose states change, before and after the move."""
        for reference, entity in self._entities.items():
            if self.states[reference] != entity.state:
                yield entity, Entity(reference, self.states[reference])

    def actions(self) -> list[Action]:
        """Return the actions of the commit on heads and links, none if nothing moves."""
        heads = (self._head(reference, entity) for reference, entity in self._entities.items())
        return [*(head for head in heads if head is not None), *self.links.values()]

    def _head(self, reference: Reference, entity: Entity) -> Action | None:
        key, state = keys.head(reference), self.states[reference]
        changes = state != entity.state
        if not changes and reference not in self.linked:
            is_checked = reference in self.checked
            return Check(key, expect_unchanged(entity)) if is_checked else None
        ids: Value = codec.append_commit_id(entity.commit_ids, self.commit_id)
        linked: dict[str, Value] = {codec.LINKED: self.commit_id} if reference in self.linked else {}
        after = Entity(reference, state)
        return Patch(
            key,
            expect_unchanged(entity),
            set={codec.COMMIT_IDS: ids, **linked},
            state=codec.state_text(after.reference, after.state) if changes else None,
            places=moved_places(entity, after, self._schema.paths(reference.class_name)) if changes else {},
        )


def move_role(  # noqa: PLR0913, PLR0917 - what a move works with
    engine: Engine,
    model: Model,
    store: StoreContext,
    wanted: StoredRole,
    formers: Sequence[StoredRole],
    read_heads: ReadHeads,
) -> Duplicates | None:
    """Move the associations of a role from all places where they were stored; return what could not move."""
    places, holder = {place_of(former): former for former in formers}, place_of(wanted).holder

    def order(place: Place) -> tuple[bool, bool]:
        # Until a state has moved, it may hold a value under the name of the new place. So what has that name
        # comes first, and links come last.
        return place.kind == LINKED_TRUTH, place.holder != holder

    formers = [places[place] for place in sorted(places, key=order)]
    conflicts = defaultdict[tuple[str, str], set[str]](set)
    for former in formers:
        # Links have two ends, so an association can be among the formers twice.
        for pair, ids in RoleMove(engine, model, store, former, wanted, read_heads).run().items():
            conflicts[pair] |= ids
    found = [
        *(
            Duplicate(holder, {ID: owner, holder.role_name: value}, tuple(sorted(ids)))
            for (owner, value), ids in conflicts.items()
        ),
        *_parts_without_whole(model, wanted, read_heads),
    ]
    return Duplicates(tuple(found)) if found else None


def _parts_without_whole(model: Model, wanted: StoredRole, read_heads: ReadHeads) -> Iterator[Duplicate]:
    """Yield the objects of a class that has become a part and that no whole has."""
    to = place_of(wanted)
    if not to.is_composition:
        return
    class_ = model.classes[to.other.class_name]
    for heads in read_heads(class_.name):
        for entity in map(codec.entity_of, heads):
            if whole_of(class_, entity.state) is None:
                yield Duplicate(to.other, {to.other.role_name: None}, (entity.reference.id,))


def _has_far_links(associations: Associations, wanted: StoredRole) -> bool:
    ends = associations.by_role.get(wanted.role)
    return ends is not None and ends.far.has_links
