"""A process knows when it can open no more files."""

import resource
from pathlib import Path

from stratabase.core.local_files import has_no_free_file

FILES = Path("/proc/self/fd")


def test_a_process_at_its_limit_has_no_free_file() -> None:
    before = {each.name for each in FILES.iterdir()}
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert not has_no_free_file()
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        found = has_no_free_file()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    assert found
    assert not has_no_free_file()
    assert {each.name for each in FILES.iterdir()} == before
