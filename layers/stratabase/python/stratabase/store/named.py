"""The objects of a class that have one of some ids, got by key: exact at once, whatever the indexes show."""

from collections.abc import Iterable, Iterator, Sequence

from stratabase import waiting
from stratabase.domain.objects.entity import Reference
from stratabase.model.class_ import Class
from stratabase.store import keys
from stratabase.store.budget import Budget
from stratabase.store.engine import EVERYTHING, Bounds, Engine, Item
from stratabase.store.match import Match
from stratabase.store.presence import living
from stratabase.store.sieve import TOGETHER, Sieve


class Named:
    """Those of the named objects that there are, and that a sieve lets through."""

    def __init__(
        self, engine: Engine, class_: Class, ids: Iterable[str], sieve: Sieve, budget: Budget
    ) -> None:
        self._engine = engine
        self._class = class_
        self._ids = sorted(ids)
        self._sieve = sieve
        self._budget = budget

    def matches(
        self, bounds: Bounds | None = None, *, backward: bool = False, limit: int | None = None
    ) -> Iterator[Match]:
        """Yield the matches in the order of their ids; `limit`: how many are asked for at most."""
        within = bounds or EVERYTHING
        ids = [id_ for id_ in self._ids if _admits(within, id_)]
        at_first = TOGETHER if limit is None or self._sieve else min(limit, TOGETHER)
        return self._sieve(self._items(ids[::-1] if backward else ids, at_first))

    def count(self) -> int:
        """Return how many match."""
        return sum(1 for _ in self.matches())

    def _items(self, ids: Sequence[str], at_first: int) -> Iterator[Item]:
        yield from self._got(ids[:at_first])
        for at in range(at_first, len(ids), TOGETHER):
            waiting.give_way()
            yield from self._got(ids[at : at + TOGETHER])

    def _got(self, ids: Sequence[str]) -> Iterator[Item]:
        found = self._engine.get([keys.head(Reference(self._class.name, id_)) for id_ in ids])
        return (item for item in map(living, self._budget.spend(found)) if item is not None)


def _admits(bounds: Bounds, text: str) -> bool:
    low, high, low_included, high_included = bounds
    above = low is None or text > low or (low_included and text == low)
    return above and (high is None or text < high or (high_included and text == high))
