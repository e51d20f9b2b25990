"""Runs tools of clients, such as those of `.venv-clients`, which has the generator of Python clients."""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from tests.repository import ROOT

TOOLS = ROOT / ".venv-clients" / "bin"
"""Where make installs the generator of Python clients."""
PATIENCE = 120
"""The timeout of a command, in seconds."""


def run_client_tool(folder: Path, command: str, *arguments: str) -> str:
    """Run a command of the environment with the generator, and return what it prints."""
    assert (TOOLS.parent / ".done").exists(), "the generator is not installed: `make .venv-clients/.done`"
    return run_tool([TOOLS / command, *arguments], folder)


def run_tool(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Run a command in a folder with PATH and an environment, and return what it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
