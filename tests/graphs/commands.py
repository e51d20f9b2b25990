"""Short functions that build commands."""

from typing import Any

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.objects.entity import Reference
from stratabase.core.domain.write.commands import (
    Command,
    Create,
    Delete,
    PartsCommand,
    RoleCommand,
    ToManyCommand,
    ToOneCommand,
    Update,
)
from stratabase.core.operations.context import Services
from stratabase.core.operations.write.services import delete as delete_
from stratabase.core.operations.write.services import save
from tests.fakes import ADMINISTRATOR


def do(services: Services, command: Command) -> Any:
    """Run a command, and return the result of its operation. Raises Refused, Unavailable."""
    if isinstance(command, Delete):
        return delete_(services, command, ADMINISTRATOR)
    return save(services, command, ADMINISTRATOR)


def create_command(
    class_name: str, client_id: str | None = None, path: Path | None = None, **asked: Any
) -> Create:
    """Return the command that creates an object. `asked` has attribute values and role commands."""
    return Create(class_name, _given(asked), client_id, _roles(asked), path)


def update_command(class_name: str, id_: str, path: Path | None = None, **asked: Any) -> Update:
    """Return the command that updates an object. `asked` has attribute values and role commands."""
    return Update(Reference(class_name, id_), _given(asked), None, _roles(asked), path)


def delete_command(class_name: str, id_: str) -> Delete:
    return Delete(Reference(class_name, id_))


def point(to: str | None) -> ToOneCommand:
    """Return the command that sets the target of a to-one association. None sets it to null."""
    return ToOneCommand(to)


def add(*ids: str) -> ToManyCommand:
    """Return the command that adds targets to a to-many association."""
    return ToManyCommand(add=ids)


def remove(*ids: str) -> ToManyCommand:
    """Return the command that removes targets from a to-many association."""
    return ToManyCommand(remove=ids)


def create(*parts: Create) -> PartsCommand:
    """Return the command that creates parts in a composition."""
    return PartsCommand(create=parts)


def update(*parts: Update) -> PartsCommand:
    """Return the command that updates parts in a composition."""
    return PartsCommand(update=parts)


def delete(*ids: str) -> PartsCommand:
    """Return the command that deletes parts from a composition."""
    return PartsCommand(delete=ids)


def _given(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in asked.items() if not isinstance(each, RoleCommand)}


def _roles(asked: dict[str, Any]) -> dict[str, RoleCommand]:
    return {name: each for name, each in asked.items() if isinstance(each, RoleCommand)}
