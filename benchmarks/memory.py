"""The memory of a process."""

from pathlib import Path


def megabytes(pid: int) -> float:
    """Return the most that a process has had at once (RSS; Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024
