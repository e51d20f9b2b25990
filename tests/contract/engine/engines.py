"""The registry of engines with their properties. A new engine is one more line."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stratabase.store.dynamodb.metering import MeteredEngine
from stratabase.store.engine.port import Engine
from stratabase.store.sqlite.engine import SqliteEngine
from tests.contract.engine.dynamodb import MotoTable, over_ministack
from tests.contract.engine.lagging import LaggingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.soak import seed


@dataclass(frozen=True)
class EngineImplementation:
    """An engine, its properties, and how to open an empty one."""

    name: str
    open: Callable[[Path], Engine]
    many: int = 3000
    """How many items a long range may have here: more than any page of the engine, if it can bear that."""
    threads: int = 8
    """How many callers may race."""
    whole_reads: bool = True
    """Whether one `get` sees each batch whole or not at all."""
    fences: bool = False
    """Whether it judges the fence of a batch."""
    lags: bool = False
    """Whether its indexes may show less than what was committed, unless it is told to settle."""


KINDS = (
    EngineImplementation("reference", lambda _: ReferenceEngine()),
    EngineImplementation("metered", lambda _: MeteredEngine(ReferenceEngine(), lambda: lambda _: None)),
    EngineImplementation("lagging", lambda _: LaggingEngine(seed()), lags=True),
    EngineImplementation("sqlite", lambda folder: SqliteEngine(folder / "store.db"), fences=True),
    EngineImplementation("dynamodb-ministack", lambda _: over_ministack(), threads=16, whole_reads=False),
    # It copies the table for each transaction, and loses writes when several come at once.
    EngineImplementation("dynamodb-moto", lambda _: MotoTable(), many=150, threads=1, whole_reads=False),
)

CONCURRENT = tuple(kind for kind in KINDS if kind.threads > 1 and not kind.lags)
"""Those that bear large tables and several callers, and show in a page at once what was committed."""
