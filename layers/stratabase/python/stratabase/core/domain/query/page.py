"""Queries, the window of a page that they request, and pages of objects in memory."""

from collections.abc import Iterable, Sequence

from stratabase.core.domain.objects.entity import Entity
from stratabase.core.domain.objects.version import VERSION_START
from stratabase.core.domain.query.filter import Filter
from stratabase.core.domain.query.matching import BeforeSearch, Test, matcher
from stratabase.core.domain.query.order import Order, Position, comparator, sort_objects
from stratabase.core.model.model import Class
from stratabase.values.frozen import frozen


@frozen
class Window:
    """The slice of the ordered matches that a page shows.

    It has `size` objects after `start` (before it if `backward`), of which the first `offset` are skipped.
    Without a start, it begins at the first match (the last one if `backward`). With `inclusive`, objects at
    the start itself belong to it; if `start` has values of the first terms only, these are all objects with
    these values.
    """

    size: int = 10
    backward: bool = False
    offset: int = 0
    start: Position | None = None
    inclusive: bool = False


@frozen
class PageFields:
    """The fields of a page that the client selected. The others need not be computed."""

    items: bool = True
    total_count: bool = False
    has_next: bool = False
    has_prev: bool = False
    version_start: bool = True
    """Whether states must contain `_versionStart`. Its text takes as long as all other values together."""
    attributes: frozenset[str] | None = None
    """The attributes that the caller uses of the items; None for all.

    States may then have others as an earlier model has stored them.
    """


@frozen
class Query:
    """A request for a page: a class, a filter (None matches all objects), an order and a window."""

    class_name: str
    order: Order
    filter: Filter | None = None
    window: Window = Window()
    fields: PageFields = PageFields()
    implied: Filter | None = None
    """Conditions that every match meets. The store may find objects by them, and never tests them.

    Like the filter, they are about what the caller sees of other objects.
    """
    implied_by_grants: Filter | None = None
    """More such conditions, which are about all other objects, whether the caller sees them or not."""

    @property
    def needs_version_start(self) -> bool:
        """Whether states must contain `_versionStart`, because it is selected or ordered by."""
        return self.fields.version_start or any(term.attribute == VERSION_START for term in self.order.terms)


@frozen
class Page:
    """A page of objects in the query's order, whatever its direction. Fields that are not selected are None.

    `has_next` and `has_prev` say whether matches lie after or before the slice. An empty slice also has a
    place: between the matches before its start, or skipped by it, and the place of its first object.
    """

    items: Sequence[Entity] = ()
    total_count: int | None = None
    """The number of matches, whatever the window."""
    has_next: bool | None = None
    has_prev: bool | None = None


class Paginator:
    """The computation of a query's page from objects in memory, in any order."""

    def __init__(self, query: Query, class_: Class, before_search: BeforeSearch) -> None:
        self._window = query.window
        self._class = class_
        # Always read on from the window's start: forward in the query's order, backward in the opposite one.
        self._order = query.order.reversed() if query.window.backward else query.order
        self._matches: Test | None = (
            None if query.filter is None else matcher(query.filter, class_, before_search)
        )

    def page(self, entities: Iterable[Entity]) -> Page:
        """Return the page of some objects, with its total count, `has_next` and `has_prev`.

        Raises what `before_search` raises.
        """
        matches = self._matches
        matching = [entity for entity in entities if matches is None or matches(entity.state)]
        remaining = self._from_start(matching)
        offset, end = self._window.offset, self._window.offset + self._window.size
        items = tuple(remaining[offset:end])
        ahead = len(remaining) > end
        behind = len(matching) > len(remaining) or min(offset, len(remaining)) > 0
        if self._window.backward:
            return Page(items[::-1], len(matching), has_next=behind, has_prev=ahead)
        return Page(items, len(matching), has_next=ahead, has_prev=behind)

    def _from_start(self, entities: list[Entity]) -> list[Entity]:
        """Return the objects beyond the window's start, the nearest first."""
        start = self._window.start
        if start is not None:
            side, nearest = comparator(start, self._order, self._class), 0 if self._window.inclusive else 1
            entities = [entity for entity in entities if side(entity.state) >= nearest]
        return list(sort_objects(entities, lambda entity: entity.state, self._order, self._class))
