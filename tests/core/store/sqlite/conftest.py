"""An embedded engine on a new file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.store.sqlite.engine import SqliteEngine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The path of a new file."""
    return tmp_path / "data" / "store.db"


@pytest.fixture
def engine(path: Path) -> Iterator[SqliteEngine]:
    """An engine that fails at once if the file is locked, so that tests need not wait."""
    engine = SqliteEngine(path, busy_timeout=0)
    yield engine
    engine.close()
