"""The engines that there are, and what a test must know of each. A new engine is one line here."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from stratabase.store.engine import Engine
from stratabase.store.sqlite.engine import SqliteEngine
from tests.contract.engine.reference import ReferenceEngine


@dataclass(frozen=True)
class Kind:
    """A kind of engine, and how to have an empty one."""

    name: str
    open: Callable[[Path], Engine]
    many: int = 3000
    """How many items a long range may have here: more than any page of the engine, if it can bear that."""
    threads: int = 8
    """How many callers may race."""
    whole_reads: bool = True
    """Whether one `get` sees each batch whole or not at all."""


KINDS = (
    Kind("reference", lambda _: ReferenceEngine()),
    Kind("sqlite", lambda folder: SqliteEngine(folder / "store.db")),
)
