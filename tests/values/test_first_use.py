"""Names of packages whose modules are imported on first use."""

import subprocess
import sys

import pytest

from stratabase.core.operations import locks, write
from stratabase.core.operations.locks import services as lock_services
from stratabase.core.operations.write import bulk, services


def test_each_name_is_that_of_its_module() -> None:
    assert [getattr(write, name) for name in ("save", "validate")] == [services.save, services.validate]
    assert {name: getattr(write, name).__name__ for name in write.__all__} == {n: n for n in write.__all__}
    assert write.update_bulk is bulk.update_bulk
    assert (locks.lock, locks.unlock) == (lock_services.lock, lock_services.unlock)


def test_all_are_imported_at_once() -> None:
    """In a new process, which has imported nothing else before."""
    code = """
import sys
import stratabase.core.operations.locks, stratabase.core.operations.write
from stratabase.values.first_use import import_all
late = {f"stratabase.core.operations.{each}" for each in ("locks.services", "write.bulk", "write.services")}
assert late.isdisjoint(sys.modules)
import_all()
assert late <= sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_another_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match=r"operations\.write' has no attribute 'missing'"):
        write.missing  # noqa: B018
