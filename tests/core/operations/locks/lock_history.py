"""Random concurrent histories of members who lock, unlock, write and read a whole and its part."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from random import Random
from threading import Lock as Mutex
from threading import local

from stratabase.core.domain.caller import Caller
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock
from stratabase.core.operations.context import Services
from stratabase.core.operations.locks.services import lock, unlock
from stratabase.core.operations.ports import EntityRepository
from stratabase.core.operations.write.services import save
from stratabase.core.store.ids import TimeOrderedIds
from tests.contract.engine.engine_calls import run_concurrently
from tests.core.operations.locks.lock_model import KINDS, PART, WHOLE, LockAnswer, LockCall, member_id
from tests.fakes import ADMINISTRATOR, NOON, unlimited_budget
from tests.graphs.commands import create, create_command, update_command
from tests.graphs.commands import update as updating
from tests.graphs.company import COMPANY
from tests.linearizability import Operation

MEMBERS = 5


_MINUTES = 2
"""The duration of every lock."""


_HELD = re.compile(rf'({WHOLE}|{PART}) "\S+" is locked by (\S+) until .+')


class SharedClock:
    """A settable clock for all members. It remembers the last instant that it returned to each thread."""

    def __init__(self) -> None:
        self._instant = NOON
        self._mutex = Mutex()
        self._told = local()

    def now(self) -> Instant:
        self._told.last = instant = self._instant
        return instant

    def go_on(self, milliseconds: int) -> None:
        """Advance the clock."""
        with self._mutex:
            self._instant += milliseconds

    @property
    def last_read(self) -> Instant:
        """Return the last instant that this thread received."""
        last: Instant = self._told.last
        return last


class History:
    """One history of a customer and its address. Each member is a separate process."""

    def __init__(self, processes: Sequence[EntityRepository]) -> None:
        self._clock = SharedClock()
        ids = TimeOrderedIds()
        self._worlds = [Services(COMPANY, each, self._clock, ids, unlimited_budget) for each in processes]
        command = create_command(WHOLE, name="0", addresses=create(create_command(PART, street="0")))
        whole = save(self._worlds[0], command, ADMINISTRATOR)
        parts = whole.state["addresses"]
        assert isinstance(parts, list)
        self._references = {WHOLE: whole.reference, PART: Reference(PART, parts[0])}

    def run(self, chance: Random, each: int) -> list[Operation]:
        """Run random calls of all members concurrently, and return each call with its answer."""
        moments, values = count(), count(1)
        asked = [[_any(chance, member, next(values)) for _ in range(each)] for member in range(MEMBERS)]

        def live(member: int) -> list[Operation]:
            done = list[Operation]()
            for ask in asked[member]:
                begun = next(moments)
                result = self._lock_answer(ask)
                done.append(Operation(ask, result, begun, next(moments)))
            return done

        return [
            operation
            for one in run_concurrently(*(partial(live, each) for each in range(MEMBERS)))
            for operation in one
        ]

    def _lock_answer(self, call: LockCall) -> LockAnswer:
        try:
            return _ACTS[call.kind](self, self._worlds[call.member], call)
        except Refused as refusal:
            return LockAnswer(held=frozenset(_holder(issue.message) for issue in refusal.issues))

    def _named(self, call: LockCall) -> list[Reference]:
        return [self._references[name] for name in call.of]

    def lock(self, services: Services, call: LockCall) -> LockAnswer:
        """Lock the whole or the part, and record the answer."""
        lock(services, self._named(call), _MINUTES, _caller(call))
        until = self._clock.last_read + _MINUTES * 60_000
        return LockAnswer(lock=Lock(member_id(call.member), _caller(call).username, until))

    def unlock(self, services: Services, call: LockCall) -> LockAnswer:
        """Unlock the whole or the part, and record the answer."""
        unlock(services, self._named(call), _caller(call))
        return LockAnswer()

    def write(self, services: Services, call: LockCall) -> LockAnswer:
        """Write the whole, or the part through the whole."""
        whole, value = self._references[WHOLE], str(call.value)
        command = update_command(*whole, name=value)
        if call.of == (PART,):
            command = update_command(
                *whole, addresses=updating(update_command(*self._references[PART], street=value))
            )
        save(services, command, _caller(call))
        return LockAnswer()

    def read(self, services: Services, call: LockCall) -> LockAnswer:
        """Read the whole or the part."""
        (entity,) = services.entities.read(self._named(call))
        assert entity is not None
        value = entity.state["name" if call.of == (WHOLE,) else "street"]
        return LockAnswer(lock=entity.lock, value=str(value))

    def wait(self, _: Services, call: LockCall) -> LockAnswer:
        """Advance the clock."""
        self._clock.go_on(call.value)
        return LockAnswer()


_ACTS: Mapping[str, Callable[[History, Services, LockCall], LockAnswer]] = {
    "lock": History.lock,
    "unlock": History.unlock,
    "write": History.write,
    "read": History.read,
    "wait": History.wait,
}


def _any(chance: Random, member: int, value: int) -> LockCall:
    (kind,) = chance.choices(KINDS, (4, 2, 6, 4, 1))
    if kind == "wait":
        return LockCall(kind, member, value=chance.choice((1, 60_000, 119_999, 120_000)))
    sets = ((WHOLE,), (PART,)) if kind in {"write", "read"} else ((WHOLE,), (PART,), (WHOLE, PART))
    return LockCall(kind, member, chance.choice(sets), value)


def _caller(call: LockCall) -> Caller:
    member = call.member
    return Caller(member_id(member), f"member{member}", "Member", administrator=member == 0)


def _holder(message: str) -> tuple[str, str]:
    match = _HELD.fullmatch(message)
    assert match is not None, message
    return match[1], match[2]
