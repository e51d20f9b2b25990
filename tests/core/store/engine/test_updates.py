"""What reads items and then commits is planned again until nobody has written in between."""

from collections.abc import Sequence

from stratabase.core.store.engine.actions import is_committed, update_items
from stratabase.core.store.engine.port import (
    NOT_EXISTS,
    Action,
    Batch,
    Condition,
    ConditionOperator,
    Expectation,
    Item,
    Key,
    OutcomeUnknown,
    Put,
)
from tests.contract.engine.reference import ReferenceEngine
from tests.rows import each_row

COUNTER = Key("counter", "counter")
N = "n"


class RivalEngine(ReferenceEngine):
    """Another process writes the counter just before the first commits, or their responses get lost."""

    def __init__(self, *, rivals: int = 0, lost: int = 0) -> None:
        super().__init__()
        self._rivals, self._lost = rivals, lost
        self.commits = 0

    def commit(self, batch: Batch) -> None:
        self.commits += 1
        if self._rivals:
            self._rivals -= 1
            super().commit(Batch(f"rival{self._rivals}", (Put(Item(COUNTER, {N: 100 - self._rivals})),)))
        super().commit(batch)
        if self._lost:
            self._lost -= 1
            raise OutcomeUnknown(())


def number(engine: ReferenceEngine) -> int:
    (found,) = engine.get([COUNTER])
    return 0 if found is None else int(str(found.attributes[N]))


def add_one(engine: ReferenceEngine, up_to: int = 1_000) -> int:
    """Add one to the counter unless it has reached a number; return what it was."""

    def plan() -> tuple[int, Sequence[Action]]:
        before = number(engine)
        as_read = Expectation(conditions=(Condition(N, ConditionOperator.EQUALS, before),))
        put = Put(Item(COUNTER, {N: before + 1}), as_read if before else NOT_EXISTS)
        return before, [put] if before < up_to else []

    return update_items(engine, "count", plan)


def test_an_update_returns_the_result_of_the_plan_that_was_committed() -> None:
    engine = RivalEngine(rivals=3)
    assert add_one(engine) == 100
    assert (number(engine), engine.commits) == (101, 4)


def test_an_update_without_actions_commits_nothing() -> None:
    engine = RivalEngine()
    assert add_one(engine, up_to=0) == 0
    assert (number(engine), engine.commits) == (0, 0)


def test_after_a_lost_response_the_plan_sees_whether_it_was_committed() -> None:
    engine = RivalEngine(lost=1)
    assert add_one(engine, up_to=1) == 1
    assert (number(engine), engine.commits) == (1, 1)


@each_row(("rivals", "lost"), [(1, 0), (0, 1)])
def test_a_batch_that_may_not_be_committed_is_not_known_as_committed(rivals: int, lost: int) -> None:
    put = Put(Item(COUNTER, {N: 1}), NOT_EXISTS)
    assert is_committed(RivalEngine(), Batch("mine", (put,)))
    assert not is_committed(RivalEngine(rivals=rivals, lost=lost), Batch("mine", (put,)))
