"""The registry of stores of attempts. A new store is one more line."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Protocol

from stratabase.core.operations.attempts_with_fallback import AttemptsWithFallback
from stratabase.core.operations.ports import Attempts
from stratabase.core.store.sqlite.attempts import SqliteAttempts
from stratabase_aws.members.pynamodb_attempts import AttemptRecord, PynamoAttempts
from stratabase_aws.members.pynamodb_table import PynamoTable
from tests import ministack
from tests.in_memory_attempts import InMemoryAttempts

_numbers = count(1)


class ClosableAttempts(Attempts, Protocol):
    """A store of attempts that a test closes."""

    def close(self) -> None:
        """Release the store."""


@dataclass(frozen=True)
class AttemptsImplementation:
    """A store of attempts, and how to open an empty one."""

    name: str
    open: Callable[[Path], ClosableAttempts]


class NamespacedAttempts(PynamoAttempts):
    """Attempts with unique keys in a table that tests share, because connecting is slow."""

    def __init__(self) -> None:
        super().__init__(ministack_table())
        self._number = next(_numbers)

    def close(self) -> None:
        """Do nothing: the shared table stays open."""

    def _record(self, key: str) -> AttemptRecord:
        return super()._record(f"{self._number}#{key}")


@cache
def ministack_table() -> PynamoTable:
    """Return a table in the multithreaded emulator."""
    table = PynamoTable(ministack.endpoint(), "attempts-contract")
    table.ensure()
    return table


class WithFallback(AttemptsWithFallback):
    """Attempts in a store that may fail."""

    def __init__(self, *failing: str) -> None:
        store = InMemoryAttempts()
        store.fails = set(failing)
        super().__init__(store, lambda _: None)

    def close(self) -> None:
        """Do nothing."""


KINDS = (
    AttemptsImplementation("dict", lambda _: InMemoryAttempts()),
    AttemptsImplementation("fallback unused", lambda _: WithFallback()),
    AttemptsImplementation("fallback", lambda _: WithFallback("note", "count")),
    AttemptsImplementation("sqlite", lambda folder: SqliteAttempts(folder / "attempts.db")),
    AttemptsImplementation("dynamodb-ministack", lambda _: NamespacedAttempts()),
)
