"""Settings of all tests: one seed, which each run prints, and the number of random examples."""

import gc
import math
import os
import secrets
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from stratabase.core.store.write import cleanup
from tests.database_watch import watch_databases
from tests.service import ON_LAMBDA
from tests.soak import EXAMPLES, FULL

pytest_plugins = ("tests.http_fixtures", "tests.terminal_fixtures")
"""The fixtures that tests of several packages share."""
MEMORY = Path("/dev/shm")
"""A folder in memory, in which stores need not wait for a disk."""
ROOMY = 2 * 2**30
"""Bytes that must be free there."""

settings.register_profile(
    "stratabase",
    max_examples=EXAMPLES,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("stratabase")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed, which worker processes inherit, and put temporary files into memory if there is
    enough.

    Raises UsageError for a path without tests: its worker processes would only say that there are no tests.
    """
    for path in config.args:
        if not (config.invocation_params.dir / path.partition("::")[0]).exists():
            raise pytest.UsageError(f"file or directory not found: {path}")
    watch_databases()
    os.environ.setdefault("STRATABASE_SEED", str(secrets.randbits(32)))
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOMY:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.fixture(scope="session", autouse=True)
def _unhurried() -> Iterator[None]:
    """Let each deletion finish its cleanup, so that no outcome depends on the speed of the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cleanup, "MAX_CLEANUP_SECONDS", math.inf)
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected: all of them stay, and to search them takes long."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark randomized tests as soak tests. Leave out thorough tests, except in `make soak`.

    On Lambda, leave out those that are marked `local`.
    """
    if ON_LAMBDA:
        items[:] = [item for item in items if not item.get_closest_marker("local")]
    thorough = [item for item in items if item.get_closest_marker("thorough")]
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.soak)
    for item in thorough:
        item.add_marker(pytest.mark.soak)
    if thorough and not FULL:
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=thorough)
    if FULL:  # and what takes long, first, so that no worker is left with it at the end
        items.sort(key=lambda item: not item.get_closest_marker("long"))


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection, and search all objects less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], 100)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed."""
    terminalreporter.write_line(f"STRATABASE_SEED={os.environ['STRATABASE_SEED']}")
