"""Engines of each kind that contain the company. A test can have as many fresh ones as it needs."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from stratabase.core.store.engine.port import Engine
from stratabase.core.store.sqlite.engine import SqliteEngine
from stratabase_aws.dynamodb.engine import DynamoDBEngine
from tests.contract.engine.dynamodb import NamespacedTokens, ministack_client, over_ministack
from tests.contract.engine.engine_calls import put, settle
from tests.contract.engine.lagging import LaggingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.core.store.engine_items import Items, all_items
from tests.graphs.stored_company import company_items
from tests.soak import seed


class CompanyEngine(NamedTuple):
    """An engine, and a function that returns all its items."""

    engine: Engine
    look: Callable[[], Items]


@contextmanager
def over_reference(_: Path) -> Iterator[CompanyEngine]:
    """Yield an in-memory engine that contains the company."""
    engine = ReferenceEngine()
    put(engine, company_items().values())
    yield CompanyEngine(engine, lambda: all_items(engine))


@contextmanager
def over_lagging(_: Path) -> Iterator[CompanyEngine]:
    """Yield an engine with lagging indexes that contains the company."""
    engine = LaggingEngine(seed())
    put(engine, company_items().values())
    settle(engine)
    yield CompanyEngine(engine, lambda: all_items(engine))


@contextmanager
def over_sqlite(folder: Path) -> Iterator[CompanyEngine]:
    """Yield a SQLite engine on a copy of the file that contains the company."""
    path = folder / "store.db"
    shutil.copyfile(original(folder), path)
    engine = SqliteEngine(path)
    try:
        yield CompanyEngine(engine, lambda: all_items(engine))
    finally:
        engine.close()


def original(folder: Path) -> Path:
    """Return the path of a SQLite file that contains the company. The first call creates it."""
    path = folder / "original.db"
    if not path.exists():
        engine = SqliteEngine(path)
        put(engine, company_items().values())
        engine.close()
    return path


@contextmanager
def over_dynamodb(_: Path) -> Iterator[CompanyEngine]:
    """Yield a DynamoDB engine on its own table, which contains the company."""
    table = over_ministack()
    try:
        put(table, company_items().values())
        client = NamespacedTokens(ministack_client(), table.name)
        yield CompanyEngine(DynamoDBEngine(client, table.name), lambda: all_items(table))
    finally:
        table.close()
