"""Packages import in one direction (the contracts are in pyproject.toml)."""

import subprocess
import sys
from pathlib import Path

_LINT = Path(sys.executable).with_name("lint-imports")


def test_packages_import_in_one_direction() -> None:
    # A process of its own: the linter's way to set up logging silences every logger of the process.
    linting = subprocess.run([_LINT, "--no-cache"], capture_output=True, text=True, check=False)
    assert linting.returncode == 0, linting.stdout + linting.stderr
