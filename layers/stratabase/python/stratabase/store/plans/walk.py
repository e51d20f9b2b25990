"""Travelling along ranges of an index: matches in the exact order of travel, read no further than needed."""

from collections.abc import Generator, Iterable, Iterator
from functools import cmp_to_key
from heapq import merge
from itertools import chain, groupby, islice
from typing import NamedTuple

from stratabase.domain.order import Order, position_of
from stratabase.domain.ordering import compare, ordered, side_of
from stratabase.model.class_ import Class
from stratabase.store.access_path import AccessPath
from stratabase.store.engine import Bounds
from stratabase.store.index_values import END, leading
from stratabase.store.listing import Listing
from stratabase.store.match import Match, once
from stratabase.store.plans.course import Course, course
from stratabase.store.plans.reach import Reach, clipped
from stratabase.store.plans.start import Start, beyond, onward, onward_in_run

_LARGEST_CHUNK = 1000
LONG_RUN = 200
"""Objects of equal values that are sorted; more than these are read once more, in their own order."""


class Ground(NamedTuple):
    """What is travelled: the objects of a class in some ranges of an index."""

    class_: Class
    listing: Listing
    path: AccessPath
    reach: Reach


class Walk:
    """One journey in an order of travel, from a start or from the first match on."""

    def __init__(self, ground: Ground, order: Order, start: Start | None) -> None:
        self._ground = ground
        self._order = order
        self._start = start
        self._course: Course = course(ground.path, ground.reach, order)

    def matches(self, wanted: int) -> Iterator[Match]:
        """Yield all matches in order; `wanted` of them will be asked for, more or less."""
        found = once(self._merged(wanted) if self._course.merged else self._one_by_one(wanted))
        if self._start is None:
            return found
        position, inclusive = self._start
        side, nearest = side_of(position, self._order, self._ground.class_), 0 if inclusive else 1
        return (match for match in found if side(match.state) >= nearest)

    def _one_by_one(self, wanted: int) -> Iterator[Match]:
        ranges = self._ranges()
        in_turn = reversed(ranges) if self._course.down else ranges
        if self._course.turnable:
            return chain.from_iterable(self._turning(each, wanted) for each in in_turn)
        return self._runs(chain.from_iterable(self._read(each, wanted) for each in in_turn))

    def _merged(self, wanted: int) -> Iterator[Match]:
        travel = self._turning if self._course.turnable else self._plainly
        return merge(*(travel(each, wanted) for each in self._ranges()), key=cmp_to_key(self._compare))

    def _plainly(self, range_: Bounds, wanted: int) -> Iterator[Match]:
        return self._runs(self._read(range_, wanted))

    def _turning(self, range_: Bounds, wanted: int) -> Iterator[Match]:
        """Yield a range; what of it is a long run of equal values is read in the other direction."""
        left: Bounds | None = range_
        while left is not None:
            run = yield from self._until_long_run(left, wanted)
            left = None if run is None else clipped(left, beyond(run, self._course))
            if run is not None:
                yield from self._turned(run, wanted)

    def _until_long_run(self, range_: Bounds, wanted: int) -> Generator[Match, None, str | None]:
        """Yield the matches before the first long run, and return what its objects lie by."""
        columns = len(self._ground.path.columns)
        for text, run in self._grouped(self._read(range_, wanted), columns):
            first = list(islice(run, LONG_RUN + 1))
            if len(first) > LONG_RUN and text.count(END) == columns:
                return text
            yield from self._sorted(chain(first, run))
        return None

    def _turned(self, run: str, wanted: int) -> Iterator[Match]:
        _, _, path, reach = self._ground
        within = onward_in_run(path, reach, self._course, self._start, run)
        return self._read(within, wanted, down=not self._course.down)

    def _compare(self, left: Match, right: Match) -> int:
        order = self._order
        return compare(
            position_of(left.state, order), position_of(right.state, order), order, self._ground.class_
        )

    def _ranges(self) -> list[Bounds]:
        """Return the ranges as far as they lie beyond the start."""
        _, _, path, reach = self._ground
        start = self._start
        if start is None:
            return list(reach.ranges)
        onwards = (
            clipped(range_, onward(path, reach, self._course, start, number))
            for number, range_ in enumerate(reach.ranges)
        )
        return [range_ for range_ in onwards if range_ is not None]

    def _read(self, range_: Bounds, wanted: int, *, down: bool | None = None) -> Iterator[Match]:
        """Yield a range in chunks, since an engine's own pages may be much more than is wanted."""
        listing, down = self._ground.listing, self._course.down if down is None else down
        chunk, left = wanted, range_
        while True:
            last, met = None, 0
            for met, last in enumerate(listing.matches(left, backward=down, limit=chunk), start=1):  # noqa: B007
                yield last
            if last is None or met < chunk or listing.filters:
                return
            left = _after(left, last.sort_in(self._ground.path.index_name), down=down)
            chunk = min(2 * chunk, _LARGEST_CHUNK)

    def _runs(self, matches: Iterable[Match]) -> Iterator[Match]:
        """Yield matches as they come where the index has the order, and otherwise run by run, each sorted."""
        course, whole = self._course, len(self._ground.path.columns)
        for text, run in self._grouped(matches, whole if course.aligned else course.upto):
            in_order = course.aligned and text.count(END) == whole
            yield from run if in_order else self._sorted(run)

    def _grouped(self, matches: Iterable[Match], columns: int) -> Iterator[tuple[str, Iterator[Match]]]:
        """Return runs of matches with equal first columns, as far as they were not cut, with their texts."""
        index_name = self._ground.path.index_name
        return groupby(matches, lambda match: leading(match.lies_by(index_name), columns))

    def _sorted(self, run: Iterable[Match]) -> Iterator[Match]:
        several = list(run)
        if len(several) == 1:
            return iter(several)
        return iter(ordered(several, lambda match: match.state, self._order, self._ground.class_))


def _after(bounds: Bounds, sort: str, *, down: bool) -> Bounds:
    """Return what is left of a range after the item that lies by `sort`."""
    if down:
        return bounds._replace(high=sort, high_included=False)
    return bounds._replace(low=sort, low_included=False)
