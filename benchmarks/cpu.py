"""The CPU time that a process has used."""

import os
from pathlib import Path


def seconds(pid: int) -> float:
    """Return the CPU seconds of a process and its threads so far (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
