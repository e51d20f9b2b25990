"""The numbers of Serial attributes: one counter each, which only goes up."""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import NamedTuple

from stratabase.domain.issues.refusals import Unavailable
from stratabase.domain.objects.serials import SerialName
from stratabase.messages import _, and_list
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
"""The attribute of a counter that has the last number given."""
_MOST_TRIES = 500
"""After which one gives up against others that keep taking numbers."""


class _Claim(NamedTuple):
    """Numbers that are to be taken: those after the last ones."""

    last: Mapping[SerialName, int]
    wanted: Mapping[SerialName, int]
    turns: Mapping[SerialName, int]
    """How often each last number had turned out to be another than was believed."""

    def numbers(self) -> Mapping[SerialName, range]:
        """Return the numbers."""
        return {name: range(last + 1, last + self.wanted[name] + 1) for name, last in self.last.items()}

    def batch(self) -> Batch:
        """Return what takes them, if the last ones still are the last."""
        actions = (_counted(keys.counter(name), range_) for name, range_ in self.numbers().items())
        return Batch(f"serial{secrets.token_hex(12)}", tuple(actions))


class SerialCounters:
    """Gives out numbers, all that are wanted at once in one commit.

    It remembers the last that it gave or saw: only who gave none yet must look, or whom others overtook. Who
    asks while another's numbers are being taken goes on behind those, so that nobody of one process waits for
    another, or is too late.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._door = Lock()
        self._last: dict[SerialName, int] = {}
        self._turns: Counter[SerialName] = Counter()

    def next(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        """Return so many new numbers of each attribute: from 1, and never one again. Raises Unavailable."""
        self._look([name for name in wanted if name not in self._last])
        for _try in range(_MOST_TRIES):
            claim = self._claim(wanted)
            if self._taken(claim):
                return claim.numbers()
        names = and_list(f"{name.class_name}.{name.attribute}" for name in wanted)
        raise Unavailable(
            _("Concurrent writes took the next numbers for {attributes}. Try again.", attributes=names)
        )

    def _look(self, names: Sequence[SerialName]) -> None:
        if names:
            counters = self._engine.get([keys.counter(name) for name in names])
            for name, counter in zip(names, counters, strict=True):
                self._last.setdefault(name, _last(counter))

    def _claim(self, wanted: Mapping[SerialName, int]) -> _Claim:
        with self._door:
            last = {name: self._last[name] for name in wanted}
            self._last.update({name: last[name] + number for name, number in wanted.items()})
            return _Claim(last, wanted, {name: self._turns[name] for name in wanted})

    def _taken(self, claim: _Claim) -> bool:
        """Take the numbers of a claim; if the last ones are not the last any more, learn which are."""
        try:
            self._engine.commit(claim.batch())
        except (ExpectationFailed, OutcomeUnknown) as refusal:
            # Perhaps they were taken, and only the answer lost: then nobody has them.
            found = {action.key: _last(counter) for action, counter in refusal.failures}
            self._go_back(
                {name: found.get(keys.counter(name), last) for name, last in claim.last.items()}, claim
            )
            return False
        return True

    def _go_back(self, last: Mapping[SerialName, int], claim: _Claim) -> None:
        """Believe what was found, unless somebody has found as much since the claim was made."""
        with self._door:
            for name, number in last.items():
                if self._turns[name] == claim.turns[name]:
                    self._last[name] = number
                    self._turns[name] += 1


def _counted(key: Key, numbers: range) -> Patch:
    """Return what takes numbers."""
    last = numbers.start - 1
    condition = (
        Condition(_LAST, ConditionOperator.EQUALS, last)
        if last
        else Condition(_LAST, ConditionOperator.ABSENT)
    )
    return Patch(key, Expectation(conditions=(condition,)), set={_LAST: numbers.stop - 1})


def _last(counter: Item | None) -> int:
    return 0 if counter is None else int(str(counter.attributes[_LAST]))
