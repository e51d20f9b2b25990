"""Generates the numbers of Serial attributes, each from a counter item that only increases."""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import NamedTuple

from stratabase.domain.objects.commit_refusals import SerialsContended
from stratabase.domain.objects.serials import SerialName
from stratabase.store.engine.port import (
    Batch,
    Condition,
    ConditionOperator,
    Engine,
    Expectation,
    ExpectationFailed,
    Item,
    Key,
    OutcomeUnknown,
    Patch,
)
from stratabase.store.layout import keys

_LAST = "last"
"""The attribute of a counter with the last number that was taken."""
_MAX_TRIES = 500
"""The maximum number of attempts, if other processes keep taking the numbers first."""


class _Claim(NamedTuple):
    """An attempt to take numbers from counters."""

    last: Mapping[SerialName, int]
    """The last numbers taken, as this process knows them. The claim is for the numbers after these."""
    wanted: Mapping[SerialName, int]
    """How many numbers to take of each attribute."""
    corrections: Mapping[SerialName, int]
    """How often this process had corrected each cached last number when the claim was made."""

    def numbers(self) -> Mapping[SerialName, range]:
        """Return the numbers that the claim is for."""
        return {name: range(last + 1, last + self.wanted[name] + 1) for name, last in self.last.items()}

    def batch(self) -> Batch:
        """Return the batch that takes the numbers, if the counters still have the last numbers."""
        actions = (_counted(keys.counter(name), range_) for name, range_ in self.numbers().items())
        return Batch(f"serial{secrets.token_hex(12)}", tuple(actions))


class SerialCounters:
    """A generator of serial numbers, which takes all numbers of a request in one commit.

    It caches the last number of each counter. So it reads a counter only once, and after another process has
    taken numbers. Concurrent requests of this process claim successive numbers: the cache advances when a
    claim is made, before its commit. So they neither wait for each other nor conflict.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._last: dict[SerialName, int] = {}
        self._corrections: Counter[SerialName] = Counter()

    def next(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        """Return new numbers, as many of each attribute as `wanted` says. Raises Unavailable.

        Numbers start at 1 and are never returned twice.
        """
        self._read_counters([name for name in wanted if name not in self._last])
        for _try in range(_MAX_TRIES):
            claim = self._claim(wanted)
            if self._try_commit(claim):
                return claim.numbers()
        raise SerialsContended([*wanted])

    def _read_counters(self, names: Sequence[SerialName]) -> None:
        if names:
            counters = self._engine.get([keys.counter(name) for name in names])
            for name, counter in zip(names, counters, strict=True):
                self._last.setdefault(name, _last(counter))

    def _claim(self, wanted: Mapping[SerialName, int]) -> _Claim:
        with self._lock:
            # Advance the cache before the commit, so that the next request claims the numbers after these.
            last = {name: self._last[name] for name in wanted}
            self._last.update({name: last[name] + number for name, number in wanted.items()})
            return _Claim(last, wanted, {name: self._corrections[name] for name in wanted})

    def _try_commit(self, claim: _Claim) -> bool:
        """Commit a claim; return whether this succeeded. If not, correct the cache."""
        try:
            self._engine.commit(claim.batch())
        except (ExpectationFailed, OutcomeUnknown) as refusal:
            # After a lost response, the numbers may have been taken. Then they stay unused.
            found = {action.key: _last(counter) for action, counter in refusal.failures}
            self._correct_cache(
                {name: found.get(keys.counter(name), last) for name, last in claim.last.items()}, claim
            )
            return False
        return True

    def _correct_cache(self, last: Mapping[SerialName, int], claim: _Claim) -> None:
        """Set the cache to numbers that were found, unless it was corrected since the claim was made."""
        with self._lock:
            for name, number in last.items():
                if self._corrections[name] == claim.corrections[name]:
                    self._last[name] = number
                    self._corrections[name] += 1


def raise_counter(engine: Engine, name: SerialName, number: int) -> None:
    """Let the numbers of a Serial attribute begin after a number, unless they do already. Raises Unavailable.

    An attribute that had another type before can have numbers that its counter does not know.
    """
    key = keys.counter(name)
    for _try in range(_MAX_TRIES):
        last = _last(engine.get([key])[0])
        if last >= number:
            return
        batch = Batch(f"serial{secrets.token_hex(12)}", (_counted(key, range(last + 1, number + 1)),))
        with suppress(ExpectationFailed, OutcomeUnknown):
            engine.commit(batch)
    raise SerialsContended([name])


def _counted(key: Key, numbers: range) -> Patch:
    """Return the action that takes numbers from a counter, if it still has the number before them."""
    last = numbers.start - 1
    condition = (
        Condition(_LAST, ConditionOperator.EQUALS, last)
        if last
        else Condition(_LAST, ConditionOperator.ABSENT)
    )
    return Patch(key, Expectation(conditions=(condition,)), set={_LAST: numbers.stop - 1})


def _last(counter: Item | None) -> int:
    return 0 if counter is None else int(str(counter.attributes[_LAST]))
