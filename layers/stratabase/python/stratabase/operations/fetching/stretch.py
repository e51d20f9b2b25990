"""How many of the objects that a role leads to must be read for a page of them."""

from collections.abc import Sequence
from typing import NamedTuple

from stratabase.domain.query.page import PageFields, Query


class Stretch(NamedTuple):
    """The ids from a start on (exclusive), in their order or `backward`, at most `limit`; None: all."""

    start: str | None = None
    limit: int | None = None
    backward: bool = False

    def of(self, ids: Sequence[str]) -> Sequence[str]:
        """Return that stretch of some ids."""
        ordered = sorted(ids, reverse=self.backward)
        if self.start is not None:
            start = self.start
            ordered = [id_ for id_ in ordered if (id_ < start if self.backward else id_ > start)]
        return ordered[: self.limit]


EVERYTHING = Stretch()
NOTHING = Stretch(limit=0)
_UNWANTED = PageFields(items=False)


def stretch_of(query: Query) -> Stretch:
    """Return what must be read, as long as all that is named is there.

    A page without a filter, in the order of the ids, shows the first that there are after its start; whoever
    counts all, or asks what lies before the start, has all read.
    """
    window, wanted = query.window, query.fields
    if wanted == _UNWANTED:
        return NOTHING
    by_id = query.order.terms[0]
    behind = wanted.has_next if window.backward else wanted.has_prev
    ahead = wanted.has_prev if window.backward else wanted.has_next
    if query.filter is not None or by_id.attribute != "_id" or wanted.total_count:
        return EVERYTHING
    if window.start is not None and (behind or window.inclusive):
        return EVERYTHING
    start = None if window.start is None else str(window.start.values[0])
    return Stretch(start, window.offset + window.size + ahead, backward=window.backward != by_id.descending)
