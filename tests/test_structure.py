"""The figures of the code's structure, and the files that a request passes, stay within their limits.

The figures are alarms and no goals. When one of them gets better, tighten its limit here. When one gets worse
for a good reason, say the reason in the commit that loosens the limit.
"""

import re
import subprocess
import sys

import pytest

from tests.repository import ROOT
from tests.structure import Structure

AT_LEAST = {"lines per file, mean": 112}
AT_MOST = {"modules that only one sibling imports": 77, "public names that several modules define": 59}
FILES_PASSED = {"get": 62, "page": 90, "create": 120, "nested": 140}
"""How many files each request may pass at most."""


@pytest.fixture(scope="module")
def figures() -> dict[str, float]:
    return dict(Structure().figures())


@pytest.mark.parametrize(("name", "limit"), AT_LEAST.items())
def test_a_figure_stays_above_its_limit(figures: dict[str, float], name: str, limit: float) -> None:
    assert figures[name] >= limit


@pytest.mark.parametrize(("name", "limit"), AT_MOST.items())
def test_a_figure_stays_below_its_limit(figures: dict[str, float], name: str, limit: float) -> None:
    assert figures[name] <= limit


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 has no sys.monitoring")
def test_the_number_of_files_per_request_does_not_grow() -> None:
    command = [sys.executable, "-m", "benchmarks.trace"]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    passed = {name: int(count) for name, count in re.findall(r"^(\w+): (\d+) files", output, re.MULTILINE)}
    assert passed.keys() == FILES_PASSED.keys()
    assert {name: count for name, count in passed.items() if count > FILES_PASSED[name]} == {}
