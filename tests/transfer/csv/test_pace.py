"""An import waits for a store that is busy, says so, and gives up at once if the store is full."""

import pytest

from stratabase.core import waiting
from stratabase.core.concurrent_calls import ConcurrentCalls
from stratabase.core.domain.issues.refusals import StoreFull, StoreOutOfService, Unavailable
from stratabase.core.domain.store_mark import StoreRefused
from stratabase.transfer.csv.csv_import import PATIENCE, Pace
from stratabase.values.messages import verbatim

BUSY = Unavailable(verbatim("The store is busy."))


class Store:
    """Fails some times, while time passes with each pause."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.failures: list[Unavailable] = []
        self.reported: list[Unavailable] = []
        monkeypatch.setattr(waiting, "pause", self._pause)
        self.pace = Pace(ConcurrentCalls(8, 1), lambda: self.now, self.reported.append)

    def _pause(self, seconds: float) -> None:
        self.now += seconds

    def work(self) -> None:
        if self.failures:
            raise self.failures.pop()


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Store:
    return Store(monkeypatch)


def test_a_long_wait_is_reported_once_until_the_next_success(store: Store) -> None:
    store.failures = [BUSY] * 2
    store.pace.run(store.work)
    assert store.reported == []
    for expected in (1, 2):
        store.failures = [BUSY] * 8
        store.pace.run(store.work)
        assert store.reported == [BUSY] * expected


def test_an_import_gives_up_after_a_while(store: Store) -> None:
    store.failures = [BUSY] * 1_000
    with pytest.raises(Unavailable):
        store.pace.run(store.work)
    assert PATIENCE < store.now < 2 * PATIENCE


@pytest.mark.parametrize(
    "failure", [StoreFull("objects.db"), StoreOutOfService("damaged"), StoreRefused("newer")]
)
def test_an_import_does_not_wait_for_a_store_that_needs_a_person(
    store: Store, failure: StoreOutOfService
) -> None:
    store.failures = [failure]
    with pytest.raises(type(failure)):
        store.pace.run(store.work)
    assert store.now == 0
