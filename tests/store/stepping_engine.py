"""An engine that tells others how far its caller has got, so that they come between at any moment."""

from threading import Condition

from stratabase.store.engine.port import Engine
from tests.store.delegating_engine import DelegatingEngine


class SteppingEngine(DelegatingEngine):
    """Passes calls on. Who waits goes on once so many calls have been made, or when it is closed."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self.calls = 0
        self._closed = False
        self._changed = Condition()

    def wait(self, calls: int) -> None:
        """Wait until so many calls have begun, or there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self.calls >= calls or self._closed, timeout=60)

    def close(self) -> None:
        """Let all go on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def begin(self) -> None:
        """Let those go on who wait for this call."""
        with self._changed:
            self.calls += 1
            self._changed.notify_all()
