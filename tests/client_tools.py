"""Runs the commands of the environment `.venv-clients`, which has the generator of Python clients."""

import os
import subprocess
from pathlib import Path

from tests.service import ROOT

TOOLS = ROOT / ".venv-clients" / "bin"
"""Where make installs the generator of Python clients."""
PATIENCE = 120
"""The timeout of a command, in seconds."""


def run_client_tool(folder: Path, command: str, *arguments: str) -> str:
    """Run a command of the environment with the generator, and return what it prints."""
    assert (TOOLS.parent / ".done").exists(), "the generator is not installed: `make .venv-clients/.done`"
    done = subprocess.run(
        [TOOLS / command, *arguments],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
