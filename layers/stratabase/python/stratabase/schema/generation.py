"""The types of one schema while it is generated, each made once."""

from collections.abc import Callable, Mapping
from functools import cached_property
from threading import RLock
from typing import Any

from graphql import (
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLEnumValue,
    GraphQLID,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLNamedType,
    GraphQLString,
)

from stratabase.model.api_names import GeneratedType
from stratabase.model.attribute import Attribute
from stratabase.model.model import Class, Model
from stratabase.schema.entity_ids import entity_id_type
from stratabase.schema.fixed import FILE_INFO_TYPE, PENDING_FILE_REFERENCE_TYPE
from stratabase.schema.scalars import SCALARS

Maker = Callable[["Generation", Class], GraphQLNamedType]

_COMMON: Mapping[str, GraphQLNamedType] = {
    "ID": GraphQLID,
    "String": GraphQLString,
    "Int": GraphQLInt,
    "Boolean": GraphQLBoolean,
    **SCALARS,
}


class Generation:
    """Gives out the type of a family for a class, and that of an attribute, made when first asked for."""

    def __init__(self, model: Model, makers: Mapping[GeneratedType, Maker]) -> None:
        self.model = model
        self._makers = makers
        self._door = RLock()
        self._made: dict[tuple[GeneratedType, str], GraphQLNamedType] = {}
        enumerations = {name: self._enumeration(name) for name in model.enumerations}
        self._outputs = {**_COMMON, "File": FILE_INFO_TYPE, **enumerations}
        self._inputs = {**_COMMON, "File": PENDING_FILE_REFERENCE_TYPE, **enumerations}

    def of(self, family: GeneratedType, class_: Class) -> Any:
        """Return a class's type of a family."""
        place = (family, class_.name)
        if place not in self._made:
            with self._door:
                if place not in self._made:
                    self._made[place] = self._makers[family](self, class_)
        return self._made[place]

    def output(self, attribute: Attribute) -> Any:
        """Return the type in which an attribute is answered."""
        return self._outputs[attribute.type.name]

    def input(self, attribute: Attribute) -> Any:
        """Return the type in which an attribute is given."""
        return self._inputs[attribute.type.name]

    @cached_property
    def entity_id(self) -> GraphQLInputObjectType:
        """The input that names one object of whatever class."""
        return entity_id_type(self.model)

    def _enumeration(self, name: str) -> GraphQLEnumType:
        enumeration = self.model.enumerations[name]
        values = {
            value: GraphQLEnumValue(value, description=description)
            for value, description in enumeration.values.items()
        }
        return GraphQLEnumType(name, values, description=enumeration.description)
