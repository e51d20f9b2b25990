"""`EntityID` and `EntityName`: what names one object of whatever class."""

from collections.abc import Iterable, Mapping
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLNonNull,
)

from stratabase.domain.objects.entity import Reference
from stratabase.model.api_names import ENTITY_ID, ENTITY_NAME, ID
from stratabase.model.model import Model

_CLASS = "entityName"


def entity_id_type(model: Model) -> GraphQLInputObjectType:
    """Return the input type; its enum has a value for each class, whatever services that has."""
    names = GraphQLEnumType(
        ENTITY_NAME,
        {name: GraphQLEnumValue(name) for name in model.classes},
        description="The classes.",
    )
    return GraphQLInputObjectType(
        ENTITY_ID,
        {
            _CLASS: GraphQLInputField(GraphQLNonNull(names), description="The class of the object."),
            ID: GraphQLInputField(GraphQLNonNull(GraphQLID)),
        },
        description="Names one object.",
    )


def references(given: Iterable[Mapping[str, Any]]) -> list[Reference]:
    """Return what is named by inputs."""
    return [Reference(each[_CLASS], each[ID]) for each in given]
