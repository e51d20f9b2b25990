"""The reader of pages and unique values of versioned classes as of an instant.

It passes over the objects that may have existed then, in the order of their IDs, and reads the version of
each. So a page in that order stops when it is full. All others read the whole class, because indexes have
only present values.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any

from stratabase.core.domain.attributes import type_of
from stratabase.core.domain.issues.refusals import Hint, ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Entity, Moment, Reference, State, states_of
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.query.derived import computed_parts
from stratabase.core.domain.query.matching import matcher
from stratabase.core.domain.query.order import Order
from stratabase.core.domain.query.page import ALL_IDS, IdRange, Matches, Page, Paginator, Query, read_window
from stratabase.core.model.api_names import ID
from stratabase.core.model.model import Class, Unique
from stratabase.core.operations.context import ReadContext
from stratabase.core.operations.read.as_of import AsOfBatch
from stratabase.core.operations.read.batched_reads import run
from stratabase.core.operations.read.reader import Reader
from stratabase.values.messages import _

_BATCH = 200
"""The number of objects in the first batch of a pass over a class."""


class PastReader(Reader):
    """Reads objects as of an instant, as `getVersion` shows them: if they were visible then, and are now."""

    def __init__(self, read_context: ReadContext, instant: Instant, *, forgets: bool = False) -> None:
        """`forgets`: passes over a class don't keep what they read, because they may be long."""
        super().__init__(read_context, instant)
        self.instant = instant
        self._forgets = forgets

    def get_by(self, class_name: str, unique: Unique, values: State) -> Entity | None:
        """Return the object that had unique values, None if there was none. Raises as `page`.

        If the object that has them now didn't have them then, this passes over the class.
        """
        class_ = self.model.classes[class_name]
        wanted = _unique_values(class_, unique, values)
        if None in wanted:
            return None
        present = self._entities.find_by_unique(class_name, unique, values, self.budget)
        first = [] if present is None else [[present.reference.id]]
        all_ = self._ids(class_name, ALL_IDS._replace(limit=_BATCH))
        found = chain.from_iterable(self._matches(Query(class_name, Order()), chain(first, all_)))
        return next((each for each in found if _unique_values(class_, unique, each.state) == wanted), None)

    def page(self, query: Query) -> Page:
        """Return one page of the objects of a class.

        Raises ReadBudgetExceeded, Unavailable, DeletedNotListed.
        """
        if self._is_range(query):
            return self._range_page(query)
        if not (query.fields.items or query.fields.has_next or query.fields.has_prev):
            return Page(total_count=sum(map(len, self._all_matches(query))))
        class_ = self.model.classes[query.class_name]
        paginator = Paginator(query, class_, partial(self.compare, class_.name))
        return paginator.page(chain.from_iterable(self._all_matches(query)))

    def matches(self, query: Query) -> Iterator[Matches]:
        """Yield all visible objects of a class that match, in batches, without a window. Raises as `page`."""
        return (Matches(states_of(each)) for each in self._all_matches(query))

    def _all_matches(self, query: Query) -> Iterator[Sequence[Entity]]:
        return self._matches(query, self._ids(query.class_name, ALL_IDS._replace(limit=_BATCH)))

    def for_totals(self) -> "PastReader":
        """Return a reader of the same objects that draws on the budget of totals."""
        return PastReader(self._read_context.for_totals(), self.instant, forgets=True)

    def _is_range(self, query: Query) -> bool:
        """Return whether a page is a range of the matches in the order of their IDs."""
        fields, start = query.fields, query.window.start
        has_id = start is None or (bool(start.values) and start.values[0] is not None)
        needs_all = fields.total_count or fields.totals is not None
        return query.order.terms[0].attribute == ID and has_id and not needs_all

    def _range_page(self, query: Query) -> Page:
        """Return a page without reading more than it needs."""
        window = query.window
        backward = window.backward != query.order.terms[0].descending
        shown = read_window(
            query,
            lambda size: self._from_start(query, size, backward=backward, inclusive=window.inclusive),
            lambda: self._from_start(query, 1, backward=not backward, inclusive=not window.inclusive),
        )
        return Page(shown.items, None, has_next=shown.has_next, has_prev=shown.has_prev)

    def _from_start(self, query: Query, size: int, *, backward: bool, inclusive: bool) -> Iterator[Entity]:
        """Yield the matches from the start of the window on. `size`: how many are wanted."""
        start = None if query.window.start is None else str(query.window.start.values[0])
        at_start = [[start]] if inclusive and start is not None else []
        beyond = self._ids(query.class_name, IdRange(start, size, backward=backward))
        return chain.from_iterable(self._matches(query, chain(at_start, beyond)))

    def _ids(self, class_name: str, id_range: IdRange) -> Iterator[Sequence[str]]:
        return self._entities.ids_at(class_name, self.instant, id_range, self.budget)

    def _matches(self, query: Query, batches: Iterator[Sequence[str]]) -> Iterator[Sequence[Entity]]:
        """Yield the matches among objects, batch by batch. Raises ReadBudgetExceeded."""
        class_, passed = self.model.classes[query.class_name], 0
        test = (
            None
            if query.filter is None
            else matcher(query.filter, class_, partial(self.compare, class_.name))
        )
        try:
            for batch in batches:
                passed += len(batch)
                visible = self._visible_at(query, batch)
                if test is not None:
                    visible = [each for each in self.within_budget(class_.name, visible) if test(each.state)]
                yield visible
        except ReadBudgetExceeded as exceeded:
            hint = exceeded.hint if exceeded.hint.compares else self._hint(query)
            raise ReadBudgetExceeded(class_.name, passed, hint) from None

    def _visible_at(self, query: Query, ids: Sequence[str]) -> list[Entity]:
        """Return what was visible of objects, with the derived values that a query uses."""
        name = query.class_name
        reader = Reader(self._read_context, self.instant) if self._forgets else self
        moments = [Moment(Reference(name, id_), self.instant) for id_ in ids]
        existing = [each for each in AsOfBatch(self._read_context).objects(moments) if each is not None]
        visible = [each for each in run(reader.add_visible(existing)) if each is not None]
        attached = run(reader.attached(visible))
        computed = computed_parts(query, self.model.classes[name])
        return [*(run(reader.with_computed(name, attached, computed)) if computed else attached)]

    def _hint(self, query: Query) -> Hint:
        """Return what of a query makes it pass over the whole class."""
        asked = {
            "filter": query.filter is not None,
            "totalCount": query.fields.total_count,
            _("totals such as aggregates"): query.fields.totals is not None,
            _("any sort order that does not start with _id"): query.order.terms[0].attribute != ID,
        }
        costly = tuple(name for name, is_asked in asked.items() if is_asked)
        return Hint(costly=costly) if costly else Hint(shared=True)


def _unique_values(class_: Class, unique: Unique, state: State) -> list[Any]:
    """Return the values of a uniqueness constraint in a state, as they are compared."""
    return [_compared(class_, name, state) for name in unique.attributes]


def _compared(class_: Class, name: str, state: State) -> Any:
    value, folding = state.get(name), type_of(class_, name).folding if name in class_.attributes else None
    if folding is not None and isinstance(value, str):
        return folding.fold(value)
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value
