"""A read budget counts what a request reads and compares, and lets other requests proceed meanwhile."""

from stratabase.core.domain.query.read_budget import CHARACTERS_PER_BYTE, MEGABYTE, ReadBudget


class Turns:
    """Counts how often other requests could proceed, which takes a second each time."""

    def __init__(self) -> None:
        self.number = 0

    def now(self) -> float:
        return self.number

    def give_way(self) -> None:
        self.number += 1


def test_long_comparisons_let_other_requests_proceed() -> None:
    turns = Turns()
    budget = ReadBudget(MEGABYTE, 10, turns.now, turns.give_way)

    ends = [budget.compare(10_000) for _ in range(100)]

    assert sum(ends) == turns.number
    assert 5 < turns.number < 20


def test_comparing_is_charged_like_reading() -> None:
    budget = ReadBudget(MEGABYTE, 10, lambda: 0.0)
    whole = budget.part(MEGABYTE)

    whole.compare(MEGABYTE * CHARACTERS_PER_BYTE)

    assert not budget.is_exhausted
    assert budget.bytes_read == whole.bytes_read == MEGABYTE
    budget.compare(MEGABYTE)
    assert budget.is_exhausted


def test_time_passes_while_comparing() -> None:
    turns = Turns()
    budget = ReadBudget(1000 * MEGABYTE, 3, turns.now, turns.give_way)
    while not budget.is_exhausted:
        budget.compare(10_000)

    assert turns.number == 4


def test_a_budget_knows_whether_comparing_has_used_it_up() -> None:
    budget = ReadBudget(10 * MEGABYTE, 10, lambda: 0.0)
    budget.charge(MEGABYTE)
    for _ in range(8):
        budget.compare(MEGABYTE)
    assert not budget.is_spent_on_comparing

    budget.compare(MEGABYTE)
    assert budget.is_spent_on_comparing
