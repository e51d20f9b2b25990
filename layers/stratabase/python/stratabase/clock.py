"""The clock of this machine (the port Clock)."""

import time


class SystemClock:
    """Tells the time of the machine."""

    def now(self) -> int:
        """Return the present instant: milliseconds since 1970, UTC."""
        return time.time_ns() // 1_000_000
