"""What a client asks to be written, role by role; values are as they came, not read yet."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from stratabase.domain.issues.issue import Path
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.instant import Instant
from stratabase.frozen import frozen


@frozen
class ToOneCommand:
    """Let a to-one association lead to an object (its `_id`, or a `_clientId` of the request); None: to none.

    With `remove` it is cleared, and must not be set at the same time.
    """

    target: str | None = None
    remove: bool = False

    @property
    def empties_role(self) -> bool:
        """Whether the role shall lead to nothing, whatever it led to."""
        return self.target is None


@frozen
class ToManyCommand:
    """Change what a to-many association leads to, by ids: all or some are taken away, then others added."""

    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    remove_all: bool = False

    @property
    def empties_role(self) -> bool:
        """As with ToOneCommand."""
        return self.remove_all and not self.add


@frozen
class PartsCommand:
    """Change the parts of a composition, also of one that leads to one part: all or some end, others begin.

    A part is changed or ended, not both.
    """

    create: "Sequence[Create]" = ()
    update: "Sequence[Update]" = ()
    delete: Sequence[str] = ()
    delete_all: bool = False

    @property
    def empties_role(self) -> bool:
        """As with ToOneCommand."""
        return self.delete_all and not self.create


RoleCommand = ToOneCommand | ToManyCommand | PartsCommand


@frozen
class Create:
    """Make an object. `given` holds JSON values by attribute name, `roles` what is asked of its roles."""

    class_name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)
    path: Path | None = None
    """Of a part: where the request has it, from its whole on: ("addresses", "save", 0). Without one it is
    where `PartsCommand` has it: ("addresses", "create", 0)."""


@frozen
class Update:
    """Change an object: what is not given stays, null clears."""

    reference: Reference
    values: Mapping[str, Any] = field(default_factory=dict)
    client_id: str | None = None
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)
    path: Path | None = None
    """As with Create."""
    if_version: tuple[Instant, ...] | None = None
    """When the version began on which the client relies: at one of these, if it says so."""


@frozen
class UpdateBulk:
    """Change each of many objects of a class in the same way."""

    class_name: str
    values: Mapping[str, Any] = field(default_factory=dict)
    roles: Mapping[str, RoleCommand] = field(default_factory=dict)

    def for_object(self, reference: Reference) -> Update:
        """Return what is asked of one of them."""
        return Update(reference, self.values, roles=self.roles)


@frozen
class Delete:
    """End an object, and all its parts; `place`: where the request asks for it."""

    reference: Reference
    place: Path = ("_id",)
    if_version: tuple[Instant, ...] | None = None
    """As with Update."""


@frozen
class Restore:
    """Make an object of a versioned class, with its parts, what it was at an instant."""

    reference: Reference
    at: Instant
    forced: bool = False
    """What it referred to and is there no more is left out, and nothing said of it."""


Command = Create | Update | Delete


AnyCommand = Command | Restore


ROOT_PATH: Path = ("data",)
"""The place of what was sent."""


class PlacedCommand(NamedTuple):
    """A command, and where it stands."""

    command: Create | Update
    path: Path


def placed_commands(command: AnyCommand) -> Iterator[PlacedCommand]:
    """Yield a command and all that are within it, each before what it holds."""
    if not isinstance(command, Create | Update):
        return
    waiting = [PlacedCommand(command, ROOT_PATH)]
    while waiting:
        placed = waiting.pop()
        yield placed
        if placed.command.roles:
            waiting += reversed([*commands_within(placed)])


def placed_creates(placed: PlacedCommand, role: str, parts: PartsCommand) -> list[PlacedCommand]:
    """Return what is to be made in a role."""
    return _placed(placed.path, (role, "create"), parts.create)


def placed_updates(placed: PlacedCommand, role: str, parts: PartsCommand) -> list[PlacedCommand]:
    """Return what is to be changed in a role."""
    return _placed(placed.path, (role, "update"), parts.update)


def commands_within(placed: PlacedCommand) -> Iterator[PlacedCommand]:
    """Yield the commands for the parts of an object, role by role."""
    for role, command in placed.command.roles.items():
        if isinstance(command, PartsCommand):
            yield from placed_creates(placed, role, command)
            yield from placed_updates(placed, role, command)


def _placed(path: Path, below: Path, commands: Sequence[Create | Update]) -> list[PlacedCommand]:
    return [
        PlacedCommand(command, (*path, *(command.path or (*below, number))))
        for number, command in enumerate(commands)
    ]
