"""A transaction whose writes each say what it means when their condition does not hold."""

from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar

from pynamodb.expressions.condition import Condition
from pynamodb.transactions import TransactWrite

from stratabase.store.dynamodb.errors import CANCELLED, CONDITION_FAILED, permanent_error
from stratabase.store.dynamodb.retry import PermanentRejection
from stratabase.store.pynamodb.record import Record
from stratabase.store.pynamodb.table import Table

M = TypeVar("M")


class Write(NamedTuple, Generic[M]):
    """One write of a transaction; `meaning` is what its condition stands for."""

    turn: int
    """PynamoDB sends deletions first, then what is saved; DynamoDB tells what failed in that order."""
    add_to: Callable[[TransactWrite], None]
    meaning: M


def deletion(record: Record, condition: Condition, meaning: M) -> Write[M]:
    """Return what takes a record away."""
    return Write(0, lambda transaction: transaction.delete(record, condition), meaning)


def saving(record: Record, condition: Condition, meaning: M) -> Write[M]:
    """Return what puts a record in its place."""
    return Write(1, lambda transaction: transaction.save(record, condition), meaning)


def broken(table: Table, token: str, writes: Iterable[Write[M]]) -> tuple[M, ...]:
    """Do all writes, once, and return nothing; or none, and return what did not hold. Raises Unavailable."""
    ordered = sorted(writes, key=lambda write: write.turn)

    def work() -> None:
        with table.transaction(token) as transaction:
            for write in ordered:
                write.add_to(transaction)

    try:
        table.write(work)
    except PermanentRejection as refused:
        return _meanings(refused, ordered)
    return ()


def _meanings(refused: PermanentRejection, writes: list[Write[M]]) -> tuple[M, ...]:
    rejected = refused.rejected
    judged = zip(writes, rejected.reasons, strict=True) if rejected.code == CANCELLED else ()
    found = tuple(write.meaning for write, reason in judged if reason.get("Code") == CONDITION_FAILED)
    if not found:
        raise permanent_error(rejected) from refused
    return found
