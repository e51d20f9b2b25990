"""The watchdog judges workers by their responses, and ignores time when it did not run itself."""

from collections.abc import Iterator

from stratabase.server.process.watchdog import CHECKS_PER_LIMIT, MAX_PERIOD, ProbeResult, Watchdog

LIMIT = 5.0
PERIOD = LIMIT / CHECKS_PER_LIMIT


class Worker:
    def __init__(self) -> None:
        self.probes = 0

    def probe(self) -> None:
        self.probes += 1


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class WatchdogFixture:
    """A watchdog of one worker."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.clock = Clock()
        self.worker = Worker()
        self.watchdog: Watchdog[Worker] = Watchdog(limit, self.clock)

    def look(self, after: float | None = None) -> list[ProbeResult]:
        self.clock.now += self.watchdog.seconds_until_check() if after is None else after
        return [finding for _, finding in self.watchdog.check([self.worker])]

    def silence(self) -> Iterator[tuple[float, ProbeResult]]:
        """Yield each finding after the seconds of silence before it, until the worker is stuck."""
        assert self.look() == []
        began = self.clock.now
        while True:
            for finding in self.look():
                yield self.clock.now - began, finding
                if finding is ProbeResult.STUCK:
                    return


def test_a_silent_worker_is_slow_after_a_third_of_the_limit_and_stuck_at_the_limit() -> None:
    fixture = WatchdogFixture()

    assert list(fixture.silence()) == [(1.75, ProbeResult.SLOW), (5.0, ProbeResult.STUCK)]
    assert fixture.worker.probes == 1


def test_a_silent_worker_is_slow_after_some_seconds_however_long_the_limit_is() -> None:
    """New connections go to another worker then."""
    fixture = WatchdogFixture(limit=30)
    found = fixture.silence()

    assert next(found) == (3.0, ProbeResult.SLOW)
    assert next(found) == (30.0, ProbeResult.STUCK)


def test_each_state_is_reported_once() -> None:
    fixture = WatchdogFixture()
    list(fixture.silence())

    assert [fixture.look() for _ in range(100)] == [[]] * 100


def test_a_responsive_worker_is_neither_slow_nor_stuck() -> None:
    fixture = WatchdogFixture()
    for _ in range(1000):
        assert fixture.look() == []
        assert fixture.watchdog.record_answer(fixture.worker) is None

    assert fixture.worker.probes == 1000


def test_a_slow_worker_that_responds_is_no_longer_slow() -> None:
    fixture = WatchdogFixture()
    found = fixture.silence()
    assert next(found)[1] is ProbeResult.SLOW
    assert fixture.watchdog.is_slow(fixture.worker)

    assert fixture.watchdog.record_answer(fixture.worker) == 1.75

    assert not fixture.watchdog.is_slow(fixture.worker)
    assert [finding for _, finding in fixture.silence()] == [ProbeResult.SLOW, ProbeResult.STUCK]


def test_time_during_machine_sleep_does_not_count() -> None:
    """The answer of a worker may wait to be read, when the supervisor looks first."""
    fixture = WatchdogFixture()
    fixture.look()

    assert fixture.look(after=8 * 3600) == []
    assert fixture.watchdog.pending_seconds(fixture.worker) == 2 * PERIOD


def test_ended_workers_are_forgotten() -> None:
    fixture = WatchdogFixture()
    next(fixture.silence())

    list(fixture.watchdog.check([]))

    assert not fixture.watchdog.is_slow(fixture.worker)
    assert fixture.watchdog.pending_seconds(fixture.worker) == 0
    assert fixture.watchdog.record_answer(fixture.worker) is None


def test_without_a_limit_no_worker_is_ever_stuck() -> None:
    fixture = WatchdogFixture(limit=0)
    fixture.look()

    assert fixture.watchdog.seconds_until_check() == MAX_PERIOD
    assert [fixture.look(MAX_PERIOD) for _ in range(1000)] == [[]] * 1000


def test_a_check_is_due_one_period_after_the_last() -> None:
    fixture = WatchdogFixture()
    fixture.look()
    fixture.clock.now += 0.125
    assert fixture.watchdog.seconds_until_check() == PERIOD - 0.125
    fixture.clock.now += 100
    assert fixture.watchdog.seconds_until_check() == 0
