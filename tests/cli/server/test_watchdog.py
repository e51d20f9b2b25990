"""The watchdog judges workers by their answers, and only in the time in which it was awake itself."""

from collections.abc import Iterator

from stratabase.cli.server.watchdog import CHECKS_PER_LIMIT, MAX_PERIOD, ProbeResult, Watchdog

LIMIT = 60.0
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


class Bench:
    """A watchdog that looks at one worker."""

    def __init__(self, limit: float = LIMIT) -> None:
        self.clock = Clock()
        self.worker = Worker()
        self.watchdog: Watchdog[Worker] = Watchdog(limit, self.clock)

    def look(self, after: float = PERIOD) -> list[ProbeResult]:
        self.clock.now += after
        return [finding for _, finding in self.watchdog.check([self.worker])]

    def silence(self) -> Iterator[tuple[float, ProbeResult]]:
        """Yield what is found, and after how much silence, until the worker is stuck."""
        assert self.look() == []
        began = self.clock.now
        while True:
            for finding in self.look():
                yield self.clock.now - began, finding
                if finding is ProbeResult.STUCK:
                    return


def test_a_silent_worker_is_slow_after_a_third_of_the_limit_and_stuck_after_all_of_it() -> None:
    bench = Bench()

    assert list(bench.silence()) == [(21.0, ProbeResult.SLOW), (60.0, ProbeResult.STUCK)]
    assert bench.worker.probes == 1


def test_each_finding_is_made_once() -> None:
    bench = Bench()
    list(bench.silence())

    assert [bench.look() for _ in range(100)] == [[]] * 100


def test_a_worker_that_answers_is_neither_however_long_it_works() -> None:
    bench = Bench()
    for _ in range(1000):
        assert bench.look() == []
        assert bench.watchdog.record_answer(bench.worker) is None

    assert bench.worker.probes == 1000


def test_a_slow_worker_that_answers_begins_anew() -> None:
    bench = Bench()
    found = bench.silence()
    assert next(found) == (21.0, ProbeResult.SLOW)
    assert bench.watchdog.is_slow(bench.worker)

    assert bench.watchdog.record_answer(bench.worker) == 21.0

    assert not bench.watchdog.is_slow(bench.worker)
    assert [finding for _, finding in bench.silence()] == [ProbeResult.SLOW, ProbeResult.STUCK]


def test_time_in_which_the_machine_slept_does_not_count() -> None:
    """The answer of a worker may wait to be read, when the supervisor looks first."""
    bench = Bench()
    bench.look()

    assert bench.look(after=8 * 3600) == []
    assert bench.watchdog.pending_seconds(bench.worker) == 2 * PERIOD


def test_workers_that_have_gone_are_forgotten() -> None:
    bench = Bench()
    next(bench.silence())

    list(bench.watchdog.check([]))

    assert not bench.watchdog.is_slow(bench.worker)
    assert bench.watchdog.pending_seconds(bench.worker) == 0
    assert bench.watchdog.record_answer(bench.worker) is None


def test_without_a_limit_no_worker_is_ever_stuck() -> None:
    bench = Bench(limit=0)
    bench.look()

    assert bench.watchdog.seconds_until_check() == MAX_PERIOD
    assert [bench.look(MAX_PERIOD) for _ in range(1000)] == [[]] * 1000


def test_a_look_is_due_a_period_after_the_last_one() -> None:
    bench = Bench()
    bench.look()
    bench.clock.now += 1
    assert bench.watchdog.seconds_until_check() == PERIOD - 1
    bench.clock.now += 100
    assert bench.watchdog.seconds_until_check() == 0
