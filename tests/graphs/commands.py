"""Short ways to write commands."""

from typing import Any

from stratabase.domain.command import Command, Create, Delete, Update
from stratabase.domain.entity import Reference
from stratabase.domain.issue import Path
from stratabase.domain.role_command import Links, Parts, Point, RoleCommand
from stratabase.operations.delete import delete as delete_
from stratabase.operations.save import save
from stratabase.operations.world import World
from tests.worlds import ADMINISTRATOR


def do(world: World, command: Command) -> Any:
    """Do a command, and return what its operation does. Raises Refused, Unavailable."""
    if isinstance(command, Delete):
        return delete_(world, command, ADMINISTRATOR)
    return save(world, command, ADMINISTRATOR)


def make(class_name: str, client_id: str | None = None, path: Path | None = None, **asked: Any) -> Create:
    """Return the command that makes an object, with values and roles."""
    return Create(class_name, _given(asked), client_id, _roles(asked), path)


def change(class_name: str, id_: str, path: Path | None = None, **asked: Any) -> Update:
    """Return the command that changes values and roles of an object."""
    return Update(Reference(class_name, id_), _given(asked), None, _roles(asked), path)


def end(class_name: str, id_: str) -> Delete:
    """Return the command that ends an object."""
    return Delete(Reference(class_name, id_))


def point(to: str | None) -> Point:
    """Let a to-one association lead to an object, or to none."""
    return Point(to)


def add(*ids: str) -> Links:
    """Add to a to-many association."""
    return Links(add=ids)


def remove(*ids: str) -> Links:
    """Take away from a to-many association."""
    return Links(remove=ids)


def create(*parts: Create) -> Parts:
    """Make parts."""
    return Parts(create=parts)


def update(*parts: Update) -> Parts:
    """Change parts."""
    return Parts(update=parts)


def delete(*ids: str) -> Parts:
    """End parts."""
    return Parts(delete=ids)


def _given(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in asked.items() if not isinstance(each, RoleCommand)}


def _roles(asked: dict[str, Any]) -> dict[str, RoleCommand]:
    return {name: each for name, each in asked.items() if isinstance(each, RoleCommand)}
