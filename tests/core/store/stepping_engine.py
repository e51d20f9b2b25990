"""An engine that reports its progress, so that other callers can run between any two of its calls."""

from threading import Condition

from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.wrappers import DelegatingEngine


class SteppingEngine(DelegatingEngine):
    """Passes calls on. A waiting thread resumes after a number of calls, or when the engine closes."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.calls = 0
        self._closed = False
        self._changed = Condition()

    def wait(self, calls: int) -> None:
        """Wait until a number of calls have begun, or until the engine closes."""
        with self._changed:
            self._changed.wait_for(lambda: self.calls >= calls or self._closed, timeout=60)

    def close(self) -> None:
        """Let all waiting threads resume."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _before_read(self) -> None:
        """Resume the threads that wait for this call."""
        with self._changed:
            self.calls += 1
            self._changed.notify_all()

    def _before_write(self) -> None:
        self._before_read()
