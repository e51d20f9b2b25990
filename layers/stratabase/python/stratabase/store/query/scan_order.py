"""In which order an index gives the objects that a query wants, and from where on it is read.

An index is in the order of its columns and then of the ids. A query's order may differ from that. While the
first terms of both agree, the index gives runs of objects with equal values in these columns; the runs are
in the query's order, and each run is sorted by itself.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from stratabase.domain.query.order import Order, OrderTerm, Position
from stratabase.store.engine.port import UNBOUNDED, Bounds
from stratabase.store.layout.access_path import AccessPath, Column
from stratabase.store.layout.index_text import is_truncated, prefix_end, truncate, value_text
from stratabase.store.query.index_bounds import IndexBounds


class ScanStart(NamedTuple):
    """A position in the order of reading, from which on objects are read."""

    position: Position
    inclusive: bool
    """Whether what is at the position is read too."""


class _KnownColumns(NamedTuple):
    """What the position of a start says of the columns of an index."""

    texts: dict[str, str]
    """The index texts of the first columns that the query is ordered by, by attribute."""
    id: str | None
    """The id, if the position has one right behind these columns."""
    is_complete: bool
    """The position says nothing else."""


class ScanOrder(NamedTuple):
    """A way to read ranges of an index, so that runs of objects with equal first columns come in order."""

    path: AccessPath
    bounds: IndexBounds
    order: Order
    """The order of reading: the query's, or its reverse for a window that is read backward."""
    matched: tuple[str, ...]
    """The attributes whose columns serve the first terms of the order, but those that the filter fixes."""
    run_columns: int
    """How many first columns are equal within a run."""
    descending: bool
    is_reversible: bool
    """A run of equal values is ordered by the id alone, and in the other direction than the index has it."""
    is_complete: bool
    """Runs are in order too, down to the id."""
    merges_ranges: bool
    """The ranges are read at the same time and merged, rather than read one after another."""

    @property
    def is_useful(self) -> bool:
        """Whether it spares reading everything before the first match is known."""
        return bool(self.matched) or self.is_complete

    def from_start(self, start: ScanStart, range_number: int) -> Bounds:
        """Return bounds that leave out of a range most of what lies before a start, and nothing else."""
        known = self._known_columns(start.position)
        text = self._first_texts(known, range_number)
        if not text:
            return UNBOUNDED
        if is_truncated(text):
            return self._from(truncate(text))
        if known.id is not None and self.is_complete:
            return self._from_place(text + known.id, included=start.inclusive)
        return self.beyond(text) if known.is_complete and not start.inclusive else self._from(text)

    def beyond(self, text: str) -> Bounds:
        """Return what lies beyond all places that begin with a text."""
        return Bounds(high=text, high_included=False) if self.descending else Bounds(low=prefix_end(text))

    def within_reversed_run(self, start: ScanStart | None, run: str) -> Bounds:
        """Return what lies beyond a start in a run that is read in the other direction than the rest."""
        within = Bounds(low=run, high=prefix_end(run), high_included=False)
        if start is None:
            return within
        known = self._known_columns(start.position)
        if known.id is None or self._first_texts(known, 0) != run:
            return within
        if self.descending:
            return within._replace(low=run + known.id, low_included=start.inclusive)
        return within._replace(high=run + known.id, high_included=start.inclusive)

    def _from(self, text: str) -> Bounds:
        """Return all places that begin with a text, and what lies beyond them."""
        return Bounds(high=prefix_end(text), high_included=False) if self.descending else Bounds(low=text)

    def _from_place(self, place: str, *, included: bool) -> Bounds:
        """Return what lies beyond one place."""
        if self.descending:
            return Bounds(high=place, high_included=included)
        return Bounds(low=place, low_included=included)

    def _known_columns(self, position: Position) -> _KnownColumns:
        texts: dict[str, str] = {}
        columns = {column.attribute: column for column in self.path.columns}
        matched = iter(self.matched)
        for term, value in zip(self.order.terms, position.values, strict=False):
            name = term.attribute
            if name == "_id":
                is_next = value is not None and len(texts) == len(self.matched)
                return _KnownColumns(texts, str(value) if is_next else None, is_complete=False)
            text = value_text(columns[name].text(value)) if name in columns else ""
            if name in self.bounds.fixed:
                # The position may be that of an object that the filter does not let through.
                if text != self.bounds.fixed[name]:
                    return _KnownColumns(texts, None, is_complete=False)
            elif name == next(matched, None):
                texts[name] = text
            else:
                return _KnownColumns(texts, None, is_complete=False)
        return _KnownColumns(texts, None, is_complete=True)

    def _first_texts(self, known: _KnownColumns, range_number: int) -> str:
        """Return the texts of the first columns in a range, as far as they are known."""
        return "".join(self._texts(known, range_number))

    def _texts(self, known: _KnownColumns, range_number: int) -> Iterator[str]:
        if self.merges_ranges:
            yield self.bounds.prefixes[range_number]
        texts = {**self.bounds.fixed, **known.texts}
        for column in self.path.columns[self.bounds.prefix_columns if self.merges_ranges else 0 :]:
            if column.attribute not in texts:
                return
            yield texts[column.attribute]


def scan_order(path: AccessPath, bounds: IndexBounds, order: Order) -> ScanOrder:
    """Return the better way to read ranges in an order: one after another, or at the same time."""
    sequential = _scan_order(path, bounds, order, first=0, merges_ranges=False)
    if sequential.is_useful or len(bounds.ranges) < 2:
        return sequential
    return _scan_order(path, bounds, order, first=bounds.prefix_columns, merges_ranges=True)


def _scan_order(
    path: AccessPath, bounds: IndexBounds, order: Order, *, first: int, merges_ranges: bool
) -> ScanOrder:
    """Return how the columns from the `first` on serve an order."""
    # Columns and terms with one value in all ranges order nothing.
    columns = [column for column in path.columns[first:] if column.attribute not in bounds.fixed]
    terms = [term for term in order.terms if term.attribute not in bounds.fixed]
    descending = terms[0].descending
    matched = tuple(term.attribute for term in _common_terms(columns, terms, descending=descending))
    id_term = terms[len(matched)] if len(matched) == len(columns) else None
    names = [column.attribute for column in path.columns]
    return ScanOrder(
        path,
        bounds,
        order,
        matched,
        run_columns=names.index(matched[-1]) + 1 if matched else first,
        descending=descending,
        is_reversible=id_term == OrderTerm("_id", not descending),
        is_complete=id_term == OrderTerm("_id", descending),
        merges_ranges=merges_ranges,
    )


def _common_terms(
    columns: Iterable[Column], terms: Sequence[OrderTerm], *, descending: bool
) -> Iterator[OrderTerm]:
    """Yield the first terms that the columns follow, all in one direction."""
    pairs = zip(columns, terms, strict=False)
    common = takewhile(lambda pair: pair[1] == OrderTerm(pair[0].attribute, descending), pairs)
    return (term for _, term in common)
