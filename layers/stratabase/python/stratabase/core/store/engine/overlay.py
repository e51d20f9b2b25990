"""An engine over another one, whose writes stay in memory and end with it.

It shows the items of the other engine as they would be after these writes. So it tells what several commits
would do one after the other, without doing any of them.
"""

from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import merge
from itertools import chain, islice

from stratabase.core.store.engine.actions import is_met, patched_attributes
from stratabase.core.store.engine.port import (
    ITEMS,
    NO_EXPECTATION,
    UNBOUNDED,
    Action,
    Batch,
    Beginnings,
    Bounds,
    Check,
    Counted,
    Engine,
    ExpectationFailed,
    Failure,
    IndexKey,
    Item,
    Key,
    Patch,
    Put,
)
from stratabase.core.store.engine.wrappers import DelegatingEngine

_PAGE = 100
"""The number of items in a page of a range that the writes have changed."""
_Partition = tuple[str, str]
"""The name of an index, and a partition in it."""


class OverlayEngine(DelegatingEngine):
    """An engine that reads from another one, and keeps its own writes in memory.

    It serves one caller, whose reads may run in parallel.
    """

    def __init__(self, engine: Engine) -> None:
        """`engine`: it is never written, and stays open when this one is closed."""
        super().__init__(engine)
        self._written: dict[Key, Item | None] = {}
        """The items after the writes by key, None if they are deleted."""
        self._replaced: dict[Key, Item | None] = {}
        """By the same keys: the items of the other engine as they were before the first write."""
        self._touched: dict[_Partition, dict[Key, None]] = defaultdict(dict)
        """The keys of the written items that are or were in a partition."""

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        """Return the items in the order of `keys`, None for a missing item."""
        unwritten = [key for key in keys if key not in self._written]
        found = dict(zip(unwritten, super().get(unwritten, places=places), strict=True)) if unwritten else {}
        return [self._written[key] if key in self._written else found[key] for key in keys]

    def range(  # noqa: PLR0913 - the signature of the port
        self,
        index: str,
        partition: str,
        bounds: Bounds = UNBOUNDED,
        *,
        backward: bool = False,
        limit: int | None = None,
        exact: bool = True,
        whole: bool = True,
    ) -> Iterator[Sequence[Item]]:
        """Yield the items of one partition of an index in the order of their sort keys, page by page."""
        touched = self._touched.get((index, partition))
        if not touched:
            return super().range(
                index, partition, bounds, backward=backward, limit=limit, exact=exact, whole=whole
            )
        hidden = touched.keys()
        # Each item that is hidden leaves room for another one.
        enough = None if limit is None else limit + len(hidden)
        pages = super().range(index, partition, bounds, backward=backward, limit=enough, exact=exact)
        now = filter(None, map(self._written.__getitem__, hidden))
        own = [item for item in now if _is_in(_place(item, index, partition), (bounds,))]
        return _merged(pages, frozenset(hidden), own, index, backward=backward, limit=limit)

    def count(
        self,
        index: str,
        partition: str,
        ranges: Sequence[Bounds] = (UNBOUNDED,),
        *,
        distinct: bool = False,
    ) -> Iterator[Counted]:
        """Yield the numbers of items in ranges of one partition of an index, to be added up."""
        counts = super().count(index, partition, ranges, distinct=distinct)
        touched = [*self._touched.get((index, partition), ())]
        difference = sum(
            _is_in(_place(items.get(key), index, partition), ranges) * sign
            for key in touched
            for items, sign in ((self._written, 1), (self._replaced, -1))
        )
        return _with_difference(counts, difference) if difference else counts

    def count_beginnings(
        self, index: str, partition: str, ranges: Sequence[Bounds], beginnings: Beginnings
    ) -> Mapping[str, int] | None:
        """Return what the other engine does; None if a write has changed the partition."""
        is_touched = bool(self._touched.get((index, partition)))
        return None if is_touched else super().count_beginnings(index, partition, ranges, beginnings)

    def scan(self, after: Key | None = None) -> Iterator[Sequence[Item]]:
        """Raise NotImplementedError: the other engine's own order of its items is not known."""
        raise NotImplementedError

    def data_version(self) -> object | None:
        """Return None: what is read here must not be kept."""
        return None

    def commit(self, batch: Batch) -> None:
        """Execute all actions of a batch or none, in memory. Raises ExpectationFailed."""
        actions: list[Action] = [*batch.actions, *(() if batch.fence is None else (batch.fence,))]
        found = [*zip(actions, self.get([action.key for action in actions]), strict=True)]
        failures = [Failure(action, item) for action, item in found if not is_met(action.expect, item)]
        if failures:
            raise ExpectationFailed(failures)
        writes = [
            (action.key, item, _after(action, item))
            for action, item in found
            if not isinstance(action, Check)
        ]
        for write in writes:
            self._replace(*write)

    def increment(self, key: Key, attribute: str, by: int) -> int:
        """Add a number to an attribute of an item in memory, and return the sum."""
        (found,) = self.get([key])
        after = _patched(Patch(key, NO_EXPECTATION, add={attribute: by}), found)
        self._replace(key, found, after)
        return int(str(after.attributes[attribute]))

    def close(self) -> None:
        """Do nothing: the other engine stays open."""

    def _replace(self, key: Key, before: Item | None, after: Item | None) -> None:
        """Note the item that is under a key after a write. None stands for no item."""
        self._written[key] = after
        self._replaced.setdefault(key, before)
        for item in filter(None, (before, after)):
            self._touched[ITEMS, key.partition][key] = None
            for index, place in item.places.items():
                self._touched[index, place.partition][key] = None


