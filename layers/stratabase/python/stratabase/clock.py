"""The clock of this machine."""

import time


class SystemClock:
    """Tells the time that the machine believes."""

    def now(self) -> int:
        """Return the present instant, in milliseconds."""
        return time.time_ns() // 1_000_000
