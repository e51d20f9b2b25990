"""Scripts that use clients for JavaScript, in Node."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.client_tools import run_tool
from tests.repository import ROOT

NODE = ROOT / ".node"
"""Where make installs the packages of tests/clients."""
CLIENTS = ROOT / "tests/clients"


def find_node() -> str:
    """Return the path of Node. Without it, skip the test, except in CI."""
    found = shutil.which("node")
    if found is None and not os.environ.get("CI"):
        pytest.skip("there is no Node on this machine: install Node 20 or later, with npm")
    assert found, "CI needs Node"
    assert (NODE / ".done").exists(), "the clients are not installed: `make .node/.done` does it"
    return found


@contextmanager
def scripts() -> Iterator[Path]:
    """Yield a folder with copies of all scripts, which can import the packages there."""
    with tempfile.TemporaryDirectory(dir=NODE) as folder:
        for file in (*CLIENTS.glob("*.mjs"), CLIENTS / "tsconfig.json"):
            shutil.copy(file, folder)
        shutil.copytree(CLIENTS / "recipes", Path(folder) / "recipes")
        yield Path(folder)


def run_command(folder: Path, command: str, *arguments: str) -> None:
    """Run a command of the packages, such as `tsc`."""
    run_tool([NODE / "node_modules/.bin" / command, *arguments], folder)


def run_script(folder: Path, script: str, environment: Mapping[str, str]) -> str:
    """Run a script of the folder, and return what it prints."""
    return run_tool([find_node(), folder / script], folder, environment)
