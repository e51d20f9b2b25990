"""What holds for every test: one seed, which is printed, and as many random examples as the run is for."""

import math
import os
import secrets
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from stratabase.store import aftermath
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


@pytest.fixture(scope="session", autouse=True)
def _unhurried() -> Iterator[None]:
    """Have deletions end what they leave however long it takes: no outcome may hang on the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aftermath, "SECONDS", math.inf)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Have whatever takes random examples run in `make soak` too, which is for as many of them."""
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.soak)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the seed."""
    terminalreporter.write_line(f"STRATABASE_SEED={os.environ['STRATABASE_SEED']}")
