"""Filtering yields to other requests, and stops at the timeout."""

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import ReadBudgetExceeded
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.query.filter import Comparison, Filter, Or
from stratabase.core.domain.query.read_budget import MEGABYTE, ReadBudget
from stratabase.core.model.types.operators import Operator
from stratabase.core.store.engine.port import Item, Key
from stratabase.core.store.engine.read_limiter import ReadLimiter
from stratabase.core.store.layout import codec
from stratabase.core.store.query.rows import RowFilter
from tests.core.store.stores import fresh_class

WIDE = Or(tuple(Comparison("name", Operator.CONTAINS, f"{number}z") for number in range(500)))


class PassingTime:
    """A clock that advances by a second whenever other requests run."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        monkeypatch.setattr(waiting, "give_way", self._pass)

    def _pass(self) -> None:
        self.now += 1

    def tested(
        self, filter_: Filter, objects: int, seconds: float = 10_000, name: str = "a", megabytes: int = 10
    ) -> int:
        """Return how many objects of the same name pass a filter."""
        budget = ReadBudget(megabytes * MEGABYTE, seconds, lambda: self.now, waiting.give_way)
        limiter = ReadLimiter(budget, "Thing")
        state = codec.state_text(Reference("Thing", "a"), {"_id": "a", "name": name})
        items = [Item(Key(f"Thing#{number}", "s"), state=state) for number in range(objects)]
        class_ = fresh_class()
        decoder = codec.StateDecoder(class_, version_start=False)
        return len(list(RowFilter(class_, filter_, limiter, decoder)([limiter.spend(items)])))


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> PassingTime:
    return PassingTime(monkeypatch)


def test_a_large_filter_yields_after_some_thousand_comparisons(time: PassingTime) -> None:
    assert time.tested(WIDE, 100) == 0
    assert time.now == 50


def test_a_large_filter_stops_at_the_timeout(time: PassingTime) -> None:
    with pytest.raises(ReadBudgetExceeded):
        time.tested(WIDE, 100, seconds=3)
    assert time.now == 4


def test_a_simple_filter_does_not_yield(time: PassingTime) -> None:
    assert time.tested(Comparison("name", Operator.CONTAINS, "a"), 1000) == 1000
    assert time.now == 0


def test_a_filter_yields_while_it_tests_one_object_with_a_long_text(time: PassingTime) -> None:
    assert time.tested(WIDE, 1, name="a" * 300_000) == 0
    assert time.now == 500


def test_a_filter_stops_at_the_timeout_within_one_object(time: PassingTime) -> None:
    with pytest.raises(ReadBudgetExceeded):
        time.tested(WIDE, 1, seconds=3, name="a" * 300_000)
    assert time.now == 4


def test_comparing_long_texts_uses_up_the_budget(time: PassingTime) -> None:
    """Their number times the length of the texts counts, not only what is read."""
    with pytest.raises(ReadBudgetExceeded):
        time.tested(WIDE, 1, seconds=10_000, name="a" * 300_000, megabytes=4)
    assert time.tested(WIDE, 1, seconds=10_000, name="a" * 300_000, megabytes=5) == 0


def test_decoding_large_objects_yields(time: PassingTime) -> None:
    assert time.tested(Comparison("name", Operator.EQ, "a"), 100, name="a" * 50_000) == 0
    assert time.now == 5
