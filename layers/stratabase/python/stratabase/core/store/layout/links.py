"""Links: the items to follow an association from the side whose objects hold no foreign key.

A link is in the partition of its owner. Its sort key consists of the role's name and the id of the target.
If the object that holds the foreign key is versioned, the removal of a link leaves a former link, at most one
for each pair of objects. Former links sort directly after the links.
"""

from collections.abc import Iterable, Iterator, Sequence

from stratabase.core.domain.objects.entity import Reference, RoleName
from stratabase.core.store.engine.port import ITEMS, Bounds, Engine, Item
from stratabase.core.store.layout import keys

START, END = "start", "end"
"""The attribute of a link with its start, and the attribute of a former link with its last end."""


def bounds(name: str, start: str | None = None, *, backward: bool = False) -> Bounds:
    """Return the bounds of an object's links for the role with this name.

    `start`: only links after this target id, or before it if `backward`.
    """
    prefix = keys.links(name)
    beyond = f"{prefix[:-1]}{chr(ord(prefix[-1]) + 1)}"
    if start is None:
        return Bounds(prefix, beyond, high_included=False)
    if backward:
        return Bounds(prefix, f"{prefix}{start}", high_included=False)
    return Bounds(f"{prefix}{start}", beyond, low_included=False, high_included=False)


def all_bounds(name: str) -> Bounds:
    """Return the bounds of an object's links and former links for the role with this name."""
    beyond = keys.former_links(name)
    return Bounds(keys.links(name), f"{beyond[:-1]}{chr(ord(beyond[-1]) + 1)}", high_included=False)


def ids(items: Iterable[Item], name: str) -> Iterator[str]:
    """Return the target ids of the links for a role among items, in the order of the items."""
    return _ids_behind(items, keys.links(name))


def former_ids(items: Iterable[Item], name: str) -> Iterator[str]:
    """Return the target ids of the former links for a role among items, in the order of the items."""
    return _ids_behind(items, keys.former_links(name))


def _ids_behind(items: Iterable[Item], prefix: str) -> Iterator[str]:
    sorts = (item.key.sort for item in items)
    return (sort.removeprefix(prefix) for sort in sorts if sort.startswith(prefix))


def read_ids(engine: Engine, role: RoleName, id_: str, limit: int | None = None) -> Sequence[str]:
    """Read the target ids of an object's links for a role, in ascending order; at most `limit`."""
    partition = keys.head(Reference(role.class_name, id_)).partition
    pages = engine.range(ITEMS, partition, bounds(role.role_name), limit=limit)
    return [other for page in pages for other in ids(page, role.role_name)]
