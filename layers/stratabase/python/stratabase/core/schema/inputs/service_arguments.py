"""The arguments of services: ids, instants, versions, options of writes, and the inputs of objects.

Inputs of objects, with their parts and associations, are read to commands.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLDefaultInput,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLNonNull,
)

from stratabase.core.domain.issues.issue import IssueType, Path, Subject
from stratabase.core.domain.issues.refusals import Refused
from stratabase.core.domain.objects.entity import Reference, singleton_reference
from stratabase.core.domain.objects.instant import Instant
from stratabase.core.domain.objects.version import VERSION_INSTANT_PATTERN, parse_version_instant
from stratabase.core.domain.write.checks import needs_object_issue
from stratabase.core.domain.write.commands import Create, Delete, RoleCommand, Update, UpdateBulk
from stratabase.core.model import api_names
from stratabase.core.model.api_names import (
    CLIENT_ID,
    ID,
    IF_REVISION,
    IF_REVISION_OF_PART,
    IF_VERSION,
    REVISION,
    GeneratedType,
)
from stratabase.core.model.model import Class, ClassKind, Model
from stratabase.core.operations.write.options import WriteOptions
from stratabase.core.schema.inputs.input_table import INPUT_TABLE, InputObject
from stratabase.core.schema.request.context import ServiceCall
from stratabase.core.schema.types.attribute_types import SCALARS, with_default
from stratabase.core.schema.types.registry import TypeRegistry
from stratabase.values.formats.invalid_value import InvalidValue
from stratabase.values.formats.preferences import Formats
from stratabase.values.messages import _

AT_VERSION, FROM, TO = "atVersion", "from", "to"
C = TypeVar("C", Create | Update, Delete)


def id_argument(class_: Class) -> dict[str, GraphQLArgument]:
    """Return the argument `_id`. A singleton needs none."""
    return {} if class_.kind is ClassKind.SINGLETON else {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))}


def reference_argument(class_: Class, call: ServiceCall) -> Reference:
    """Return the reference of the object that a call is for."""
    return Reference(class_.name, call.arguments[ID]) if ID in call.arguments else singleton_reference(class_)


_AN_INSTANT = (
    f"An instant in the format {VERSION_INSTANT_PATTERN}, in your time zone, or as ISO 8601 with an offset."
)


def instant_argument(name: str) -> dict[str, GraphQLArgument]:
    """Return a required argument that takes an instant."""
    return {name: GraphQLArgument(GraphQLNonNull(SCALARS["Datetime"]), description=_AN_INSTANT)}


def at_version_argument(class_: Class) -> dict[str, GraphQLArgument]:
    """Return the optional argument of reads that show objects as of an instant. Versioned classes have it."""
    if not class_.versioned:
        return {}
    description = (
        "Answer as of this instant, in the format that `getVersion` takes. Without it, answer as of now."
    )
    return {AT_VERSION: GraphQLArgument(SCALARS["Datetime"], description=description)}


def condition_arguments(class_: Class, *, versions: bool = True) -> dict[str, GraphQLArgument]:
    """Return the arguments of a write that stop it if the object is not as the client has read it.

    They are `ifRevision`, and `ifVersion` if the class is versioned. `versions`: False without the latter.
    """
    of_version = (
        "Write only if the current version of the object began at this instant: "
        f"{VERSION_INSTANT_PATTERN}, in your time zone, or ISO 8601 with an offset."
    )
    of_revision = f"Write only if the object still has this `{REVISION}`."
    arguments = {}
    if class_.versioned and versions:
        arguments[IF_VERSION] = GraphQLArgument(SCALARS["Datetime"], description=of_version)
    if class_.is_stored:
        arguments[IF_REVISION] = GraphQLArgument(GraphQLID, description=of_revision)
    return arguments


def read_instants(
    class_: Class, arguments: Mapping[str, Any], formats: Formats, *names: str
) -> list[tuple[Instant, ...]]:
    """Return the instants that each of several arguments may mean. Raises Refused with all issues.

    In the hour that occurs twice when clocks are set back, a text means two instants.
    """
    instants: list[tuple[Instant, ...]] = []
    issues = []
    for name in names:
        try:
            instants.append(parse_version_instant(arguments[name], formats))
        except InvalidValue as mistake:
            message = _("{argument}: {message}", argument=name, message=mistake.message)
            issues.append(Subject(class_).issue(IssueType.DATA_TYPE, message, name))
    if issues:
        raise Refused(issues)
    return instants


def with_conditions(class_: Class, command: C, call: ServiceCall) -> C:
    """Return a command with the conditions in the arguments `ifVersion` and `ifRevision`. Raises Refused."""
    given = [name for name in (IF_VERSION, IF_REVISION) if call.arguments.get(name) is not None]
    if not given:
        return command
    formats = call.context.caller.formats
    (instants,) = (
        read_instants(class_, call.arguments, formats, IF_VERSION) if IF_VERSION in given else (None,)
    )
    if isinstance(command, Create):
        raise Refused([needs_object_issue(Subject(class_), given[0], given[0])])
    return replace(command, if_version=instants, if_revision=call.arguments.get(IF_REVISION))


FORCE_ARGUMENT, DATA_VALIDATION = "forceWarnings", "dataValidation"

_FORCE_WARNINGS = GraphQLInputObjectType(
    api_names.FORCE_WARNINGS,
    {
        "actionVeto": GraphQLInputField(
            GraphQLBoolean,
            default=GraphQLDefaultInput(False),
            description="Has no effect. It is reserved for vetoes, which don't exist yet.",
        ),
        DATA_VALIDATION: GraphQLInputField(
            GraphQLBoolean,
            default=GraphQLDefaultInput(False),
            description="Ignore the warnings of the model.",
        ),
    },
    description="Which issues of level WARNING a write ignores.",
)


def force_warnings_argument() -> dict[str, GraphQLArgument]:
    """Return the argument `forceWarnings`, which every write has."""
    return {FORCE_ARGUMENT: with_default(_FORCE_WARNINGS, {"actionVeto": False, DATA_VALIDATION: False})}


def is_forced(arguments: Mapping[str, Any]) -> bool:
    """Return whether a write goes through in spite of warnings of the model."""
    return bool((arguments.get(FORCE_ARGUMENT) or {}).get(DATA_VALIDATION))


DISABLE_CACHE = "disableCache"
"""The argument that makes a page read its objects again by their keys, because indexes may lag."""


def disable_cache_argument() -> dict[str, GraphQLArgument]:
    """Return the argument `disableCache`. It has no effect where no index is read."""
    return {DISABLE_CACHE: with_default(GraphQLBoolean, value=False)}


def write_options(call: ServiceCall) -> WriteOptions:
    """Return the write options of a call."""
    context = call.context
    return WriteOptions(is_forced(call.arguments), lambda: context.evaluation, context.read_budget)


class CommandReader:
    """Reads the inputs of one model. A command has the path from its whole; the root command has none."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def create(
        self, family: GeneratedType, class_: Class, data: InputObject, path: Path | None = None
    ) -> Create:
        """Return the command to create an object with the values of an input."""
        values, roles = self._values(class_, data), self._roles(family, class_, data)
        return Create(class_.name, values, data.get(CLIENT_ID), roles, path, data.get(IF_REVISION_OF_PART))

    def update(
        self, family: GeneratedType, class_: Class, data: InputObject, path: Path | None = None
    ) -> Update:
        """Return the command to update an object with the values of an input."""
        is_singleton = class_.kind is ClassKind.SINGLETON
        reference = singleton_reference(class_) if is_singleton else Reference(class_.name, data[ID])
        values, roles = self._values(class_, data), self._roles(family, class_, data)
        return Update(
            reference, values, data.get(CLIENT_ID), roles, path, if_revision=data.get(IF_REVISION_OF_PART)
        )

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
        commands: dict[str, RoleCommand] = {}
        for name, role in class_.roles.items():
            if name in data:
                target, input_ = self._model.classes[role.target], INPUT_TABLE[family].role_input(role)
                command = input_.read(self, target, data[name], (name,))
                if command is not None:
                    commands[name] = command
        return commands


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
