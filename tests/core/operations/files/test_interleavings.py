"""Two interleaved operations on files have the outcome of one after the other."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import count as numbers_from
from random import Random

import pytest

from stratabase.core.store.engine.port import Item, Key
from stratabase.core.store.engine.wrappers import DelegatingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.files.contests import OPERATIONS, Contest, run
from tests.core.operations.files.stored_files import check_no_bytes_are_missing, check_nothing_is_left
from tests.in_memory_blobs import InMemoryBlobs
from tests.soak import count, seed

Operation = Callable[[Contest], object]


class Steps:
    """Counts the steps of the stores, and calls a function before one of them, once."""

    def __init__(self) -> None:
        self.stop_before: int | None = None
        self.meanwhile: Callable[[], object] = lambda: None
        self._number = 0

    def begin(self, _name: str = "") -> None:
        """Count a step."""
        if self.stop_before is not None:
            number, self._number = self._number, self._number + 1
            if number == self.stop_before:
                self.stop_before = None
                self.meanwhile()

    @property
    def are_over(self) -> bool:
        """Whether an operation ended before the step came."""
        return self.stop_before is not None


class SteppedEngine(DelegatingEngine):
    """Announces each call, and each item that is read."""

    def __init__(self, steps: Steps) -> None:
        super().__init__(ReferenceEngine())
        self._steps = steps

    def _before_read(self) -> None:
        self._steps.begin()

    def _before_write(self) -> None:
        self._before_read()

    def get(self, keys: Sequence[Key], *, places: bool = True) -> list[Item | None]:
        return [super(SteppedEngine, self).get([key], places=places)[0] for key in keys]


@cache
def in_turn(one: Operation, two: Operation) -> list[object]:
    """Return the results and the state after two operations one after the other, in both orders."""
    contest, reverse = Contest(), Contest()
    first = [run(contest, one), run(contest, two), contest.state()]
    second = [run(reverse, two), run(reverse, one)]
    return [first, [*reversed(second), reverse.state()]]


def _add_result(results: list[object], contest: Contest, operation: Operation) -> None:
    results.append(run(contest, operation))


@pytest.mark.soak
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.__name__)
def test_an_operation_between_any_two_steps_of_another_is_before_or_after_it(operation: Operation) -> None:
    for other in Random(seed()).sample(OPERATIONS, count(3, len(OPERATIONS))):
        _check_each_step(operation, other)


def _check_each_step(operation: Operation, other: Operation) -> None:
    for number in numbers_from(0):
        steps = Steps()
        contest, results = Contest(SteppedEngine(steps), InMemoryBlobs(steps.begin)), list[object]()
        steps.meanwhile = partial(_add_result, results, contest, other)
        steps.stop_before = number
        result = run(contest, operation)
        if steps.are_over:
            break
        steps.stop_before = None

        assert [result, *results, contest.state()] in in_turn(operation, other), number
        check_no_bytes_are_missing(contest.scenario)
        check_nothing_is_left(contest.scenario)
    assert number
