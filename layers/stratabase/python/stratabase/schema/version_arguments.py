"""The arguments that name versions by instants."""

from dataclasses import replace
from typing import TypeVar

from graphql import GraphQLArgument, GraphQLID, GraphQLNonNull

from stratabase.domain.issue import IssueType
from stratabase.domain.objects.entity import Reference
from stratabase.domain.objects.identity import singleton_reference
from stratabase.domain.objects.instant import Instant
from stratabase.domain.objects.version import VERSION_INSTANT_PATTERN, parse_version_instant
from stratabase.domain.refusal import Refused
from stratabase.domain.subject import Subject
from stratabase.domain.write.commands import Create, Delete, Update
from stratabase.domain.write.locks import IF_VERSION
from stratabase.formats.invalid_value import InvalidValue
from stratabase.model.api_names import ID
from stratabase.model.model import Class, ClassKind
from stratabase.schema.context import Call
from stratabase.schema.scalars import SCALARS

AT_VERSION, FROM, TO = "atVersion", "from", "to"

C = TypeVar("C", Create | Update, Delete)


def which(class_: Class) -> dict[str, GraphQLArgument]:
    """Return the argument that names an object; of a class that has just one, none does."""
    return {} if class_.kind is ClassKind.SINGLETON else {ID: GraphQLArgument(GraphQLNonNull(GraphQLID))}


def reference(class_: Class, call: Call) -> Reference:
    """Return the object that a call names."""
    return Reference(class_.name, call.arguments[ID]) if ID in call.arguments else singleton_reference(class_)


def instant(name: str) -> dict[str, GraphQLArgument]:
    """Return an argument that takes an instant."""
    description = f"As {VERSION_INSTANT_PATTERN}, in your time zone."
    return {name: GraphQLArgument(GraphQLNonNull(SCALARS["Datetime"]), description=description)}


def if_version(class_: Class) -> dict[str, GraphQLArgument]:
    """Return the argument of a write that relies on a version, where there are versions."""
    description = (
        f"Write only if the object's version began then: as {VERSION_INSTANT_PATTERN}, in your time zone."
    )
    argument = GraphQLArgument(SCALARS["Datetime"], description=description)
    return {IF_VERSION: argument} if class_.versioned else {}


def given(class_: Class, call: Call, *names: str) -> list[tuple[Instant, ...]]:
    """Return what each of several arguments may mean. Raises Refused with all that are wrong."""
    found: list[tuple[Instant, ...]] = []
    issues = []
    for name in names:
        try:
            found.append(parse_version_instant(call.arguments[name], call.context.caller.formats))
        except InvalidValue as mistake:
            issues.append(Subject(class_).issue(IssueType.DATA_TYPE, f"{name}: {mistake}", name))
    if issues:
        raise Refused(issues)
    return found


def relying(class_: Class, command: C, call: Call) -> C:
    """Return a command that relies on the version that a call names, if it does. Raises Refused."""
    if call.arguments.get(IF_VERSION) is None:
        return command
    (instants,) = given(class_, call, IF_VERSION)
    if isinstance(command, Create):
        message = f"{IF_VERSION} is for an object that is there: give its _id in data, or leave it out"
        raise Refused([Subject(class_).issue(IssueType.MALFORMED_REQUEST, message, IF_VERSION)])
    return replace(command, if_version=instants)
