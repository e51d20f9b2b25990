"""The registry of the types of one schema, which makes each type once."""

from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from threading import RLock
from typing import Any, Generic, TypeVar

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

from stratabase.core.domain.access.capabilities import Capabilities
from stratabase.core.model.api_names import GeneratedType
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.model import Class, Model
from stratabase.core.schema.types.attribute_types import SCALARS, InputEnumType
from stratabase.core.schema.types.files import FILE_INFO_TYPE, PENDING_FILE_REFERENCE_TYPE
from stratabase.core.schema.types.locks import entity_id_type

TypeFactory = Callable[["TypeRegistry", Class], GraphQLNamedType]

_COMMON: Mapping[str, GraphQLNamedType] = {
    "ID": GraphQLID,
    "String": GraphQLString,
    "Int": GraphQLInt,
    "Boolean": GraphQLBoolean,
    **SCALARS,
}

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LazyMapping(Generic[K, V]):
    """A mapping that makes each value when it is first looked up. Threads may share it.

    Making a value may look up others.
    """

    def __init__(self, make: Callable[[K], V]) -> None:
        self._make = make
        self._values: dict[K, V] = {}
        self._lock = RLock()

    def __getitem__(self, key: K) -> V:
        if key not in self._values:
            # Another thread may be making the value, so check again under the lock. The lock is reentrant,
            # because making a type may need others.
            with self._lock:
                if key not in self._values:
                    self._values[key] = self._make(key)
        return self._values[key]


class TypeRegistry:
    """Returns the type of a family for a class, and the type of an attribute.

    Each is made when first used.
    """

    def __init__(
        self,
        model: Model,
        factories: Mapping[GeneratedType, TypeFactory],
        capabilities: Capabilities | None = None,
    ) -> None:
        """`capabilities` determine what the types show. None stands for full access."""
        self.model = model
        self.capabilities = capabilities or Capabilities(model)
        self._factories = factories
        self._types = LazyMapping(self._make)
        enumerations = {name: self._enumeration(name) for name in model.enumerations}
        self._outputs = {**_COMMON, "File": FILE_INFO_TYPE, **enumerations}
        self._inputs = {**_COMMON, "File": PENDING_FILE_REFERENCE_TYPE, **enumerations}

    def type_of(self, family: GeneratedType, class_: Class) -> Any:
        """Return a class's type of a family."""
        return self._types[family, class_.name]

    def output_type(self, attribute: Attribute) -> Any:
        """Return the type of an attribute in answers."""
        return self._outputs[attribute.type.name]

    def input_type(self, attribute: Attribute) -> Any:
        """Return the type of an attribute in inputs."""
        return self._inputs[attribute.type.name]

    @cached_property
    def entity_id_type(self) -> GraphQLInputObjectType:
        """The input type that identifies one object of any class that can be locked."""
        locks = self.capabilities.locks
        return entity_id_type([name for name, class_ in self.model.classes.items() if locks(class_)])

    def _make(self, key: tuple[GeneratedType, str]) -> GraphQLNamedType:
        family, class_name = key
        return self._factories[family](self, self.model.classes[class_name])

    def _enumeration(self, name: str) -> GraphQLEnumType:
        enumeration = self.model.enumerations[name]
        values = {
            value: GraphQLEnumValue(value, description=description)
            for value, description in enumeration.values.items()
        }
        return InputEnumType(name, values, description=enumeration.description)
