"""How to scan an index so that rows come in the order of the query, and where to start the scan.

An index is sorted by its columns, then by id. The order of a query may agree with that only in its first
terms. Then a scan yields runs: rows with equal values in the columns of these terms. The runs come in the
order of the query, so it is enough to sort each run (an incremental sort). For example, an index by `city`
serves the order `city, name`: all rows of one city are one run.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from stratabase.core.domain.query.order import Order, OrderTerm, Position
from stratabase.core.model.api_names import ID
from stratabase.core.store.engine.port import UNBOUNDED, Bounds
from stratabase.core.store.layout.access_path import (
    AccessPath,
    Column,
    is_truncated,
    prefix_end,
    truncate,
    value_text,
)
from stratabase.core.store.query.index_bounds import IndexBounds


class ScanStart(NamedTuple):
    """The position at which a scan starts, such as a cursor."""

    position: Position
    inclusive: bool
    """Whether the scan includes an object at this position."""


class _KnownColumns(NamedTuple):
    """The values of index columns that the position of a start implies."""

    texts: dict[str, str]
    """By attribute: the index texts of the first matched columns."""
    id: str | None
    """The id, if the position has one directly after these columns."""
    is_exhaustive: bool
    """Whether the position implies nothing else."""


class ScanStrategy(NamedTuple):
    """How to read ranges of an index so that runs of equal values come in the order of the query."""

    path: AccessPath
    bounds: IndexBounds
    order: Order
    """The reading order: the order of the query, or its reverse for a backward window."""
    matched_attributes: tuple[str, ...]
    """The attributes of the first terms of the order that the index serves, without `bounds.fixed`."""
    run_columns: int
    """The number of first columns whose values are equal within a run."""
    descending: bool
    """Whether to read the index from its end."""
    reverses_ids: bool
    """Whether runs must only be sorted by id, in the direction opposite to that of the scan."""
    is_fully_sorted: bool
    """Whether the index serves all terms of the order, including the id, so that runs need no sorting."""
    merges_ranges: bool
    """Whether to merge the ranges, which are read at the same time. Otherwise read one after the other."""

    @property
    def is_useful(self) -> bool:
        """Whether the scan can return its first rows before it has read everything."""
        return bool(self.matched_attributes) or self.is_fully_sorted

    def from_start(self, start: ScanStart, range_number: int) -> Bounds:
        """Return bounds that skip most rows of a range before a start, and no others."""
        known = self._known_columns(start.position)
        text = self._first_texts(known, range_number)
        if not text:
            return UNBOUNDED
        # 1. Rows with this truncated text may lie before or after the start: read all of them.
        if is_truncated(text):
            return self._from(truncate(text))
        # 2. The position has all columns and the id: it is one sort key.
        if known.id is not None and self.is_fully_sorted:
            return self._from_place(text + known.id, included=start.inclusive)
        # 3. The position only has the first columns. An exclusive start skips all rows with these values, if
        #    the position has nothing else.
        return self.beyond(text) if known.is_exhaustive and not start.inclusive else self._from(text)

    def beyond(self, text: str) -> Bounds:
        """Return the bounds after all sort keys with a prefix, in the direction of the scan."""
        return Bounds(high=text, high_included=False) if self.descending else Bounds(low=prefix_end(text))

    def within_reversed_run(self, start: ScanStart | None, run: str) -> Bounds:
        """Return the bounds of a run from a start on, for a run that is read in the opposite direction."""
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
        """Return the bounds from the first sort key with a prefix on, in the direction of the scan."""
        return Bounds(high=prefix_end(text), high_included=False) if self.descending else Bounds(low=text)

    def _from_place(self, place: str, *, included: bool) -> Bounds:
        """Return the bounds after one sort key, in the direction of the scan."""
        if self.descending:
            return Bounds(high=place, high_included=included)
        return Bounds(low=place, low_included=included)

    def _known_columns(self, position: Position) -> _KnownColumns:
        texts: dict[str, str] = {}
        columns = {column.attribute: column for column in self.path.columns}
        matched = iter(self.matched_attributes)
        for term, value in zip(self.order.terms, position.values, strict=False):
            name = term.attribute
            if name == ID:
                is_next = value is not None and len(texts) == len(self.matched_attributes)
                return _KnownColumns(texts, str(value) if is_next else None, is_exhaustive=False)
            text = value_text(columns[name].text(value)) if name in columns else ""
            if name in self.bounds.fixed:
                # A cursor may be of an object that does not match the filter.
                if text != self.bounds.fixed[name]:
                    return _KnownColumns(texts, None, is_exhaustive=False)
            elif name == next(matched, None):
                texts[name] = text
            else:
                return _KnownColumns(texts, None, is_exhaustive=False)
        return _KnownColumns(texts, None, is_exhaustive=True)

    def _first_texts(self, known: _KnownColumns, range_number: int) -> str:
        """Return the index texts of the first columns in a range, concatenated, as far as they are known."""
        return "".join(self._texts(known, range_number))

    def _texts(self, known: _KnownColumns, range_number: int) -> Iterator[str]:
        if self.merges_ranges:
            yield self.bounds.prefixes[range_number]
        texts = {**self.bounds.fixed, **known.texts}
        for column in self.path.columns[self.bounds.prefix_columns if self.merges_ranges else 0 :]:
            if column.attribute not in texts:
                return
            yield texts[column.attribute]


def scan_strategy(path: AccessPath, bounds: IndexBounds, order: Order) -> ScanStrategy:
    """Return how to read ranges of an index in an order: one after the other, or else merged.

    Merging is needed for `city in ["Bern", "Basel"]`, ordered by `age`, with an index by `city, age`: each
    city is a range that is sorted by age.
    """
    sequential = _scan_strategy(path, bounds, order, first=0, merges_ranges=False)
    if sequential.is_useful or len(bounds.ranges) < 2:
        return sequential
    return _scan_strategy(path, bounds, order, first=bounds.prefix_columns, merges_ranges=True)


def _scan_strategy(
    path: AccessPath, bounds: IndexBounds, order: Order, *, first: int, merges_ranges: bool
) -> ScanStrategy:
    """Return how the columns from number `first` on serve an order."""
    # Ignore columns and terms that have the same value in all ranges: they do not affect the order.
    columns = [column for column in path.columns[first:] if column.attribute not in bounds.fixed]
    terms = [term for term in order.terms if term.attribute not in bounds.fixed]
    descending = terms[0].descending
    matched = tuple(term.attribute for term in _common_terms(columns, terms, descending=descending))
    id_term = terms[len(matched)] if len(matched) == len(columns) else None
    names = [column.attribute for column in path.columns]
    # Where folded texts are equal, the order goes on with what was written, which the index doesn't have.
    is_total = not path.folded or path.folded.isdisjoint([term.attribute for term in order.terms])
    return ScanStrategy(
        path,
        bounds,
        order,
        matched,
        run_columns=names.index(matched[-1]) + 1 if matched else first,
        descending=descending,
        reverses_ids=is_total and id_term == OrderTerm(ID, not descending),
        is_fully_sorted=is_total and id_term == OrderTerm(ID, descending),
        merges_ranges=merges_ranges,
    )


def _common_terms(
    columns: Iterable[Column], terms: Sequence[OrderTerm], *, descending: bool
) -> Iterator[OrderTerm]:
    """Yield the first terms of an order that agree with the columns, as long as all have one direction."""
    pairs = zip(columns, terms, strict=False)
    common = takewhile(lambda pair: pair[1] == OrderTerm(pair[0].attribute, descending), pairs)
    return (term for _, term in common)
