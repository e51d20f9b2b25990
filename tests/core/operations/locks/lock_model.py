"""A sequential model of locks, against which histories are checked."""

from typing import Any, NamedTuple

from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.lock import Lock, admits
from tests.fakes import NOON
from tests.linearizability import Operation

WHOLE, PART = "Customer", "Address"


class LockCall(NamedTuple):
    """A call by a member, named by number. The first member is an administrator."""

    kind: str
    member: int
    of: tuple[str, ...] = ()
    """The locked or unlocked objects: WHOLE, PART, or both."""
    value: int = 0
    """The value that is written, or how many milliseconds pass."""


class LockAnswer(NamedTuple):
    """The result of a call."""

    held: frozenset[tuple[str, str]] = frozenset()
    """The locks of other members because of which the call was refused: object and member."""
    lock: Lock | None = None
    """The lock that was taken or read."""
    value: str = ""
    """The value that was read."""


class Object(NamedTuple):
    """The visible state of an object."""

    value: str = "0"
    lock: Lock | None = None


class State(NamedTuple):
    """All objects and the clock."""

    whole: Object = Object()
    part: Object = Object()
    now: Instant = NOON

    def of(self, name: str) -> Object:
        """Return the whole or the part."""
        return self.whole if name == WHOLE else self.part

    def put(self, name: str, **changes: Any) -> "State":
        """Return a copy of the state in which the whole or the part is changed."""
        changed = self.of(name)._replace(**changes)
        return self._replace(whole=changed) if name == WHOLE else self._replace(part=changed)


def member_id(member: int) -> str:
    """Return the id of a member."""
    return f"id{member}"


def step(state: State, operation: Operation) -> State | None:
    """Return the state after a call, or None if the call cannot have had that answer."""
    asked, result = operation.asked, operation.told
    if result.held:
        return state if _is_refused(state, asked, result) else None
    return _STEPS[asked.kind](state, asked, result)


def _is_refused(state: State, call: LockCall, answer: LockAnswer) -> bool:
    """Return whether a reported lock blocks the call. Several locks may be read at different moments."""
    locks = {name: state.of(name).lock for name, _ in answer.held}
    return any(
        lock is not None and lock.name == holder and not admits(lock, member_id(call.member), state.now)
        for name, holder in answer.held
        if (lock := locks[name])
    )


def _all_admit(state: State, call: LockCall, *names: str) -> bool:
    return all(admits(state.of(name).lock, member_id(call.member), state.now) for name in names)


def _lock(state: State, call: LockCall, answer: LockAnswer) -> State | None:
    if not _all_admit(state, call, *call.of):
        return None
    for name in call.of:
        state = state.put(name, lock=answer.lock)
    return state


def _unlock(state: State, call: LockCall, _: LockAnswer) -> State | None:
    if call.member and not _all_admit(state, call, *call.of):
        return None
    for name in call.of:
        state = state.put(name, lock=None)
    return state


def _write(state: State, call: LockCall, _: LockAnswer) -> State | None:
    """Write the whole, or the part through its whole."""
    (name,) = call.of
    return state.put(name, value=str(call.value)) if _all_admit(state, call, WHOLE, name) else None


def _read(state: State, call: LockCall, answer: LockAnswer) -> State | None:
    (name,) = call.of
    return state if state.of(name) == Object(answer.value, answer.lock) else None


def _wait(state: State, call: LockCall, _: LockAnswer) -> State:
    return state._replace(now=state.now + call.value)


_STEPS = {"lock": _lock, "unlock": _unlock, "write": _write, "read": _read, "wait": _wait}


KINDS = tuple(_STEPS)
