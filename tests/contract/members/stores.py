"""The registry of stores of members with their properties. A new store is one more line."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from stratabase.members.ports import Members
from stratabase.members.stores.sqlite_members import SqliteMembers
from tests.contract.members.dynamodb import over_ministack, over_moto
from tests.in_memory_members import InMemoryMembers


@dataclass(frozen=True)
class MembersImplementation:
    """A store of members, and a context manager that opens an empty one."""

    name: str
    open: Callable[[Path], AbstractContextManager[Members]]
    threads: int = 8
    """How many callers may race."""


@contextmanager
def _in_dict(_: Path) -> Iterator[Members]:
    yield InMemoryMembers()


@contextmanager
def _in_sqlite(folder: Path) -> Iterator[Members]:
    members = SqliteMembers(folder / "members.db")
    yield members
    members.close()


KINDS = (
    MembersImplementation("dict", _in_dict),
    MembersImplementation("sqlite", _in_sqlite),
    MembersImplementation("dynamodb-ministack", over_ministack),
    # It loses writes when several come at once.
    MembersImplementation("dynamodb-moto", over_moto, threads=1),
)

CONCURRENT = tuple(kind for kind in KINDS if kind.threads > 1)
"""Those that bear several callers."""
