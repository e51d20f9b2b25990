"""How the order of an index serves the order of a query."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from stratabase.domain.query.order import Order, OrderTerm, Position
from stratabase.store.engine.port import UNBOUNDED, Bounds
from stratabase.store.layout.access_path import AccessPath, Column
from stratabase.store.layout.index_text import is_truncated, prefix_end, truncate, value_text
from stratabase.store.query.index_bounds import IndexBounds


class ScanOrder(NamedTuple):
    """A way along an index on which runs of objects with equal first columns are met in order."""

    order: Order
    """The order of travel."""
    matched: tuple[str, ...]
    """The attributes whose columns serve the first terms of the order, those fixed by the filter left out."""
    run_columns: int
    """How many columns are equal within a run."""
    descending: bool
    reversible: bool
    """Runs of equal values differ by the id alone, and want it in the other direction than the index."""
    fully_ordered: bool
    """Runs are in order too, down to the id."""
    merges_ranges: bool
    """The ranges are travelled side by side, each in order, rather than after one another."""

    @property
    def is_useful(self) -> bool:
        """Return whether it spares reading everything before the first match is known."""
        return bool(self.matched) or self.fully_ordered


def scan_order(path: AccessPath, reach: IndexBounds, order: Order) -> ScanOrder:
    """Return the better course for an order of travel: ranges after one another, or side by side."""
    one_by_one = _course(path, reach, order, first=0, merged=False)
    if one_by_one.is_useful or len(reach.ranges) < 2:
        return one_by_one
    return _course(path, reach, order, first=reach.prefix_columns, merged=True)


def _course(path: AccessPath, reach: IndexBounds, order: Order, *, first: int, merged: bool) -> ScanOrder:
    free = [column for column in path.columns[first:] if column.attribute not in reach.fixed]
    terms = [term for term in order.terms if term.attribute not in reach.fixed]
    down = terms[0].descending
    matched = tuple(term.attribute for term in _common(free, terms, down=down))
    by_id = terms[len(matched)] if len(matched) == len(free) else None
    aligned, turnable = by_id == OrderTerm("_id", down), by_id == OrderTerm("_id", not down)
    names = [column.attribute for column in path.columns]
    upto = names.index(matched[-1]) + 1 if matched else first
    return ScanOrder(order, matched, upto, down, turnable, aligned, merged)


def _common(columns: Iterable[Column], terms: Sequence[OrderTerm], *, down: bool) -> Iterator[OrderTerm]:
    """Yield the first terms that the columns follow, all in one direction."""
    pairs = zip(columns, terms, strict=False)
    wanted = takewhile(lambda pair: pair[1] == OrderTerm(pair[0].attribute, down), pairs)
    return (term for _, term in wanted)


class ScanStart(NamedTuple):
    """A position in the order of travel; what is at it belongs to what is read, or not."""

    position: Position
    inclusive: bool


class _Known(NamedTuple):
    """What a start says of the columns that a course follows."""

    texts: dict[str, str]
    id: str | None
    whole: bool
    """It says nothing else."""


def bounds_from_start(
    path: AccessPath, reach: IndexBounds, course: ScanOrder, start: ScanStart, number: int
) -> Bounds:
    """Return bounds that leave out of a range most of what lies before a start, and nothing else."""
    text, known = _text(path, reach, course, start, number)
    if not text:
        return UNBOUNDED
    if is_truncated(text):
        return _from(truncate(text), course)
    if known.id is not None and course.fully_ordered:
        return _beside(text + known.id, course, included=start.inclusive)
    return bounds_beyond(text, course) if known.whole and not start.inclusive else _from(text, course)


def bounds_within_run(
    path: AccessPath, reach: IndexBounds, course: ScanOrder, start: ScanStart | None, run: str
) -> Bounds:
    """Return what lies beyond a start in a run that is read in the other direction than the course's."""
    within = Bounds(low=run, high=prefix_end(run), high_included=False)
    text, known = _text(path, reach, course, start, 0) if start else ("", None)
    if start is None or known is None or known.id is None or text != run:
        return within
    if course.descending:
        return within._replace(low=run + known.id, low_included=start.inclusive)
    return within._replace(high=run + known.id, high_included=start.inclusive)


def _text(
    path: AccessPath, reach: IndexBounds, course: ScanOrder, start: ScanStart, number: int
) -> tuple[str, _Known]:
    """Return what a start says of the columns, and the text of the first of them in a range."""
    known = _known(path, reach, course, start.position)
    return "".join(_texts(path, reach, course, known, number)), known


def _known(path: AccessPath, reach: IndexBounds, course: ScanOrder, position: Position) -> _Known:
    texts: dict[str, str] = {}
    columns = {column.attribute: column for column in path.columns}
    matched = iter(course.matched)
    for term, value in zip(course.order.terms, position.values, strict=False):
        name = term.attribute
        if name == "_id":
            usable = value is not None and len(texts) == len(course.matched)
            return _Known(texts, str(value) if usable else None, whole=False)
        text = value_text(columns[name].text(value)) if name in columns else ""
        if name in reach.fixed:
            if text != reach.fixed[name]:
                return _Known(texts, None, whole=False)
        elif name == next(matched, None):
            texts[name] = text
        else:
            return _Known(texts, None, whole=False)
    return _Known(texts, None, whole=True)


def _texts(
    path: AccessPath, reach: IndexBounds, course: ScanOrder, known: _Known, number: int
) -> Iterator[str]:
    """Yield the texts of the first columns, as far as they are known."""
    if course.merges_ranges:
        yield reach.prefixes[number]
    texts = {**reach.fixed, **known.texts}
    for column in path.columns[reach.prefix_columns if course.merges_ranges else 0 :]:
        if column.attribute not in texts:
            return
        yield texts[column.attribute]


def _from(text: str, course: ScanOrder) -> Bounds:
    """Return all that begins with a text, and what lies beyond it."""
    return Bounds(high=prefix_end(text), high_included=False) if course.descending else Bounds(low=text)


def bounds_beyond(text: str, course: ScanOrder) -> Bounds:
    """Return what lies beyond all that begins with a text."""
    return Bounds(high=text, high_included=False) if course.descending else Bounds(low=prefix_end(text))


def _beside(text: str, course: ScanOrder, *, included: bool) -> Bounds:
    """Return what lies beyond one text."""
    if course.descending:
        return Bounds(high=text, high_included=included)
    return Bounds(low=text, low_included=included)
