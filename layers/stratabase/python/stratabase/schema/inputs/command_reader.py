"""From inputs to commands: whole graphs, with where each part of them stands."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from graphql import GraphQLArgument, GraphQLNonNull

from stratabase.domain.issues.issue import Path
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.identity import singleton_reference
from stratabase.domain.write.commands import Create, RoleCommand, Update, UpdateBulk
from stratabase.model.api_names import CLIENT_ID, ID, GeneratedType
from stratabase.model.model import Class, ClassKind, Model
from stratabase.schema.inputs.input_table import INPUT_TABLE, InputTypeSpec
from stratabase.schema.request.context import Call
from stratabase.schema.types.registry import TypeRegistry

Given = Mapping[str, Any]


class CommandReader:
    """Reads the inputs of one model. Paths lead from a whole to its part; the root of a graph has none."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def create(self, family: GeneratedType, class_: Class, given: Given, path: Path | None = None) -> Create:
        """Return what an input that makes an object asks for."""
        values, roles = self._values(class_, given), self._roles(family, class_, given)
        return Create(class_.name, values, given.get(CLIENT_ID), roles, path)

    def update(self, family: GeneratedType, class_: Class, given: Given, path: Path | None = None) -> Update:
        """Return what an input that changes an object asks for."""
        is_singleton = class_.kind is ClassKind.SINGLETON
        reference = singleton_reference(class_) if is_singleton else Reference(class_.name, given[ID])
        values, roles = self._values(class_, given), self._roles(family, class_, given)
        return Update(reference, values, given.get(CLIENT_ID), roles, path)

    def update_bulk(self, family: GeneratedType, class_: Class, given: Given) -> UpdateBulk:
        """Return what an input asks of each of several objects."""
        return UpdateBulk(class_.name, self._values(class_, given), self._roles(family, class_, given))

    def save(self, class_: Class, given: Given, path: Path | None = None) -> Create | Update:
        """Return what a `<C>Draft` asks for: a change of what has an id, a new object otherwise."""
        verb = self.create if given.get(ID) is None else self.update
        return verb(GeneratedType.DRAFT, class_, given, path)

    def _values(self, class_: Class, given: Given) -> dict[str, Any]:
        return {name: value for name, value in given.items() if name in class_.attributes}

    def _roles(self, family: GeneratedType, class_: Class, given: Given) -> dict[str, RoleCommand]:
        return dict(self._commands(INPUT_TABLE[family], class_, given))

    def _commands(self, row: InputTypeSpec, class_: Class, given: Given) -> Iterator[tuple[str, RoleCommand]]:
        for role in class_.roles.values():
            if role.name not in given:
                continue
            target = self._model.classes[role.target]
            command = row.role_input(role).read(self, target, given[role.name], (role.name,))
            if command is not None:
                yield role.name, command


ReadData = Callable[[CommandReader, Class, Mapping[str, Any]], Create | Update]
"""Reads the command that an input comes to."""


def data_argument(registry: TypeRegistry, class_: Class, family: GeneratedType) -> dict[str, GraphQLArgument]:
    """Return the argument that takes an input of a family."""
    return {"data": GraphQLArgument(GraphQLNonNull(registry.type_of(family, class_)))}


class DataInput(NamedTuple):
    """Inputs of a family, and how they are read."""

    family: GeneratedType
    read: ReadData

    def argument(self, registry: TypeRegistry, class_: Class) -> dict[str, GraphQLArgument]:
        """Return the argument that takes one."""
        return data_argument(registry, class_, self.family)

    def command(self, reading: CommandReader, class_: Class, call: Call) -> Create | Update:
        """Return what a call asks for."""
        return self.read(reading, class_, call.arguments["data"])


def create_input(family: GeneratedType) -> DataInput:
    """Return inputs that make an object."""
    return DataInput(family, lambda reading, class_, data: reading.create(family, class_, data))


def update_input(family: GeneratedType) -> DataInput:
    """Return inputs that change an object."""
    return DataInput(family, lambda reading, class_, data: reading.update(family, class_, data))


def save_input() -> DataInput:
    """Return inputs that change an object if they have an id, and make one otherwise."""
    return DataInput(GeneratedType.DRAFT, lambda reading, class_, data: reading.save(class_, data))
