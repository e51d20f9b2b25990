"""The input types of roles: what is to be done with what a role leads to."""

from collections.abc import Callable, Mapping
from typing import Any

from graphql import GraphQLBoolean, GraphQLID, GraphQLInputField, GraphQLInputObjectType, GraphQLList

from stratabase.model.api_names import GeneratedType, type_name
from stratabase.model.model import Class
from stratabase.schema.generation import Generation

Given = GeneratedType | Any
"""A family of inputs of the class that the role leads to, or another type."""

_SEVERAL = {"add": [GraphQLID], "remove": [GraphQLID], "removeAll": GraphQLBoolean}

FIELDS: Mapping[GeneratedType, Mapping[str, Given]] = {
    GeneratedType.ROLE_REF: {"set": GraphQLID, "remove": GraphQLBoolean},
    GeneratedType.ROLE_REFS: _SEVERAL,
    GeneratedType.DRAFT_ROLE_REFS: _SEVERAL,
    GeneratedType.ROLE_OBJECT: {
        "create": GeneratedType.CREATE,
        "update": GeneratedType.UPDATE,
        "delete": GraphQLBoolean,
    },
    GeneratedType.ROLE_OBJECTS: {
        "create": [GeneratedType.CREATE],
        "update": [GeneratedType.UPDATE],
        "delete": [GraphQLID],
        "deleteAll": GraphQLBoolean,
    },
    GeneratedType.DRAFT_ROLE_OBJECTS: {
        "save": [GeneratedType.DRAFT],
        "delete": [GraphQLID],
        "deleteAll": GraphQLBoolean,
    },
    GeneratedType.DRAFT_UPDATE_ROLE_OBJECT: {
        "create": GeneratedType.DRAFT_CREATE,
        "update": GeneratedType.DRAFT_UPDATE,
        "delete": GraphQLBoolean,
    },
    GeneratedType.DRAFT_UPDATE_ROLE_OBJECTS: {
        "create": [GeneratedType.DRAFT_CREATE],
        "update": [GeneratedType.DRAFT_UPDATE],
        "delete": [GraphQLID],
        "deleteAll": GraphQLBoolean,
    },
}
"""What each has; a list in brackets."""


def maker(family: GeneratedType) -> Callable[[Generation, Class], GraphQLInputObjectType]:
    """Return what makes the inputs of a family for the classes that roles lead to."""

    def make(generation: Generation, class_: Class) -> GraphQLInputObjectType:
        def fields() -> dict[str, GraphQLInputField]:
            return {
                name: GraphQLInputField(_type(generation, class_, given))
                for name, given in FIELDS[family].items()
            }

        return GraphQLInputObjectType(type_name(class_.name, family), fields)

    return make


def _type(generation: Generation, class_: Class, given: Given) -> Any:
    if isinstance(given, list):
        return GraphQLList(_type(generation, class_, given[0]))
    return generation.of(given, class_) if isinstance(given, GeneratedType) else given
