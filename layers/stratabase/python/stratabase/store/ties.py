"""The associations that a change makes and ends, as its effects say it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from stratabase.domain.objects.change import Change, LinkCreation, reference_of
from stratabase.domain.objects.entity import Reference
from stratabase.store.association import Keyed, Pair
from stratabase.store.associations import Associations


class Tie(NamedTuple):
    """A key that an object holds."""

    keyed: Keyed
    holder: str
    target: str
    """Ids."""

    @property
    def end(self) -> Reference:
        """What it leads to."""
        return Reference(self.keyed.target, self.target)


@dataclass(frozen=True, slots=True)
class Ties:
    """Keys that are set and left, and objects that are joined and parted where no key stands for it."""

    set: tuple[Tie, ...] = ()
    left: tuple[Tie, ...] = ()
    joined: tuple[Pair, ...] = ()
    parted: tuple[Pair, ...] = ()
    """Each pair once."""


def ties(change: Change, associations: Associations, ending: Callable[[Reference], Iterable[Pair]]) -> Ties:
    """Return what a change makes and ends; `ending` tells which pairs end with an object."""
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
    return Ties(
        tuple(_keys(change, associations, new=True)),
        tuple(_keys(change, associations, new=False)),
        _each_once(each for is_new, each in links if is_new),
        _each_once((*(each for is_new, each in links if not is_new), *with_objects)),
    )


def _each_once(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple({each.name: each for each in pairs}.values())


def _keys(change: Change, associations: Associations, *, new: bool) -> Iterator[Tie]:
    """Yield the keys that objects have after a change and not before it, or the other way round."""
    for effect in change.object_effects():
        reference = reference_of(effect)
        has, has_not = (effect.after, effect.before) if new else (effect.before, effect.after)
        for keyed in associations.keyed(reference.class_name):
            target = keyed.key(has)
            if target is not None and target != keyed.key(has_not):
                yield Tie(keyed, reference.id, target)
