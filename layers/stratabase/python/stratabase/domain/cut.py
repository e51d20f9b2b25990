"""A page cut out of objects that are all at hand."""

from collections.abc import Iterable

from stratabase.domain.matching import Test, matcher
from stratabase.domain.objects.entity import Entity
from stratabase.domain.ordering import ordered, side_of
from stratabase.domain.page import Page, Query
from stratabase.model.class_ import Class


class Cut:
    """Shows a query's page of some objects of its class, whatever their order."""

    def __init__(self, query: Query, class_: Class) -> None:
        self._window = query.window
        self._class = class_
        # From the window's start on: in the query's order forward, against it backward.
        self._order = query.order.turned() if query.window.backward else query.order
        self._matches: Test | None = None if query.filter is None else matcher(query.filter, class_)

    def __call__(self, entities: Iterable[Entity]) -> Page:
        """Return the page, with all that can be said of it."""
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
            side, nearest = side_of(start, self._order, self._class), 0 if self._window.inclusive else 1
            found = [entity for entity in found if side(entity.state) >= nearest]
        return list(ordered(found, lambda entity: entity.state, self._order, self._class))
