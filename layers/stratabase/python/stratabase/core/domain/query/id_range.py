"""Which of the objects that a role leads to must be read for a page of them."""

from collections.abc import Iterable
from typing import NamedTuple

from stratabase.core.domain.query.page import PageFields, Query
from stratabase.core.model.api_names import ID


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
    if query.filter is not None or by_id.attribute != ID or fields.total_count:
        return ALL_IDS
    if window.start is not None and (behind or window.inclusive):
        return ALL_IDS
    start = None if window.start is None else str(window.start.values[0])
    return IdRange(start, window.offset + window.size + ahead, backward=window.backward != by_id.descending)
