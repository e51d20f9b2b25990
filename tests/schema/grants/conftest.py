"""The guild in a dict and in a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.store.repository import Repository
from stratabase.store.sqlite.engine import SqliteEngine
from tests.fakes import DictEntities
from tests.schema.grants.guild import GUILD, Guild
from tests.soak import mostly


@pytest.fixture(params=mostly(["dict", "sqlite"], "sqlite"))
def guild(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Guild]:
    """Requests to a guild without anybody."""
    if request.param == "dict":
        yield Guild(DictEntities(GUILD))
        return
    engine = SqliteEngine(tmp_path / "store.db")
    yield Guild(Repository(engine, GUILD))
    engine.close()
