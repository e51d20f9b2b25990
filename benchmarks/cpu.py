"""The CPU time of a process."""

import time

_ALL_THREADS = 2
"""The kind of clock that counts the time of all threads of a process, also of those that have ended."""


def seconds(pid: int) -> float:
    """Return the CPU seconds that a process has used so far. Linux numbers the clocks of processes so."""
    return time.clock_gettime(~pid << 3 | _ALL_THREADS)
