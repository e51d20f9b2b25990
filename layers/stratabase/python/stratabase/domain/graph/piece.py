"""A command in its place in a request: the one that was sent, or one for a part within it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stratabase.domain.command import AnyCommand, Create, Update
from stratabase.domain.issue import Path
from stratabase.domain.role_command import Parts

ROOT: Path = ("data",)
"""The place of what was sent."""


class Piece(NamedTuple):
    """A command, and where it stands."""

    command: Create | Update
    path: Path


def pieces(command: AnyCommand) -> Iterator[Piece]:
    """Yield a command and all that are within it, each before what it holds."""
    if not isinstance(command, Create | Update):
        return
    waiting = [Piece(command, ROOT)]
    while waiting:
        piece = waiting.pop()
        yield piece
        waiting += reversed([*_within(piece)])


def created(piece: Piece, role: str, parts: Parts) -> list[Piece]:
    """Return what is to be made in a role."""
    return _placed(piece.path, (role, "create"), parts.create)


def updated(piece: Piece, role: str, parts: Parts) -> list[Piece]:
    """Return what is to be changed in a role."""
    return _placed(piece.path, (role, "update"), parts.update)


def _within(piece: Piece) -> Iterator[Piece]:
    for role, command in piece.command.roles.items():
        if isinstance(command, Parts):
            yield from created(piece, role, command)
            yield from updated(piece, role, command)


def _placed(path: Path, below: Path, commands: Sequence[Create | Update]) -> list[Piece]:
    return [
        Piece(command, (*path, *(command.path or (*below, number))))
        for number, command in enumerate(commands)
    ]
