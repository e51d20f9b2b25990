"""What holds for every test: one seed, which is printed, and as many random examples as the run is for."""

import os
import secrets

import pytest
from hypothesis import HealthCheck, settings

from tests.soak import EXAMPLES

settings.register_profile(
    "stratabase",
    max_examples=EXAMPLES,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("stratabase")


def pytest_configure() -> None:
    """Choose the seed once; the worker processes inherit it."""
    os.environ.setdefault("STRATABASE_SEED", str(secrets.randbits(32)))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed."""
    terminalreporter.write_line(f"STRATABASE_SEED={os.environ['STRATABASE_SEED']}")
