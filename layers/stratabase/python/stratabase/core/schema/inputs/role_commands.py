"""Read the values of roles' fields to commands: one function for each kind of input.

Null clears the role, except in a create, where there is nothing to clear. Nulls in lists are ignored.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.write.commands import Create, PartsCommand, ToManyCommand, ToOneCommand, Update
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.model import Class

if TYPE_CHECKING:
    from stratabase.core.schema.inputs.command_reader import CommandReader


InputObject = Mapping[str, Any]
_DELETE_ALL = PartsCommand(delete_all=True)


def read_id(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToOneCommand:
    """Read the id of the object that a to-one association is to lead to."""
    return ToOneCommand(value)


def read_ids(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToManyCommand | None:
    """Read the ids that a new object's to-many association is to lead to."""
    return None if value is None else ToManyCommand(add=_without_nulls(value))


def read_role_ref(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToOneCommand | None:
    """Read the change `{set, remove}` of a to-one association."""
    if value is None:
        return ToOneCommand()
    remove = bool(value.get("remove"))
    return ToOneCommand(value.get("set"), remove) if remove or "set" in value else None


def read_role_refs(_: "CommandReader", __: Class, value: Any, ___: Path) -> ToManyCommand:
    """Read the change `{add, remove, removeAll}` of a to-many association."""
    if value is None:
        return ToManyCommand(remove_all=True)
    return ToManyCommand(
        _without_nulls(value.get("add")), _without_nulls(value.get("remove")), bool(value.get("removeAll"))
    )


class NewParts:
    """Reads the parts of a new object."""

    def __init__(self, family: GeneratedType) -> None:
        self._family = family

    def read_one(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand | None:
        """Read the part of a to-one composition."""
        return None if value is None else PartsCommand([reader.create(self._family, part, value, path)])

    def read_many(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand | None:
        """Read the parts of a to-many composition."""
        creates = [
            reader.create(self._family, part, each, part_path) for each, part_path in _elements(value, path)
        ]
        return PartsCommand(creates) if creates else None


class ChangedParts:
    """Reads the changes to the parts of an existing object."""

    def __init__(self, create: GeneratedType, update: GeneratedType) -> None:
        self._create = create
        self._update = update

    def read_one(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
        """Read the change `{create, update, delete}` to the part of a to-one composition."""
        return (
            _DELETE_ALL
            if value is None
            else PartsCommand(
                self._read_creates(reader, part, _single(value, "create", path)),
                self._read_updates(reader, part, _single(value, "update", path)),
                delete_all=bool(value.get("delete")),
            )
        )

    def read_many(self, reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
        """Read the changes `{create, update, delete, deleteAll}` to the parts of a to-many composition."""
        return (
            _DELETE_ALL
            if value is None
            else PartsCommand(
                self._read_creates(reader, part, _elements(value.get("create"), (*path, "create"))),
                self._read_updates(reader, part, _elements(value.get("update"), (*path, "update"))),
                _without_nulls(value.get("delete")),
                bool(value.get("deleteAll")),
            )
        )

    def _read_creates(
        self, reader: "CommandReader", part: Class, elements: Iterator[tuple[InputObject, Path]]
    ) -> list[Create]:
        return [reader.create(self._create, part, each, path) for each, path in elements]

    def _read_updates(
        self, reader: "CommandReader", part: Class, elements: Iterator[tuple[InputObject, Path]]
    ) -> list[Update]:
        return [reader.update(self._update, part, each, path) for each, path in elements]


def read_saved_part(reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
    """Read the part of a to-one composition in a draft: an update if it has an id, else a create."""
    if value is None:
        return _DELETE_ALL
    command = reader.save(part, value, path)
    return PartsCommand(update=[command]) if isinstance(command, Update) else PartsCommand([command])


def read_saved_parts(reader: "CommandReader", part: Class, value: Any, path: Path) -> PartsCommand:
    """Read the changes `{save, delete, deleteAll}` to the parts of a to-many composition in a draft."""
    if value is None:
        return _DELETE_ALL
    commands = [
        reader.save(part, each, part_path)
        for each, part_path in _elements(value.get("save"), (*path, "save"))
    ]
    return PartsCommand(
        [command for command in commands if isinstance(command, Create)],
        [command for command in commands if isinstance(command, Update)],
        _without_nulls(value.get("delete")),
        bool(value.get("deleteAll")),
    )


def _without_nulls(values: Sequence[Any] | None) -> list[Any]:
    return [each for each in values or () if each is not None]


def _elements(values: Sequence[Any] | None, path: Path) -> Iterator[tuple[InputObject, Path]]:
    return ((each, (*path, place)) for place, each in enumerate(values or ()) if each is not None)


def _single(input_object: InputObject, name: str, path: Path) -> Iterator[tuple[InputObject, Path]]:
    if input_object.get(name) is not None:
        yield input_object[name], (*path, name)
