"""The memory of a process."""

from pathlib import Path


def megabytes(pid: int) -> float:
    """Return the peak resident memory of a process in megabytes (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024
