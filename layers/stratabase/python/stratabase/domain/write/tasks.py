"""The steps of expanding a command: an object to create, update, delete or restore."""

from typing import NamedTuple

from stratabase.domain.issue import Path
from stratabase.domain.objects.entity import Entity, Reference, State
from stratabase.domain.write.commands import PlacedCommand, Restore


class CreateObject(NamedTuple):
    """An object to be made; `back` is the key to its whole, if it is a part."""

    placed: PlacedCommand
    key_to_whole: State


class UpdateObject(NamedTuple):
    """An object to be changed."""

    placed: PlacedCommand


class DeleteObject(NamedTuple):
    """An object to be ended, because of what the request says at a place."""

    reference: Reference
    path: Path


class RestoreObject(NamedTuple):
    """An object to become what it was; `back` is the key to its whole, if it is a part."""

    reference: Reference
    command: Restore
    path: Path
    key_to_whole: State


class RestoreKeys(NamedTuple):
    """An object whose keys are to lead where those of a version did, once it is known what comes back."""

    reference: Reference
    command: Restore
    version: Entity


Task = CreateObject | UpdateObject | DeleteObject | RestoreObject | RestoreKeys
