"""A row, which is an object that was read for a page and matches its filter."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, compress, islice, repeat
from operator import itemgetter

from stratabase.core import waiting
from stratabase.core.domain.objects.entity import Entity, State, UnmadeEntities
from stratabase.core.domain.query.derived import Derive, split_filter
from stratabase.core.domain.query.filter import Filter, test_cost
from stratabase.core.domain.query.matching import Test, matcher
from stratabase.core.model.model import Class
from stratabase.core.store.engine.port import Item
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.layout.codec import StateDecoder

BATCH_SIZE = 100
"""The number of objects that are read by key, or whose derived values are computed, at a time."""

_COMPARISONS_PER_TURN = 10_000
"""Comparisons to make before other requests may proceed and the time limit is checked."""

_BYTES_PER_TURN = 1024 * 1024
"""The approximate size of the states to decode before other requests may proceed, in bytes."""

_FEW_COMPARISONS = 10
"""The number of comparisons per object below which comparing takes less time than reading the object."""

_DECODED_AT_ONCE = 128
"""The number of items to decode at a time, which limits the memory for states that do not match."""


Row = tuple[Item, State, StateDecoder, Entity | None]
"""The item of an object that a query reads, what it uses of its state, and the decoder of this state.

The last part is the object with derived values in its state, None if the query uses none. A page makes many
rows, and a tuple takes half the time of an object with attributes.
"""

row_state: Callable[[Row], State] = itemgetter(1)
"""Returns the state of a row."""


def row_entity(row: Row) -> Entity:
    """Return the object of a row, with all values that the query shows."""
    item, state, decoder, derived = row
    return derived or decoder.entity(item, *decoder.complete((item,), [state]))


def entities_of(class_name: str, rows: Sequence[Row]) -> Sequence[Entity]:
    """Return the objects of rows of one query on a class."""
    if not rows:
        return ()
    _item, _state, decoder, derived = rows[0]
    if derived is not None:
        return tuple(map(row_entity, rows))
    items = [row[0] for row in rows]
    states = decoder.complete(items, [row[1] for row in rows])
    return UnmadeEntities(class_name, states, lambda: list(map(decoder.entity, items, states)))


def distinct_rows(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield each object once. If it is written during a scan of an index, the scan may find it twice."""
    seen: set[str] = set()
    for row in rows:
        partition = row[0].partition
        if partition not in seen:
            seen.add(partition)
            yield row


class RowFilter:
    """Converts items to rows, and keeps the rows that match a filter.

    With `derive`, it computes the derived attributes of rows, which the filter may also use.
    """

    def __init__(
        self,
        class_: Class,
        filter_: Filter | None,
        limiter: ReadLimiter,
        decoder: StateDecoder,
        derive: Derive | None = None,
    ) -> None:
        """Prepare for a filter. `decoder`: decodes what the query uses of the states."""
        self._decoder = decoder
        # If nothing is derived, the filter only tests stored values.
        stored, derived = (filter_, None) if derive is None else split_filter(filter_, class_)
        self._derive = derive
        matches = partial(matcher, class_=class_, before_search=limiter.compare)
        self._matches_stored: Test | None = None if stored is None else matches(stored)
        self._matches_derived: Test | None = None if derived is None else matches(derived)
        self._limiter = limiter
        comparisons = 0 if filter_ is None else test_cost(filter_)
        self._rows_per_turn = (
            max(1, _COMPARISONS_PER_TURN // comparisons) if comparisons > _FEW_COMPARISONS else None
        )
        self._rows_this_turn = 0
        self._bytes_before = 0 if limiter.budget is None else limiter.budget.bytes_read

    def __bool__(self) -> bool:
        """Whether it may yield fewer rows than it reads, or reads ahead."""
        return self._matches_stored is not None or self._derive is not None

    @property
    def needs_whole_items(self) -> bool:
        """Whether it uses more of an item than its state and its place."""
        return self._decoder.needs_whole_items

    def __call__(self, pages: Iterable[Sequence[Item]]) -> Iterator[Row]:
        """Yield the rows of the items in pages that match, in their order. Raises ReadBudgetExceeded."""
        return self.complete(chain.from_iterable(map(self.stored_matches, pages)))

    def complete(self, found: Iterator[Row]) -> Iterator[Row]:
        """Yield those of the stored matches that match the rest of the filter, with derived values."""
        return found if self._derive is None else self._with_derived_values(found, self._derive)

    def stored_matches(self, items: Sequence[Item]) -> list[Row]:
        """Return the rows of items that match the part of the filter that tests stored values.

        Raises ReadBudgetExceeded.
        """
        rows_per_turn = self._rows_per_turn
        if (budget := self._limiter.budget) is not None:
            size, self._bytes_before = budget.bytes_read - self._bytes_before, budget.bytes_read
            if size > _BYTES_PER_TURN:
                rows = max(1, len(items) * _BYTES_PER_TURN // size)
                rows_per_turn = rows if rows_per_turn is None else min(rows, rows_per_turn)
        if rows_per_turn is None:
            return self._matching(items)
        found, at = list[Row](), 0
        while at < len(items):
            turn = items[at : at + max(1, rows_per_turn - self._rows_this_turn)]
            found += self._matching(turn)
            at += len(turn)
            self._rows_this_turn += len(turn)
            if self._rows_this_turn >= rows_per_turn:
                self._rows_this_turn = 0
                waiting.give_way()
                self._limiter.check()
        return found

    def _matching(self, items: Sequence[Item]) -> list[Row]:
        if len(items) > _DECODED_AT_ONCE:
            found = list[Row]()
            for at in range(0, len(items), _DECODED_AT_ONCE):
                found += self._matching(items[at : at + _DECODED_AT_ONCE])
            return found
        decoder, matches = self._decoder, self._matches_stored
        states = decoder.decode(items)
        rows: Iterable[Row] = zip(items, states, repeat(decoder), repeat(None))
        return list(rows if matches is None else compress(rows, map(matches, states)))

    def _with_derived_values(self, found: Iterator[Row], derive: Derive) -> Iterator[Row]:
        """Derive values batch by batch, and yield the rows that match the filter of derived attributes."""
        matches = self._matches_derived
        while batch := list(islice(found, BATCH_SIZE)):
            entities = derive(list(map(row_entity, batch)))
            for (item, _state, decoder, _entity), entity in zip(batch, entities, strict=True):
                if matches is None or matches(entity.state):
                    yield item, entity.state, decoder, entity
