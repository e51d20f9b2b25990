"""A shop on SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.transfer.csv.shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    engine = SqliteEngine(tmp_path / "objects.db")
    yield Shop(engine, tmp_path)
    engine.close()
