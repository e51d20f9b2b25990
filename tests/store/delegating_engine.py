"""An engine that passes every call on to another. Subclasses override single calls."""

from stratabase.store.engine import delegating


class DelegatingEngine(delegating.DelegatingEngine):
    """Passes every call on, and calls `begin` before each."""

    def begin(self) -> None:
        """Run before each call. Subclasses override this hook."""

    def _before_read(self) -> None:
        self.begin()

    def _before_write(self) -> None:
        self.begin()
