"""What the services share that are given an input: how it becomes a command."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from graphql import GraphQLArgument, GraphQLNonNull

from stratabase.domain.write.commands import Create, Update
from stratabase.model.api_names import GeneratedType
from stratabase.model.model import Class
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.inputs.reading import Reading

Read = Callable[[Reading, Class, Mapping[str, Any]], Create | Update]
"""Reads the command that an input comes to."""


def data(generation: Generation, class_: Class, family: GeneratedType) -> dict[str, GraphQLArgument]:
    """Return the argument that takes an input of a family."""
    return {"data": GraphQLArgument(GraphQLNonNull(generation.of(family, class_)))}


class Given(NamedTuple):
    """Inputs of a family, and how they are read."""

    family: GeneratedType
    read: Read

    def argument(self, generation: Generation, class_: Class) -> dict[str, GraphQLArgument]:
        """Return the argument that takes one."""
        return data(generation, class_, self.family)

    def command(self, reading: Reading, class_: Class, call: Call) -> Create | Update:
        """Return what a call asks for."""
        return self.read(reading, class_, call.arguments["data"])


def creating(family: GeneratedType) -> Given:
    """Return inputs that make an object."""
    return Given(family, lambda reading, class_, data: reading.create(family, class_, data))


def updating(family: GeneratedType) -> Given:
    """Return inputs that change an object."""
    return Given(family, lambda reading, class_, data: reading.update(family, class_, data))


def saving() -> Given:
    """Return inputs that change an object if they have an id, and make one otherwise."""
    return Given(GeneratedType.DRAFT, lambda reading, class_, data: reading.save(class_, data))
