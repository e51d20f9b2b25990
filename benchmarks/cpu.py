"""The CPU time of a process."""

import os
from pathlib import Path


def seconds(pid: int) -> float:
    """Return the CPU seconds that a process has used so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    # Ticks of 10 ms include threads that have ended. The scheduler's figures are precise, but lack these.
    ticks = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return max(ticks, _of_living_threads(pid))


def _of_living_threads(pid: int) -> float:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
