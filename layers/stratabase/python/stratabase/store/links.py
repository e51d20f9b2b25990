"""The items by which associations are walked from the side that holds no key."""

from collections.abc import Iterable, Iterator, Sequence

from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.domain.objects.instant import Instant
from stratabase.store import keys
from stratabase.store.association import Pair
from stratabase.store.engine.port import (
    EXISTS,
    ITEMS,
    NO_EXPECTATION,
    NOT_EXISTS,
    Action,
    Bounds,
    Delete,
    Engine,
    Expectation,
    Item,
    Key,
    Put,
)
from stratabase.store.ties import Tie, Ties

START, END = "start", "end"
"""The attribute of a link that tells since when it leads there, and of a former one until when it did."""


def actions(all_ties: Ties, instant: Instant) -> Iterator[Action]:
    """Yield what is to be done to the links of associations that are made and ended, at both ends."""
    for tie in all_ties.left:
        if link := _link(tie):
            yield Delete(link, EXISTS if tie.keyed.counted else NO_EXPECTATION)
        if former := tie.keyed.former:
            yield Put(Item(keys.former_link(tie.end, former.role_name, tie.holder), {END: instant}))
    for tie in all_ties.set:
        if link := _link(tie):
            yield Put(Item(link, {START: instant}))
    for each in all_ties.parted:
        yield from (Delete(key, expect) for key, expect in _both(each, EXISTS))
    for each in all_ties.joined:
        yield from (Put(Item(key), expect) for key, expect in _both(each, NOT_EXISTS))


def evidence(tie: Tie) -> Key | None:
    """Return the key of what tells that a key is counted where it leads: its link, or the guard it holds.

    A key that is older than its link or guard is not counted.
    """
    return keys.couple(tie.keyed.role, tie.target) if tie.keyed.exclusive else _link(tie)


def _link(tie: Tie) -> Key | None:
    name = tie.keyed.link
    return None if name is None else keys.link(tie.end, name.role_name, tie.holder)


def _both(each: Pair, expect: Expectation) -> Iterator[tuple[Key, Expectation]]:
    """Yield the links of a pair.

    Where they are counted, the one must be there that is counted off, and not be there yet what is counted:
    of the link that the pair is seen by that is asked.
    """
    for end, reference, other in each.sides():
        if end.kept:
            seen = end is each.ends.near and each.ends.counted
            yield keys.link(reference, end.role.role_name, other), expect if seen else NO_EXPECTATION


def bounds(name: str, start: str | None = None, *, backward: bool = False) -> Bounds:
    """Return where an object's links under a role's name lie: those after `start`."""
    prefix = keys.links(name)
    beyond = f"{prefix[:-1]}{chr(ord(prefix[-1]) + 1)}"
    if start is None:
        return Bounds(prefix, beyond, high_included=False)
    if backward:
        return Bounds(prefix, f"{prefix}{start}", high_included=False)
    return Bounds(f"{prefix}{start}", beyond, low_included=False, high_included=False)


def all_bounds(name: str) -> Bounds:
    """Return where an object's links under a role's name lie, and behind them those that it had."""
    beyond = keys.former_links(name)
    return Bounds(keys.links(name), f"{beyond[:-1]}{chr(ord(beyond[-1]) + 1)}", high_included=False)


def ids(items: Iterable[Item], name: str) -> Iterator[str]:
    """Return what links under a role's name lead to."""
    return _named(items, keys.links(name))


def former_ids(items: Iterable[Item], name: str) -> Iterator[str]:
    """Return what former links under a role's name led to."""
    return _named(items, keys.former_links(name))


def _named(items: Iterable[Item], prefix: str) -> Iterator[str]:
    sorts = (item.key.sort for item in items)
    return (sort.removeprefix(prefix) for sort in sorts if sort.startswith(prefix))


def found(engine: Engine, role: RoleName, id_: str, limit: int | None = None) -> Sequence[str]:
    """Return what an object's links lead to, in order: at most so many."""
    partition = keys.head(Reference(role.class_name, id_)).partition
    pages = engine.range(ITEMS, partition, bounds(role.role_name), limit=limit)
    return [other for page in pages for other in ids(page, role.role_name)]
