"""The file lock between processes: one holder at a time, released when the process ends."""

import subprocess
import sys
from pathlib import Path

import pytest

from stratabase.core.local_files import LockTimeout, lock_file

HOLDER = """
import sys
from pathlib import Path
from stratabase.core.local_files import lock_file
with lock_file(Path(sys.argv[1]), 0):
    print("locked", flush=True)
    sys.stdin.readline()
"""


def test_a_file_lock_is_released_when_its_holder_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "locked\n"
        with pytest.raises(LockTimeout), lock_file(path, 0.01):
            pass
        holder.kill()
    with lock_file(path, 0):
        assert path.read_bytes() == b""
