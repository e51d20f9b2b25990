"""Read the inputs of writes to commands: an object with its parts and associations."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from graphql import GraphQLArgument, GraphQLNonNull

from stratabase.core.domain.issues.issue import Path
from stratabase.core.domain.objects.entity import Reference, singleton_reference
from stratabase.core.domain.write.commands import Create, RoleCommand, Update, UpdateBulk
from stratabase.core.model.api_names import CLIENT_ID, ID, GeneratedType
from stratabase.core.model.model import Class, ClassKind, Model
from stratabase.core.schema.inputs.input_table import INPUT_TABLE, InputObject, InputTypeSpec
from stratabase.core.schema.request.context import ServiceCall
from stratabase.core.schema.types.registry import TypeRegistry


class CommandReader:
    """Reads the inputs of one model. A command has the path from its whole; the root command has none."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def create(
        self, family: GeneratedType, class_: Class, data: InputObject, path: Path | None = None
    ) -> Create:
        """Return the command to create an object with the values of an input."""
        values, roles = self._values(class_, data), self._roles(family, class_, data)
        return Create(class_.name, values, data.get(CLIENT_ID), roles, path)

    def update(
        self, family: GeneratedType, class_: Class, data: InputObject, path: Path | None = None
    ) -> Update:
        """Return the command to update an object with the values of an input."""
        is_singleton = class_.kind is ClassKind.SINGLETON
        reference = singleton_reference(class_) if is_singleton else Reference(class_.name, data[ID])
        values, roles = self._values(class_, data), self._roles(family, class_, data)
        return Update(reference, values, data.get(CLIENT_ID), roles, path)

    def update_bulk(self, family: GeneratedType, class_: Class, data: InputObject) -> UpdateBulk:
        """Return the command to update each of several objects."""
        return UpdateBulk(class_.name, self._values(class_, data), self._roles(family, class_, data))

    def save(self, class_: Class, data: InputObject, path: Path | None = None) -> Create | Update:
        """Return the command for a `<C>Draft`: an update if it has an `_id`, else a create."""
        verb = self.create if data.get(ID) is None else self.update
        return verb(GeneratedType.DRAFT, class_, data, path)

    def _values(self, class_: Class, data: InputObject) -> dict[str, Any]:
        return {name: value for name, value in data.items() if name in class_.attributes}

    def _roles(self, family: GeneratedType, class_: Class, data: InputObject) -> dict[str, RoleCommand]:
        return dict(self._commands(INPUT_TABLE[family], class_, data))

    def _commands(
        self, row: InputTypeSpec, class_: Class, data: InputObject
    ) -> Iterator[tuple[str, RoleCommand]]:
        for role in class_.roles.values():
            if role.name not in data:
                continue
            target = self._model.classes[role.target]
            command = row.role_input(role).read(self, target, data[role.name], (role.name,))
            if command is not None:
                yield role.name, command


ReadData = Callable[[CommandReader, Class, Mapping[str, Any]], Create | Update]
"""Reads an input of a class to a command."""


def data_argument(registry: TypeRegistry, class_: Class, family: GeneratedType) -> dict[str, GraphQLArgument]:
    """Return the argument `data`, which takes an input of a family."""
    return {"data": GraphQLArgument(GraphQLNonNull(registry.type_of(family, class_)))}


class DataInput(NamedTuple):
    """A family of inputs, and how it is read."""

    family: GeneratedType
    read: ReadData

    def argument(self, registry: TypeRegistry, class_: Class) -> dict[str, GraphQLArgument]:
        """Return the argument that takes such an input."""
        return data_argument(registry, class_, self.family)

    def command(self, reader: CommandReader, class_: Class, call: ServiceCall) -> Create | Update:
        """Return the command of a call."""
        return self.read(reader, class_, call.arguments["data"])


def create_input(family: GeneratedType) -> DataInput:
    """Return the input of services that create an object."""
    return DataInput(family, lambda reader, class_, data: reader.create(family, class_, data))


def update_input(family: GeneratedType) -> DataInput:
    """Return the input of services that update an object."""
    return DataInput(family, lambda reader, class_, data: reader.update(family, class_, data))


def save_input() -> DataInput:
    """Return the input of services that update an object if it has an id, and create one otherwise."""
    return DataInput(GeneratedType.DRAFT, lambda reader, class_, data: reader.save(class_, data))
