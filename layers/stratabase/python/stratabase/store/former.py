"""What a role led to at an instant, as far as links tell: what they name tells then whether it did.

A link, or the guard of a one-to-one, tells since when it leads there. One that has ended leaves something
behind, right behind the links, that tells until when: once for each pair, however often it was so.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.store import keys, links
from stratabase.store.association import Keyed
from stratabase.store.claims import holder
from stratabase.store.desk import Desk
from stratabase.store.engine.port import ITEMS, Item
from stratabase.store.engine.read_limiter import ReadLimiter


def candidates(
    desk: Desk, keyed: Keyed, moments: Sequence[tuple[str, Instant]], spending: ReadLimiter
) -> list[Iterable[str]]:
    """Return for owners at instants the ids of objects whose key may have led there. Raises TooMuchRead.

    What is left of an owner's links is read once, however many the instants are.
    """
    ids = list(dict.fromkeys(id_ for id_, _ in moments))
    # In this order: who leaves meanwhile is found at least once.
    guards = _guards(desk, keyed, ids, spending) if keyed.exclusive else {}
    walked = desk.together(lambda id_: [*_walked(desk, keyed, id_, spending)], ids)
    found = dict(zip(ids, walked, strict=True))
    return [chain(_held(guards.get(id_), at), _led(keyed, found[id_], at)) for id_, at in moments]


def _guards(desk: Desk, keyed: Keyed, ids: Sequence[str], spending: ReadLimiter) -> Mapping[str, Item | None]:
    return dict(zip(ids, desk.got([keys.couple(keyed.role, id_) for id_ in ids], spending), strict=True))


def _held(guard: Item | None, at: Instant) -> tuple[str, ...]:
    return (str(holder(guard)),) if guard and _had_begun(guard, at) else ()


def _walked(desk: Desk, keyed: Keyed, id_: str, spending: ReadLimiter) -> Iterator[Item]:
    """Yield the links of an owner, and what is left of those that have ended."""
    assert keyed.former is not None
    name, partition = keyed.former.role_name, keys.head(Reference(keyed.target, id_)).partition
    for page in desk.engine.range(ITEMS, partition, links.all_bounds(name)):
        spending.record(page)
        spending.check()
        yield from page


def _led(keyed: Keyed, found: Sequence[Item], at: Instant) -> Iterator[str]:
    assert keyed.former is not None
    name = keyed.former.role_name
    yield from links.ids((item for item in found if _had_begun(item, at)), name)
    yield from links.former_ids((item for item in found if _had_not_ended(item, at)), name)


def _had_begun(item: Item, at: Instant) -> bool:
    """Return whether a link or guard led there at an instant; one that does not tell since when may have."""
    start = item.attributes.get(links.START, 0)
    return isinstance(start, int) and start <= at


def _had_not_ended(item: Item, at: Instant) -> bool:
    end = item.attributes.get(links.END)
    return isinstance(end, int) and end > at
