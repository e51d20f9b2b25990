"""What identifies a role: its class and its name there."""

from collections.abc import Mapping
from dataclasses import field
from typing import NamedTuple

from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.lock import Lock
from stratabase.formats.invalid_value import describe_value
from stratabase.frozen import frozen
from stratabase.model.types.storage import Stored


class RoleName(NamedTuple):
    """A role of a class: `RoleName("Team", "members")`."""

    class_name: str
    role_name: str

    def __str__(self) -> str:
        return f"{self.class_name}.{self.role_name}"


State = Mapping[str, Stored]
"""The stored values of an object by attribute name, `_id` among them; what is absent is null.

Of a versioned class, `_versionStart` and `_versionEnd` are among them too.

So lie there the roles that the object keeps itself: the id that a key leads to, the ids of parts (a list, in
the order of their making, where there may be many), and on a part the id of its whole.
"""


_LONGEST = 255


"""Characters of an id; ours are far shorter."""


class Reference(NamedTuple):
    """What identifies an object: its class and its id."""

    class_name: str
    id: str


def describe_object(reference: Reference) -> str:
    """Return an object as messages in any language name it: `Team "t7"`."""
    return f"{reference.class_name} {describe_value(reference.id)}"


@frozen
class Entity:
    """An object: what it is, its state, and the last commits that wrote it (newest last)."""

    reference: Reference
    state: State
    commit_ids: tuple[str, ...] = ()
    counts: Mapping[RoleName, int] = field(default_factory=dict, compare=False)
    """By required roles, as they were when it was read by key (other writes change them, not this object).

    A to-one role: how many objects lead to this one by it. A to-many role of its own: to how many it leads.
    """
    linked: str | None = field(default=None, compare=False)
    """The last commit that let a role of it, or one that leads to it, without a key lead to one object more.

    Known when it was read by key. A deletion expects it to be the same still, so that no link is forgotten.
    """
    start: Instant | None = field(default=None, compare=False)
    """Since when it has been in this state; None if that is not known."""
    end: Instant | None = field(default=None, compare=False)
    """Until when it was in this state; None while it still is."""
    previous: Instant | None = field(default=None, compare=False)
    """The start of the last version that was closed before this one began; None when there is none."""
    lock: Lock | None = field(default=None, compare=False)
    """Its lock when it was read by key, perhaps one that has ended; a page need not tell it."""
    part_lock: str | None = field(default=None, compare=False)
    """The last commit that locked a part of it, at any depth; known when it was read by key.

    A deletion that leaves parts for later expects it to be the same still, so that no lock is passed over.
    """
