"""The types of a schema by name, found without making all of them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import islice

from graphql import (
    GraphQLField,
    GraphQLInputObjectType,
    GraphQLNamedType,
    GraphQLObjectType,
    get_named_type,
)

from stratabase.core.model.api_names import candidate_class_names
from stratabase.core.model.model import Class, Model

Types = Mapping[str, GraphQLNamedType]
_MAX_STEPS = 3
"""How many fields away from the services of a class its types are searched."""
_MAX_CLASSES = 8
"""The number of classes to search before all types are made."""


class TypeMap(Mapping[str, GraphQLNamedType]):
    """The types that services lead to, by name. A type is made when it is looked up.

    `known` has the types that exist from the start, `services` returns the fields of a class's services, and
    `make_all` returns all types.
    """

    def __init__(
        self,
        model: Model,
        known: Types,
        services: Callable[[Class], Iterable[GraphQLField]],
        make_all: Callable[[], Types],
    ) -> None:
        self._model = model
        self._services = services
        self._make_every = make_all
        self._found = dict(known)

    def __getitem__(self, name: str) -> GraphQLNamedType:
        if name not in self._found:
            self._found[name] = self._search(name) or self._every[name]
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)

    @cached_property
    def _every(self) -> Types:
        return self._make_every()

    def _search(self, name: str) -> GraphQLNamedType | None:
        """Return the type with a name if the services of the likeliest classes lead to it."""
        # All types have been made already, so there is nothing to search.
        if "_every" in self.__dict__:
            return None
        # Making all types of a large model takes longer than a request. Search from the likeliest classes.
        for class_ in islice(_unique(self._candidate_classes(name)), _MAX_CLASSES):
            for types in islice(_types_by_distance(self._services(class_)), _MAX_STEPS):
                if name in types:
                    return types[name]
        return None

    def _candidate_classes(self, name: str) -> Iterator[Class]:
        """Yield the classes named in the type's name, then those that lead to these, then all others."""
        classes = self._model.classes
        own = [classes[each] for each in candidate_class_names(name) if each in classes]
        yield from own
        names = {name, *(class_.name for class_ in own)}
        yield from (class_ for class_ in classes.values() if names & _names_reached(class_))
        yield from classes.values()


def _unique(classes: Iterable[Class]) -> Iterator[Class]:
    return iter({class_.name: class_ for class_ in classes}.values())


def _names_reached(class_: Class) -> set[str]:
    """Return the classes that the roles of a class lead to, and the types of its attributes."""
    targets = {role.target for role in class_.roles.values()}
    return targets | {attribute.type.name for attribute in class_.attributes.values()}


def _types_by_distance(fields: Iterable[GraphQLField]) -> Iterator[dict[str, GraphQLNamedType]]:
    """Yield the types that fields lead to, then the types that these lead to, and so on."""
    types = {type_.name: type_ for field in fields for type_ in _types_of(field)}
    seen = dict(types)
    while types:
        yield types
        beyond = {further.name: further for type_ in types.values() for further in _types_in(type_)}
        types = {name: type_ for name, type_ in beyond.items() if name not in seen}
        seen |= types


def _types_in(type_: GraphQLNamedType) -> Iterator[GraphQLNamedType]:
    if isinstance(type_, GraphQLObjectType):
        for field in type_.fields.values():
            yield from _types_of(field)
    elif isinstance(type_, GraphQLInputObjectType):
        yield from (get_named_type(field.type) for field in type_.fields.values())


def _types_of(field: GraphQLField) -> Iterator[GraphQLNamedType]:
    yield get_named_type(field.type)
    yield from (get_named_type(argument.type) for argument in field.args.values())
