"""The registry of engines with their properties. A new engine is one more line."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from stratabase.core.store.engine.port import Engine
from stratabase.core.store.engine.wrappers import MeteredEngine
from stratabase.core.store.sqlite.engine import SqliteEngine
from tests.contract.engine.dynamodb import MotoTable, over_ministack
from tests.contract.engine.half_written import HalfWrittenOverlay
from tests.contract.engine.lagging import LaggingEngine
from tests.contract.engine.reference import ReferenceEngine
from tests.soak import FULL, count, mostly, seed


@dataclass(frozen=True)
class EngineImplementation:
    """An engine, its properties, and how to open an empty one."""

    name: str
    open: Callable[[Path], Engine]
    many: int = count(700, 3000)
    """The number of items in a long range: several pages of the engine, if the engine supports that."""
    threads: int = 8
    """The number of concurrent callers that the engine supports."""
    whole_reads: bool = True
    """Whether one `get` sees each batch whole or not at all."""
    fences: bool = False
    """Whether the engine checks the fence of a batch."""
    scans: bool = True
    """Whether it can yield all of its items."""
    lags: bool = False
    """Whether its indexes may lag behind commits until `settle` is called."""


KINDS = (
    EngineImplementation("reference", lambda _: ReferenceEngine()),
    EngineImplementation("metered", lambda _: MeteredEngine(ReferenceEngine(), lambda: lambda _: None)),
    EngineImplementation(
        "overlay", lambda _: HalfWrittenOverlay(seed()), threads=1, fences=True, scans=False
    ),
    EngineImplementation("lagging", lambda _: LaggingEngine(seed()), lags=True),
    EngineImplementation("sqlite", lambda folder: SqliteEngine(folder / "store.db"), many=3000, fences=True),
    EngineImplementation("dynamodb-ministack", lambda _: over_ministack(), threads=16, whole_reads=False),
    # It copies the table for each transaction, and loses writes when several come at once.
    EngineImplementation("dynamodb-moto", lambda _: MotoTable(), many=150, threads=1, whole_reads=False),
)

CONCURRENT = tuple(kind for kind in KINDS if kind.threads > 1 and not kind.lags)
"""The engines with large tables, concurrent callers and indexes that do not lag."""
STORING = tuple(kind for kind in CONCURRENT if kind.name != "metered")
"""One of each kind that stores items by itself."""

DISTANT = tuple(kind for kind in KINDS if kind.name in {"sqlite", "dynamodb-ministack"})
"""The engines of the product."""


SEQUENTIAL = mostly(CONCURRENT, "metered", "dynamodb-ministack")
"""For tests of sequences of calls, in which each engine behaves as this suite shows."""


def scope_of_shared_engine(fixture_name: str, config: pytest.Config) -> Literal["function", "module"]:
    """Return for how long tests share an engine: with the classes of many repetitions, it becomes slow."""
    del fixture_name, config
    return "function" if FULL else "module"


def engine_fixture(kinds: Iterable[Any], scope: Any = "function") -> Any:
    """Return a fixture `engine` that opens an empty engine of each kind, for each test or for a scope.

    `kinds`: implementations, or what `mostly` makes of them.
    """

    @pytest.fixture(params=kinds, ids=lambda kind: kind.name, scope=scope)
    def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
        engine: Engine = request.param.open(tmp_path_factory.mktemp("store"))
        yield engine
        engine.close()

    return engine
