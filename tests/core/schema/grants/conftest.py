"""The guild in memory and in a file."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stratabase.core.store.repository import Repository
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.core.schema.grants.guild_api import GUILD, GuildApi
from tests.fakes import DictEntities
from tests.soak import mostly


@pytest.fixture(params=mostly(["dict", "sqlite"], "sqlite"))
def guild(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GuildApi]:
    """The API over an empty guild."""
    if request.param == "dict":
        yield GuildApi(DictEntities(GUILD))
        return
    engine = SqliteEngine(tmp_path / "store.db")
    yield GuildApi(Repository(engine, GUILD))
    engine.close()
