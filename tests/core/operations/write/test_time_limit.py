"""While a write is planned, other requests proceed before each object, and the write ends at its deadline."""

from collections.abc import Iterator

import pytest

from stratabase.core import waiting
from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.waiting import deadline_after
from tests.graphs.commands import create, create_command
from tests.graphs.company_scenario import CompanyScenario

PARTS = 20
COMMAND = create_command(
    "Project",
    name="Mars",
    charter=create(create_command("Charter", text="Go.")),
    tasks=create(*[create_command("Task", name="x")] * PARTS),
)


class Turns(waiting.Blocking):
    """Counts how often other requests could proceed, which takes a second each time."""

    number = 0

    def give_way(self) -> None:
        self.number += 1

    def now(self) -> float:
        return self.number


@pytest.fixture
def turns() -> Iterator[Turns]:
    turns = Turns()
    waiting.install(turns)
    yield turns
    waiting.install(waiting.Blocking())


def test_others_proceed_before_each_object(turns: Turns) -> None:
    CompanyScenario().refusal(COMMAND)
    assert turns.number > PARTS


def test_a_write_ends_at_the_deadline_between_two_objects(turns: Turns) -> None:
    scenario = CompanyScenario()
    with deadline_after(PARTS / 2, turns.now), pytest.raises(Unavailable, match="time limit") as raised:
        scenario.write(COMMAND)
    assert turns.number == PARTS / 2
    assert not raised.value.may_have_written
    assert scenario.entities.commits == []
