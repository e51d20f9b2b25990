"""What is still to be gone into: an object to make, to change or to end."""

from typing import NamedTuple

from stratabase.domain.command import Restore
from stratabase.domain.entity import Entity, Reference, State
from stratabase.domain.graph.piece import Piece
from stratabase.domain.issue import Path


class Making(NamedTuple):
    """An object to be made; `back` is the key to its whole, if it is a part."""

    piece: Piece
    back: State


class Changing(NamedTuple):
    """An object to be changed."""

    piece: Piece


class Ending(NamedTuple):
    """An object to be ended, because of what the request says at a place."""

    reference: Reference
    place: Path


class Restoring(NamedTuple):
    """An object to become what it was; `back` is the key to its whole, if it is a part."""

    reference: Reference
    command: Restore
    place: Path
    back: State


class Releading(NamedTuple):
    """An object whose keys are to lead where those of a version did, once it is known what comes back."""

    reference: Reference
    command: Restore
    version: Entity


Task = Making | Changing | Ending | Restoring | Releading
