"""A write that loses a round waits for a random time, and ends before the deadline of its request."""

from dataclasses import replace

import pytest

from stratabase.core.domain.issues.refusals import Unavailable
from stratabase.core.domain.objects.commit_refusals import Conflict
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.pipeline import MAX_WRITE_ROUNDS
from stratabase.core.operations.write.services import save
from stratabase.core.waiting import deadline_after
from tests.core.operations.write.warnings.bank import BANK
from tests.fakes import ADMINISTRATOR, fake_services
from tests.graphs.commands import create_command


class Pauses:
    """A clock that only pauses move, with the pauses in seconds."""

    def __init__(self) -> None:
        self.now = 0.0
        self.taken: list[float] = []

    def pause(self, seconds: float) -> None:
        self.taken.append(seconds)
        self.now += seconds


def losing(pauses: Pauses) -> Services:
    """Return services whose commits all lose."""
    services, entities, _ = fake_services(BANK)
    entities.refuse = Conflict()
    return replace(services, pause=pauses.pause)


def lose(services: Services) -> None:
    with pytest.raises(Unavailable, match="Concurrent writes to the same objects"):
        save(services, create_command("Note", text="x"), ADMINISTRATOR)


def test_pauses_are_random_and_become_longer_up_to_a_limit() -> None:
    first, second = Pauses(), Pauses()

    lose(losing(first))
    lose(losing(second))

    assert len(first.taken) == MAX_WRITE_ROUNDS - 1
    assert first.taken != second.taken
    assert first.taken[0] <= 0.01
    assert 0.01 < max(first.taken) <= 0.2


def test_a_write_gives_up_before_the_deadline_of_its_request() -> None:
    pauses = Pauses()

    with deadline_after(2.0, lambda: pauses.now):
        lose(losing(pauses))

    assert 1.5 < pauses.now < 2.0
