"""The linearizability checker, on handwritten histories of a register."""

from tests.linearizability import Operation, is_linearizable
from tests.rows import each_row


def step(value: int, operation: Operation) -> int | None:
    """Return the value after an operation, or None if a read returned another value."""
    if operation.asked is None:
        return value if operation.told == value else None
    return int(operation.asked)


def write(value: int, begun: int, ended: int) -> Operation:
    return Operation(value, None, begun, ended)


def read(value: int, begun: int, ended: int) -> Operation:
    return Operation(None, value, begun, ended)


@each_row(
    ("history", "holds"),
    [
        ([], True),
        ([read(0, 0, 1)], True),
        ([read(1, 0, 1)], False),
        ([write(1, 0, 1), read(1, 2, 3)], True),
        ([write(1, 0, 1), read(0, 2, 3)], False),
        ([write(1, 0, 3), read(0, 1, 2)], True),
        ([write(1, 0, 3), read(1, 1, 2)], True),
        ([write(1, 0, 5), read(1, 1, 2), read(0, 3, 4)], False),
        ([write(1, 0, 5), read(0, 1, 2), read(1, 3, 4)], True),
        ([write(1, 0, 4), write(2, 1, 5), read(2, 6, 7), read(1, 8, 9)], False),
        ([write(1, 0, 8), write(2, 1, 3), read(2, 4, 5), read(1, 6, 7)], True),
        ([read(1, 0, 1), write(1, 2, 3)], False),
    ],
)
def test_linearizable_histories_are_recognized(history: list[Operation], holds: bool) -> None:
    assert is_linearizable(history, 0, step) is holds
    assert is_linearizable(history[::-1], 0, step) is holds
