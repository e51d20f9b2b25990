"""The system clock, which implements the port Clock."""

import time


class SystemClock:
    """The clock of this machine."""

    def now(self) -> int:
        """Return the current instant in milliseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1_000_000
