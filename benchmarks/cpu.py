"""The CPU time that a process has used."""

import os
from pathlib import Path


def seconds(pid: int) -> float:
    """Return the CPU seconds of a process and its threads so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    # In ticks of 10 ms, but with the threads that have ended.
    ticks = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return max(ticks, _of_living_threads(pid))


def _of_living_threads(pid: int) -> float:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
