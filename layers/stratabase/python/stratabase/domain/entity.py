"""An object as it is at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from stratabase.model.attribute import Stored

State = Mapping[str, Stored]
"""The stored values of an object by attribute name, `_id` among them; what is absent is null."""


class Reference(NamedTuple):
    """What identifies an object: its class and its id."""

    class_name: str
    id: str


@dataclass(frozen=True, slots=True)
class Entity:
    """An object: what it is, its state, and the last commits that wrote it (newest last)."""

    reference: Reference
    state: State
    commit_ids: tuple[str, ...] = ()