def _after(action: Action, found: Item | None) -> Item | None:
    """Return the item after an action, None if there is none."""
    if isinstance(action, Put):
        return action.item
    return _patched(action, found) if isinstance(action, Patch) else None


def _patched(patch: Patch, found: Item | None) -> Item:
    before = Item(patch.key) if found is None else found
    places = {**before.places, **patch.places}
    return Item(
        patch.key,
        patched_attributes(patch, before.attributes),
        before.state if patch.state is None else patch.state,
        {index: place for index, place in places.items() if place is not None},
    )


def _place(item: Item | None, index: str, partition: str) -> Key | IndexKey | None:
    """Return the position of an item in one partition of an index, None if it is not there."""
    if item is None:
        return None
    place = item.key if index == ITEMS else item.places.get(index)
    return place if place is not None and place.partition == partition else None


def _is_in(place: Key | IndexKey | None, ranges: Iterable[Bounds]) -> bool:
    return place is not None and any(bounds.admits(place.sort) for bounds in ranges)


def _with_difference(counts: Iterator[Counted], difference: int) -> Iterator[Counted]:
    """Yield counts, and then the difference that the writes make to them."""
    yield from counts
    yield Counted(difference, 0)


def _merged(  # noqa: PLR0913 - what is merged, and how
    pages: Iterator[Sequence[Item]],
    hidden: AbstractSet[Key],
    own: Iterable[Item],
    index: str,
    *,
    backward: bool,
    limit: int | None,
) -> Iterator[Sequence[Item]]:
    """Yield the pages of a range without its hidden items, together with other items of the range."""

    def position(item: Item) -> tuple[str, Key]:
        return item.key.sort if index == ITEMS else item.sort_in(index), item.key

    try:
        shown = (item for item in chain.from_iterable(pages) if item.key not in hidden)
        ordered = sorted(own, key=position, reverse=backward)
        merged = islice(merge(shown, ordered, key=position, reverse=backward), limit)
        while page := [*islice(merged, _PAGE)]:
            yield page
    finally:
        # A range may hold a connection until it is closed.
        if isinstance(pages, Generator):
            pages.close()
