"""Queries, the window of a page that they request, and pages of objects in memory.

The window also says which of the objects that a role leads to must be read for a page of them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

from stratabase.core.domain.objects.entity import Entity, State
from stratabase.core.domain.objects.version import VERSION_START
from stratabase.core.domain.query.filter import Filter
from stratabase.core.domain.query.matching import BeforeSearch, Test, matcher
from stratabase.core.domain.query.order import Order, Position, comparator, sort_objects
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class
from stratabase.values.frozen import frozen

T = TypeVar("T")


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
    revision: bool = False
    """Whether the objects must have their start, of which the revision is made."""
    attributes: frozenset[str] | None = None
    """The attributes that the caller uses of the items; None for all.

    States may then have others as an earlier model has stored them.
    """
    totals: frozenset[str] | None = None
    """The attributes and roles that totals of all matches use; None if there are no totals."""
    beginnings: Mapping[str, int | None] | None = None
    """How many characters of their stored values the totals use, None for all of them.

    With these fields, the matches may come from the entries of an index, and have no other values. None if
    each object must be read.
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


class Matches(NamedTuple):
    """Some of the matches of a query: their states, with the values that totals use."""

    states: Sequence[State]
    numbers: Sequence[int] | None = None
    """How many objects have each of the states. None: one each."""


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
    matches: Sequence[Entity] = ()
    """All matches, if the page is one of objects in memory, and the query asks for their totals."""
    totals: Mapping[str, Any] = field(default_factory=dict)
    """The rendered totals of all matches, by the keys of a `Fetch`."""


class Paginator:
    """The computation of a query's page from objects in memory, in any order."""

    def __init__(self, query: Query, class_: Class, before_search: BeforeSearch) -> None:
        self._window = query.window
        self._class = class_
        self._shows_totals = query.fields.totals is not None
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
        all_ = matching if self._shows_totals else ()
        if self._window.backward:
            return Page(items[::-1], len(matching), has_next=behind, has_prev=ahead, matches=all_)
        return Page(items, len(matching), has_next=ahead, has_prev=behind, matches=all_)

    def _from_start(self, entities: list[Entity]) -> list[Entity]:
        """Return the objects beyond the window's start, the nearest first."""
        start = self._window.start
        if start is not None:
            side, nearest = comparator(start, self._order, self._class), 0 if self._window.inclusive else 1
            entities = [entity for entity in entities if side(entity.state) >= nearest]
        return list(sort_objects(entities, lambda entity: entity.state, self._order, self._class))


class WindowSlice(NamedTuple, Generic[T]):
    """What the window of a query shows, in the query's order."""

    items: Sequence[T]
    has_next: bool
    has_prev: bool


def read_window(
    query: Query, onward: Callable[[int], Iterable[T]], back: Callable[[], Iterable[T]]
) -> WindowSlice[T]:
    """Return what the window of a query shows, without reading more than it needs.

    `onward` returns the matches from the window's start on, in its direction, and takes how many are wanted.
    `back` returns those on the other side of the start.
    """
    window, wanted = query.window, query.fields
    ahead_wanted, behind_wanted = wanted.has_next, wanted.has_prev
    if window.backward:
        ahead_wanted, behind_wanted = behind_wanted, ahead_wanted
    # 1. Read the window, and one match more if the client asks whether there is one ahead.
    end = window.offset + window.size
    is_read = wanted.items or ahead_wanted or (behind_wanted and window.offset > 0)
    size = end + ahead_wanted if is_read else 0
    found = list(islice(onward(size), size)) if size else []
    items, ahead = found[window.offset : end], len(found) > end
    # 2. Look for one on the other side of the start, if the client asks for that.
    behind = behind_wanted and min(len(found), window.offset) > 0
    if behind_wanted and not behind and window.start is not None:
        behind = next(iter(back()), None) is not None
    if window.backward:
        return WindowSlice(items[::-1], has_next=behind, has_prev=ahead)
    return WindowSlice(items, has_next=ahead, has_prev=behind)


class IdRange(NamedTuple):
    """At most `limit` IDs after `start` (exclusive), ascending or `backward`. None means no bound."""

    start: str | None = None
    limit: int | None = None
    backward: bool = False

    def select(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return the IDs of the range, each once, in its order."""
        ordered = sorted(filter(self.contains, set(ids)), reverse=self.backward)
        return tuple(ordered[: self.limit])

    def contains(self, id_: str) -> bool:
        """Return whether the range contains an ID. Apart from 0, its limit does not matter."""
        after = self.start is None or (id_ < self.start if self.backward else id_ > self.start)
        return after and self.limit != 0


ALL_IDS = IdRange()
NO_IDS = IdRange(limit=0)
_NO_FIELDS = PageFields(items=False)


def id_range_of(query: Query) -> IdRange:
    """Return the range of linked IDs that must be read for a page, if all linked objects exist.

    A page in the order of the IDs without a filter shows the first objects after its start. A total count, or
    the question whether objects precede the start, needs all IDs.
    """
    window, fields = query.window, query.fields
    if fields == _NO_FIELDS:
        return NO_IDS
    by_id = query.order.terms[0]
    behind = fields.has_next if window.backward else fields.has_prev
    ahead = fields.has_prev if window.backward else fields.has_next
    needs_all = fields.total_count or fields.totals is not None
    if query.filter is not None or by_id.attribute != ID or needs_all:
        return ALL_IDS
    if window.start is not None and (behind or window.inclusive):
        return ALL_IDS
    start = None if window.start is None else str(window.start.values[0])
    return IdRange(start, window.offset + window.size + ahead, backward=window.backward != by_id.descending)
