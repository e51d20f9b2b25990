"""A page of objects, and what asks for one."""

from collections.abc import Iterable

from stratabase.domain.objects.entity import Entity
from stratabase.domain.objects.version import VERSION_START
from stratabase.domain.query.filter import Filter
from stratabase.domain.query.matching import Test, matcher
from stratabase.domain.query.order import Order, Position, comparator, sort_objects
from stratabase.frozen import frozen
from stratabase.model.model import Class


@frozen
class Window:
    """Which part of the ordered matches is wanted: always one slice of them.

    `size` objects after `start` (before it when `backward`), `offset` of them passed over. Without a start:
    from the first (the last) match. `inclusive`: an object at `start` itself belongs to the page; where
    `start` has values for the first terms only, all objects with these values are at it.
    """

    size: int = 10
    backward: bool = False
    offset: int = 0
    start: Position | None = None
    inclusive: bool = False


@frozen
class PageFields:
    """What a client asked to know of a page; what it did not ask for need not be found out."""

    items: bool = True
    total_count: bool = False
    has_next: bool = False
    has_prev: bool = False
    version_start: bool = True
    """That the states tell `_versionStart`; to spell it takes as long as to read all else."""


@frozen
class Query:
    """The objects of a class that match a filter (all without one), in an order, and a window on them."""

    class_name: str
    order: Order
    filter: Filter | None = None
    window: Window = Window()
    fields: PageFields = PageFields()

    @property
    def needs_version_start(self) -> bool:
        """Whether states must tell `_versionStart`, to be shown or to be ordered by."""
        return self.fields.version_start or any(term.attribute == VERSION_START for term in self.order.terms)


@frozen
class Page:
    """The objects of a window, in the query's order whatever the direction; None for what was not wanted.

    `has_next` and `has_prev` say whether any match lies after the slice, or before it. An empty slice has a
    place too: between what lies before its start (or was passed over) and what would be its first object.
    """

    items: tuple[Entity, ...] = ()
    total_count: int | None = None
    """How many objects match, whatever the window."""
    has_next: bool | None = None
    has_prev: bool | None = None


class Paginator:
    """Makes the page of a query out of objects in memory, whatever their order."""

    def __init__(self, query: Query, class_: Class) -> None:
        self._window = query.window
        self._class = class_
        # From the window's start on: in the query's order forward, against it backward.
        self._order = query.order.reversed() if query.window.backward else query.order
        self._matches: Test | None = None if query.filter is None else matcher(query.filter, class_)

    def page(self, entities: Iterable[Entity]) -> Page:
        """Return the page of some objects, with its count and what lies around it."""
        matches = self._matches
        found = [entity for entity in entities if matches is None or matches(entity.state)]
        onward = self._onward(found)
        offset, end = self._window.offset, self._window.offset + self._window.size
        items = tuple(onward[offset:end])
        ahead = len(onward) > end
        behind = len(found) > len(onward) or min(offset, len(onward)) > 0
        if self._window.backward:
            return Page(items[::-1], len(found), has_next=behind, has_prev=ahead)
        return Page(items, len(found), has_next=ahead, has_prev=behind)

    def _onward(self, found: list[Entity]) -> list[Entity]:
        """Return what lies beyond the window's start, the nearest first."""
        start = self._window.start
        if start is not None:
            side, nearest = comparator(start, self._order, self._class), 0 if self._window.inclusive else 1
            found = [entity for entity in found if side(entity.state) >= nearest]
        return list(sort_objects(found, lambda entity: entity.state, self._order, self._class))
