"""The associations that a change creates and removes: the links to write, and the counts to change.

An association is stored either as a foreign key in the state of one object, possibly with a link at its
target, or as a pair of links. `AssociationChanges` lists the foreign keys and pairs that change. From it,
`count_deltas` computes the changes of the heads at both ends, and `link_actions` the actions on links.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from stratabase.core.domain.objects.change import Change, LinkCreation, reference_of
from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.store.engine.port import (
    EXISTS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    DeleteItem,
    Expectation,
    Item,
    Key,
    Put,
)
from stratabase.core.store.layout import keys
from stratabase.core.store.layout.associations import Associations, ForeignKey, LinkedPair, LinkEnd
from stratabase.core.store.layout.links import END, START
from stratabase.values.frozen import frozen


class KeyReference(NamedTuple):
    """The value of a foreign key: the id of the object that holds it, and the id of its target."""

    foreign_key: ForeignKey
    holder: str
    target: str

    @property
    def target_reference(self) -> Reference:
        """The object that the foreign key refers to."""
        return Reference(self.foreign_key.target, self.target)


@frozen
class AssociationChanges:
    """The foreign keys that a change sets and clears, and the pairs that it links and unlinks.

    Each pair occurs once, although both of its objects may be part of the change.
    """

    keys_set: tuple[KeyReference, ...] = ()
    keys_cleared: tuple[KeyReference, ...] = ()
    pairs_linked: tuple[LinkedPair, ...] = ()
    pairs_unlinked: tuple[LinkedPair, ...] = ()


def association_changes(
    change: Change, associations: Associations, ending: Callable[[Reference], Iterable[LinkedPair]]
) -> AssociationChanges:
    """Return the associations that a change creates and removes.

    `ending`: returns the pairs to unlink with a deleted object.
    """
    links = [
        (isinstance(link, LinkCreation), associations.pair(link.role, link.owner, link.other))
        for link in change.link_effects()
    ]
    with_objects = (
        each
        for effect in change.object_effects()
        if effect.after is None
        for each in ending(effect.before.reference)
    )
    return AssociationChanges(
        tuple(_keys(change, associations, new=True)),
        tuple(_keys(change, associations, new=False)),
        _each_once(each for is_new, each in links if is_new),
        _each_once((*(each for is_new, each in links if not is_new), *with_objects)),
    )


def _each_once(pairs: Iterable[LinkedPair]) -> tuple[LinkedPair, ...]:
    return tuple({each.identity: each for each in pairs}.values())


def _keys(change: Change, associations: Associations, *, new: bool) -> Iterator[KeyReference]:
    """Yield the foreign keys that a change sets (`new`) or clears."""
    for effect in change.object_effects():
        reference = reference_of(effect)
        has, has_not = (effect.after, effect.before) if new else (effect.before, effect.after)
        for foreign_key in associations.foreign_keys(reference.class_name):
            target = foreign_key.target_of(has)
            if target is not None and target != foreign_key.target_of(has_not):
                yield KeyReference(foreign_key, reference.id, target)


@dataclass(slots=True)
class CountDelta:
    """The consequences of association changes for one head."""

    must_exist: bool = False
    """Whether a new reference to the object requires that it exists."""
    gains_links: bool = False
    """Whether the object gets new links in its partition."""
    counts: Counter[RoleName] = field(default_factory=Counter)
    """By role: the number to add to its count."""
    released_guards: dict[Key, RoleName] = field(default_factory=dict)
    """By the key of a released guard: the required one-to-one role that is empty without a holder."""


class CountDeltas(dict[Reference, CountDelta]):
    """Count deltas by object, with an empty delta as the default."""

    def __missing__(self, reference: Reference) -> CountDelta:
        """Add and return an empty delta."""
        self[reference] = CountDelta()
        return self[reference]


def count_deltas(changes: AssociationChanges) -> CountDeltas:
    """Return the consequences of association changes for the heads at both ends."""
    found = CountDeltas()
    for key in changes.keys_cleared:
        if key.foreign_key.counted_roles or key.foreign_key.opposite_required:
            _clear(found[key.target_reference], key)
    for key in changes.keys_set:
        _set(found[key.target_reference], key)
    for pair in changes.pairs_unlinked:
        for end, reference, _ in pair.sides():
            _count(found, reference, end, -1)
    for pair in changes.pairs_linked:
        for end, reference, _ in pair.sides():
            found[reference].must_exist |= not end.is_singleton
            found[reference].gains_links |= end.has_links
            _count(found, reference, end, 1)
    return found


def _clear(delta: CountDelta, key: KeyReference) -> None:
    delta.counts.subtract(key.foreign_key.counted_roles)
    if key.foreign_key.opposite_required:
        assert key.foreign_key.opposite is not None
        delta.released_guards[keys.one_to_one_guard(key.foreign_key.role, key.target)] = (
            key.foreign_key.opposite
        )


def _set(delta: CountDelta, key: KeyReference) -> None:
    delta.must_exist = True
    delta.counts.update(key.foreign_key.counted_roles)


def _count(found: CountDeltas, reference: Reference, end: LinkEnd, number: int) -> None:
    if end.required:
        found[reference].counts[end.role] += number


def link_actions(changes: AssociationChanges, instant: Instant) -> Iterator[Action]:
    """Yield the actions on links at both ends. `instant`: the start or end of the associations."""
    for key in changes.keys_cleared:
        if link := _link_key(key):
            yield DeleteItem(link, EXISTS if key.foreign_key.counted_roles else NO_EXPECTATION)
        if former := key.foreign_key.former_role:
            yield Put(
                Item(keys.former_link(key.target_reference, former.role_name, key.holder), {END: instant})
            )
    for key in changes.keys_set:
        if link := _link_key(key):
            yield Put(Item(link, {START: instant}))
    for pair in changes.pairs_unlinked:
        yield from (DeleteItem(link, expect) for link, expect in _link_keys(pair, EXISTS))
    for pair in changes.pairs_linked:
        yield from (Put(Item(link), expect) for link, expect in _link_keys(pair, NOT_EXISTS))


def counted_reference_key(key: KeyReference) -> Key | None:
    """Return the key of the link or guard of a foreign key, which proves that its target counts it.

    A foreign key that was set before its role had links or guards has none, and is not counted.
    """
    return (
        keys.one_to_one_guard(key.foreign_key.role, key.target)
        if key.foreign_key.exclusive
        else _link_key(key)
    )


def _link_key(key: KeyReference) -> Key | None:
    name = key.foreign_key.link_role
    return None if name is None else keys.link(key.target_reference, name.role_name, key.holder)


def _link_keys(pair: LinkedPair, expect: Expectation) -> Iterator[tuple[Key, Expectation]]:
    """Yield the keys of the links of a pair, with the expectation of each.

    If links are counted, a new link must not exist, and a removed link must exist. Otherwise the count would
    become wrong. It is enough to expect this of the link at the near end.
    """
    for end, reference, other in pair.sides():
        if end.has_links:
            is_expected = end is pair.association.near and pair.association.is_counted
            yield keys.link(reference, end.role.role_name, other), expect if is_expected else NO_EXPECTATION
