"""What a role led to at an instant, as far as links tell: what they name tells then whether it did.

A link, or the guard of a one-to-one, tells since when it leads there. One that has ended leaves something
behind, right behind the links, that tells until when: once for each pair, however often it was so.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from stratabase.domain.entity import Reference
from stratabase.domain.instant import Instant
from stratabase.store import keys, links
from stratabase.store.association import Keyed
from stratabase.store.claims import holder
from stratabase.store.desk import Desk
from stratabase.store.engine import ITEMS, Item
from stratabase.store.spending import Spending


def candidates(
    desk: Desk, keyed: Keyed, ids: Sequence[str], at: Instant, spending: Spending
) -> list[Iterable[str]]:
    """Return for each owner the ids of objects whose key may have led there. Raises TooMuchRead."""
    # In this order: who leaves meanwhile is found at least once.
    held = _held(desk, keyed, ids, at, spending) if keyed.exclusive else [()] * len(ids)
    walked = desk.together(lambda id_: [*_walked(desk, keyed, id_, at, spending)], ids)
    return [chain(*each) for each in zip(held, walked, strict=True)]


def _held(
    desk: Desk, keyed: Keyed, ids: Sequence[str], at: Instant, spending: Spending
) -> list[tuple[str, ...]]:
    guards = desk.engine.get([keys.couple(keyed.role, id_) for id_ in ids])
    spending.take(guards)
    return [(str(holder(guard)),) if guard and _had_begun(guard, at) else () for guard in guards]


def _walked(desk: Desk, keyed: Keyed, id_: str, at: Instant, spending: Spending) -> Iterator[str]:
    assert keyed.former is not None
    name, partition = keyed.former.role_name, keys.head(Reference(keyed.target, id_)).partition
    for page in desk.engine.range(ITEMS, partition, links.all_bounds(name)):
        spending.take(page)
        spending.check()
        yield from links.ids((item for item in page if _had_begun(item, at)), name)
        yield from links.former_ids((item for item in page if _had_not_ended(item, at)), name)


def _had_begun(item: Item, at: Instant) -> bool:
    """Return whether a link or guard led there at an instant; one that does not tell since when may have."""
    start = item.attributes.get(links.START, 0)
    return isinstance(start, int) and start <= at


def _had_not_ended(item: Item, at: Instant) -> bool:
    end = item.attributes.get(links.END)
    return isinstance(end, int) and end > at
