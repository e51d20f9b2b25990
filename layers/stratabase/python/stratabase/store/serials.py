"""The numbers of Serial attributes: one counter each, which only goes up."""

import secrets
from collections.abc import Mapping, Sequence

from stratabase.domain.refusal import Unavailable
from stratabase.domain.serial_name import SerialName
from stratabase.store import keys
from stratabase.store.engine import (
    Batch,
    Condition,
    Engine,
    Expectation,
    ExpectationFailed,
    Item,
    Key,
    OutcomeUnknown,
    Patch,
    Test,
)

_LAST = "last"
"""The attribute of a counter that has the last number given."""
_MOST_TRIES = 500
"""After which one gives up against others that keep taking numbers."""


class Serials:
    """Gives out numbers, all that are wanted at once in one commit.

    It remembers the last that it gave or saw: only who gave none yet must look, or whom others overtook.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._last: dict[SerialName, int] = {}

    def next(self, wanted: Mapping[SerialName, int]) -> Mapping[SerialName, range]:
        """Return so many new numbers of each attribute: from 1, and never one again. Raises Unavailable."""
        self._look([name for name in wanted if name not in self._last])
        for _ in range(_MOST_TRIES):
            last = {name: self._last[name] for name in wanted}
            if self._taken(wanted, last):
                return {
                    name: range(last[name] + 1, last[name] + number + 1) for name, number in wanted.items()
                }
        names = ", ".join(f"{name.class_name}.{name.attribute}" for name in wanted)
        raise Unavailable(f"others kept taking numbers of {names}; try again")

    def _look(self, names: Sequence[SerialName]) -> None:
        if names:
            counters = self._engine.get([keys.counter(name) for name in names])
            self._last.update(zip(names, map(_last, counters), strict=True))

    def _taken(self, wanted: Mapping[SerialName, int], last: Mapping[SerialName, int]) -> bool:
        """Take the numbers after the last ones; if those are not the last any more, learn which are."""
        named = {keys.counter(name): name for name in wanted}
        actions = (_counted(key, last[name], last[name] + wanted[name]) for key, name in named.items())
        try:
            self._engine.commit(Batch(f"serial{secrets.token_hex(12)}", tuple(actions)))
        except (ExpectationFailed, OutcomeUnknown) as refusal:
            # Perhaps they were taken, and only the answer lost: then nobody has them.
            for action, found in refusal.failures:
                self._last[named[action.key]] = _last(found)
            return False
        self._last.update({name: last[name] + number for name, number in wanted.items()})
        return True


def _counted(key: Key, last: int, next_: int) -> Patch:
    """Return what takes the numbers up to the next one."""
    condition = Condition(_LAST, Test.EQUALS, last) if last else Condition(_LAST, Test.ABSENT)
    return Patch(key, Expectation(conditions=(condition,)), set={_LAST: next_})


def _last(counter: Item | None) -> int:
    return 0 if counter is None else int(str(counter.attributes[_LAST]))
