"""How the order of an index serves the order of a query."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from stratabase.domain.order import Order, Term
from stratabase.store.access_path import AccessPath, Column
from stratabase.store.plans.reach import Reach


class Course(NamedTuple):
    """A way along an index on which runs of objects with equal first columns are met in order."""

    order: Order
    """The order of travel."""
    matched: tuple[str, ...]
    """The attributes whose columns serve the first terms of the order, those fixed by the filter left out."""
    upto: int
    """How many columns are equal within a run."""
    down: bool
    turnable: bool
    """Runs of equal values differ by the id alone, and want it in the other direction than the index."""
    aligned: bool
    """Runs are in order too, down to the id."""
    merged: bool
    """The ranges are travelled side by side, each in order, rather than after one another."""

    @property
    def serves(self) -> bool:
        """Return whether it spares reading everything before the first match is known."""
        return bool(self.matched) or self.aligned


def course(path: AccessPath, reach: Reach, order: Order) -> Course:
    """Return the better course for an order of travel: ranges after one another, or side by side."""
    one_by_one = _course(path, reach, order, first=0, merged=False)
    if one_by_one.serves or len(reach.ranges) < 2:
        return one_by_one
    return _course(path, reach, order, first=reach.depth, merged=True)


def _course(path: AccessPath, reach: Reach, order: Order, *, first: int, merged: bool) -> Course:
    free = [column for column in path.columns[first:] if column.attribute not in reach.fixed]
    terms = [term for term in order.terms if term.attribute not in reach.fixed]
    down = terms[0].descending
    matched = tuple(term.attribute for term in _common(free, terms, down=down))
    by_id = terms[len(matched)] if len(matched) == len(free) else None
    aligned, turnable = by_id == Term("_id", down), by_id == Term("_id", not down)
    names = [column.attribute for column in path.columns]
    upto = names.index(matched[-1]) + 1 if matched else first
    return Course(order, matched, upto, down, turnable, aligned, merged)


def _common(columns: Iterable[Column], terms: Sequence[Term], *, down: bool) -> Iterator[Term]:
    """Yield the first terms that the columns follow, all in one direction."""
    pairs = zip(columns, terms, strict=False)
    wanted = takewhile(lambda pair: pair[1] == Term(pair[0].attribute, down), pairs)
    return (term for _, term in wanted)
