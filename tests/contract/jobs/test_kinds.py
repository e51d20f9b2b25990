"""A job of each kind, whatever happens to its runners: done at least once, or set aside and seen."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count as numbers
from pathlib import Path

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.jobs.job import PAUSES
from stratabase.core.jobs.runner import JobsFailed, Runner, count_set_aside, run_again
from stratabase.core.observe import Log
from tests.contract.jobs.kinds import LEFT, LeftMail, LeftWork, NewKind, after
from tests.core.operations.files.interrupted_stores import Calls, Interruption, ProcessStopped
from tests.fakes import NOON, FrozenClock
from tests.soak import count, seed

ROUNDS = 12
"""Rounds within which everything is done: more than any kind needs after an interruption."""
LeaveWork = Callable[[Path], LeftWork]
HOURS = 3_600_000
LONGEST = max(PAUSES)
OF_THE_STORE = [kind for kind in LEFT if kind is not LeftMail]
"""The kinds whose work needs nothing but the stores of the instance."""


@pytest.fixture(params=LEFT, ids=lambda kind: kind.__name__)
def leave(request: pytest.FixtureRequest) -> LeaveWork:
    """Leave work of a kind."""
    leave: LeaveWork = request.param
    return leave


@pytest.fixture
def left(leave: LeaveWork, tmp_path: Path) -> Iterator[LeftWork]:
    """The work of a kind that is left."""
    with closing(leave(tmp_path)) as left:
        yield left


@pytest.fixture
def lines() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def log(lines: io.StringIO, request: pytest.FixtureRequest) -> Log:
    # Those of one service share what the first of them writes to.
    return Log("WARNING", lines, request.node.name)


def one_round(
    left: LeftWork, clock: FrozenClock, log: Log, calls: Calls | None = None, *, bad: bool = False
) -> None:
    """Run what is due in a process of its own."""
    for _ in Runner(clock.now, log).steps(left.kinds(calls or Calls(), clock, bad=bad)):
        pass


@pytest.mark.parametrize("ahead", [0, 2, -2], ids=lambda hours: f"{hours}-hours-ahead")
@pytest.mark.parametrize("interruption", Interruption, ids=lambda each: each.name.lower())
def test_a_job_that_is_interrupted_at_any_call_is_done_by_another_runner(
    leave: LeaveWork, interruption: Interruption, ahead: int, tmp_path: Path, log: Log
) -> None:
    """Also if the clocks of the two runners differ. The work is never lost."""
    every = count(8, 1)
    for number in numbers(seed() % every, every):
        folder = tmp_path / str(number)
        folder.mkdir()
        with closing(leave(folder)) as left:
            calls = Calls()
            calls.interrupt(number, interruption)
            interrupted_then_done(left, calls, ahead, log)
        if calls.number <= number:
            return


def interrupted_then_done(left: LeftWork, calls: Calls, ahead: int, log: Log) -> None:
    """Let one runner work whose calls can be interrupted, and then another one, which must do the rest."""
    first, other = FrozenClock(after(NOON, 24 + ahead)), FrozenClock(after(NOON, 24))
    for _ in range(2):  # the second round removes files that the first one has condemned
        with suppress(ProcessStopped, Unavailable, JobsFailed):
            one_round(left, first, log, calls)
        first.instant += HOURS
    for _ in range(ROUNDS):
        if left.done() == {"a", "b", "c"}:
            return
        one_round(left, other, log)
        other.instant += HOURS
    raise AssertionError(left.done())


def test_two_runners_take_turns_at_every_step(left: LeftWork, log: Log) -> None:
    """Their clocks differ by less than a lease."""
    for hours in (24, 25, 26):
        clocks = (FrozenClock(after(NOON, hours)), FrozenClock(after(NOON, hours) + 1000))
        rounds = [Runner(each.now, log).steps(left.kinds(Calls(), each)) for each in clocks]
        while rounds:
            rounds = [each for each in rounds if next(each, "done") != "done"]
    assert left.done() == {"a", "b", "c"}
    if isinstance(left, NewKind | LeftMail):
        assert set(left.runs.values()) == {1}


def test_a_job_that_always_fails_is_given_up_and_the_others_are_done(
    left: LeftWork, log: Log, lines: io.StringIO
) -> None:
    """It is set aside, logged and counted, and can be run again when its reason is gone."""
    clock, failures = FrozenClock(after(NOON, 24)), 0
    for _ in range(left.attempts + 3):
        try:
            one_round(left, clock, log, bad=True)
        except JobsFailed:
            failures += 1
        clock.instant += LONGEST
    assert failures == left.attempts
    assert left.done() == {"a", "c"}
    logged = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [line["attempt"] for line in logged] == [*range(1, left.attempts + 1)]
    assert logged[-1]["message"] == ("Job set aside" if left.keeps else "Job given up")
    assert all("bad" in line["exception"] for line in logged)

    kinds = left.kinds(Calls(), clock)
    assert count_set_aside(kinds) == int(left.keeps)
    assert sum(run_again(kind, clock.now()) for kind in kinds) == int(left.keeps)
    assert count_set_aside(kinds) == 0
    for _ in range(3):
        one_round(left, clock, log)
        clock.instant += HOURS
    assert left.done() == ({"a", "b", "c"} if left.keeps else {"a", "c"})


@pytest.mark.parametrize("leave", OF_THE_STORE, ids=lambda kind: kind.__name__, indirect=True)
def test_an_outage_is_no_failure_of_a_job(left: LeftWork, log: Log) -> None:
    """However long it takes. Nobody knows whether a mail server comes back, so its kind counts outages."""
    clock = FrozenClock(after(NOON, 24))
    for number in range(3 * len(PAUSES)):
        calls = Calls()
        calls.interrupt(number % 5, Interruption.FAILURE)
        with suppress(Unavailable):
            one_round(left, clock, log, calls)
        clock.instant += HOURS
        assert count_set_aside(left.kinds(Calls(), clock)) == 0
    for _ in range(ROUNDS):
        one_round(left, clock, log)
        clock.instant += HOURS
    assert left.done() == {"a", "b", "c"}
