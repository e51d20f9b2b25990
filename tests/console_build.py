"""A build of the console's present sources, which tests that open it or run its function need."""

import fcntl
import os
import shutil

import pytest

from stratabase.core.http.pages.console_page import CONSOLE_PAGE
from tests.client_tools import run_tool
from tests.page_sources import CONSOLE, console_sources, fingerprint


def build_console() -> None:
    """Build the console if the built files are missing or older than their sources.

    Without Node, skip the test if they are, except in CI. Of several processes, one builds.
    """
    with (CONSOLE / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_current():
            return
        if shutil.which("npx") is None and not os.environ.get("CI"):
            pytest.skip("the console is not built: install Node 20 or later, with npm")
        assert (CONSOLE / "node_modules").exists(), "its packages are not installed: `make console` does it"
        run_tool(["npx", "vite", "build"], CONSOLE, {"HOME": os.environ["HOME"]})
        assert is_current(), "the build and tests/page_sources.py disagree on the sources"


def is_current() -> bool:
    """Return whether the built files are those of the present sources."""
    recorded = CONSOLE_PAGE.files.folder / "sources.sha256"
    return recorded.exists() and recorded.read_text() == fingerprint(console_sources())
