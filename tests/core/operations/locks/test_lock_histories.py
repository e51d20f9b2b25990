"""Concurrent lock histories are linearizable, and a lock check before the write is detected."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

import pytest

from stratabase.core.domain.objects.change import Change
from stratabase.core.domain.objects.entity import Entity, Reference
from stratabase.core.domain.objects.idempotency import IdempotencyRecord
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.store.engine.port import Engine
from stratabase.core.store.repository import Repository
from tests.contract.engine.engines import STORING, engine_fixture
from tests.contract.engine.reference import ReferenceEngine
from tests.core.operations.locks.lock_history import MEMBERS, History
from tests.core.operations.locks.lock_model import State, step
from tests.core.store.thread_switching import taking_turns
from tests.graphs.company import COMPANY
from tests.linearizability import is_linearizable
from tests.lock_rules import refuse_held, refuse_unlockable
from tests.soak import count, mostly, seed

HISTORIES = count(4, 300)
MOST = 2000
"""Histories after which a fault would have been seen."""
EACH = 8
"""Things that each member does."""
MANY = 16
"""Things that each member does if a fault should be seen after few histories."""


@pytest.fixture(autouse=True)
def hurried() -> Iterator[None]:
    """Make threads switch far more often than usual."""
    with taking_turns():
        yield


engine = engine_fixture(STORING)


@pytest.mark.soak
def test_lock_histories_are_linearizable(engine: Engine) -> None:
    chance = Random(seed())
    processes = [Repository(engine, COMPANY) for _ in range(MEMBERS)]
    for _ in range(HISTORIES):
        history = History(processes).run(chance, EACH)
        assert is_linearizable(history, State(), step), history


class EarlyWrites(Repository):
    """A store that checks locks before the write instead of within it."""

    def commit(self, change: Change) -> None:
        """Check the locks, then write."""
        found = self.read([effect.before.reference for effect in change.object_effects() if effect.before])
        refuse_held(change, _locks(found))
        super().commit(replace(change, member_id=None))


class EarlyWhole(Repository):
    """A store whose writes of a part ignore locks of its whole."""

    def commit(self, change: Change) -> None:
        """Write without the checks of other objects."""
        super().commit(replace(change, effects=(*change.object_effects(), *change.link_effects())))


class EarlyLocks(Repository):
    """A store that checks locks before it locks, and then treats all locks as expired."""

    def lock(
        self,
        commit_id: str,
        references: Sequence[Reference],
        lock: Lock,
        now: Instant,
        record: IdempotencyRecord | None = None,
    ) -> None:
        """Check the locks, then lock."""
        found = self.read(references)
        refuse_unlockable(references, [each is not None for each in found], _locks(found), lock.owner, now)
        super().lock(commit_id, references, lock, 2**60, record)


def _locks(found: Sequence[Entity | None]) -> dict[Reference, Lock]:
    return {each.reference: each.lock for each in found if each is not None and each.lock is not None}


@pytest.mark.parametrize("faulty", mostly([EarlyWrites, EarlyWhole, EarlyLocks], "EarlyWhole"))
def test_a_lock_check_before_the_write_is_detected(faulty: type[Repository]) -> None:
    chance, engine = Random(seed()), ReferenceEngine()
    processes = [faulty(engine, COMPANY) for _ in range(MEMBERS)]
    histories = (History(processes).run(chance, MANY) for _ in range(MOST))
    assert not all(is_linearizable(history, State(), step) for history in histories)
