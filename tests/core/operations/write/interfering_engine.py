"""An engine that runs other writes between its commits, or whose process crashes there."""

from collections.abc import Callable

from stratabase.core.store.engine.port import Batch, Engine
from stratabase.core.store.engine.wrappers import DelegatingEngine


class Killed(BaseException):
    """The process has crashed."""


def _nothing(_: int) -> None:
    """Do nothing."""


class InterferingEngine(DelegatingEngine):
    """Numbers its commits from 1, and calls functions before and after each."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.commits = 0
        self.calm()

    def calm(self) -> None:
        """Call no more functions."""
        self.before: Callable[[int], None] = _nothing
        self.after: Callable[[int], None] = _nothing

    def commit(self, batch: Batch) -> None:
        self.commits += 1
        number = self.commits
        self.before(number)
        self._engine.commit(batch)
        self.after(number)

    def dies(self, act: Callable[[], object], call: int, *, does_it: bool) -> bool:
        """Run a function, and crash before or after a commit. Return whether it came to that."""

        def die(number: int) -> None:
            if number == call:
                raise Killed

        self.calm()
        self.commits = 0
        if does_it:
            self.after = die
        else:
            self.before = die
        try:
            act()
        except Killed:
            return True
        finally:
            self.calm()
        return False
