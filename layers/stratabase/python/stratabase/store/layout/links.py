"""Links: the items by which an association is walked from the side whose objects hold no foreign key.

A link lies in the partition of the object that it leads away from, under the role's name, and its sort key
ends with the id that it leads to. A link of a versioned holder that ends leaves a former link, right behind
the links, once for each pair.
"""

from collections.abc import Iterable, Iterator, Sequence

from stratabase.domain.objects.entity import Reference, RoleName
from stratabase.store.engine.port import ITEMS, Bounds, Engine, Item
from stratabase.store.layout import keys

START, END = "start", "end"
"""The attribute of a link with the instant when it began, and of a former link, when it ended."""


def bounds(name: str, start: str | None = None, *, backward: bool = False) -> Bounds:
    """Return the bounds of an object's links under a role's name: those after the id `start`, if given."""
    prefix = keys.links(name)
    beyond = f"{prefix[:-1]}{chr(ord(prefix[-1]) + 1)}"
    if start is None:
        return Bounds(prefix, beyond, high_included=False)
    if backward:
        return Bounds(prefix, f"{prefix}{start}", high_included=False)
    return Bounds(f"{prefix}{start}", beyond, low_included=False, high_included=False)


def all_bounds(name: str) -> Bounds:
    """Return the bounds of an object's links and former links under a role's name."""
    beyond = keys.former_links(name)
    return Bounds(keys.links(name), f"{beyond[:-1]}{chr(ord(beyond[-1]) + 1)}", high_included=False)


def ids(items: Iterable[Item], name: str) -> Iterator[str]:
    """Return the ids that links under a role's name lead to; other items are left out."""
    return _ids_behind(items, keys.links(name))


def former_ids(items: Iterable[Item], name: str) -> Iterator[str]:
    """Return the ids that former links under a role's name led to; other items are left out."""
    return _ids_behind(items, keys.former_links(name))


def _ids_behind(items: Iterable[Item], prefix: str) -> Iterator[str]:
    sorts = (item.key.sort for item in items)
    return (sort.removeprefix(prefix) for sort in sorts if sort.startswith(prefix))


def read_ids(engine: Engine, role: RoleName, id_: str, limit: int | None = None) -> Sequence[str]:
    """Read the ids that an object's links lead to, in order; at most `limit`."""
    partition = keys.head(Reference(role.class_name, id_)).partition
    pages = engine.range(ITEMS, partition, bounds(role.role_name), limit=limit)
    return [other for page in pages for other in ids(page, role.role_name)]
