"""The types of a schema by their names, found without making all of them."""

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

from stratabase.model.api_names import candidate_class_names
from stratabase.model.model import Class, Model

Types = Mapping[str, GraphQLNamedType]

_STEPS = 3
"""How far from a class's services its types are looked for."""
_TRIES = 8
"""From how many classes' services, before all types are made."""


class TypeMap(Mapping[str, GraphQLNamedType]):
    """A name is in it if a service leads to a type of that name, be it made already or not.

    `first`: types that are there anyway; `services`: the fields of a class's services; `every`: all types.
    """

    def __init__(
        self,
        model: Model,
        first: Types,
        services: Callable[[Class], Iterable[GraphQLField]],
        every: Callable[[], Types],
    ) -> None:
        self._model = model
        self._services = services
        self._make_every = every
        self._found = dict(first)

    def __getitem__(self, name: str) -> GraphQLNamedType:
        if name not in self._found:
            self._found[name] = self._sought(name) or self._every[name]
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)

    @cached_property
    def _every(self) -> Types:
        return self._make_every()

    def _sought(self, name: str) -> GraphQLNamedType | None:
        """Return the type of a name where the services lead to it that are the likeliest to do so."""
        if "_every" in self.__dict__:
            return None
        for class_ in islice(_unique(self._likely(name)), _TRIES):
            for types in islice(_further_and_further(self._services(class_)), _STEPS):
                if name in types:
                    return types[name]
        return None

    def _likely(self, name: str) -> Iterator[Class]:
        """Yield the class whose type it may be, then those that lead there, then any."""
        classes = self._model.classes
        own = [classes[each] for each in candidate_class_names(name) if each in classes]
        yield from own
        names = {name, *(class_.name for class_ in own)}
        yield from (class_ for class_ in classes.values() if names & _leads(class_))
        yield from classes.values()


def _unique(classes: Iterable[Class]) -> Iterator[Class]:
    return iter({class_.name: class_ for class_ in classes}.values())


def _leads(class_: Class) -> set[str]:
    """Return the classes to which roles lead, and the types of attributes."""
    targets = {role.target for role in class_.roles.values()}
    return targets | {attribute.type.name for attribute in class_.attributes.values()}


def _further_and_further(fields: Iterable[GraphQLField]) -> Iterator[dict[str, GraphQLNamedType]]:
    """Yield the types to which fields lead, then those to which these lead, and so on."""
    types = {type_.name: type_ for field in fields for type_ in _types_of(field)}
    seen = dict(types)
    while types:
        yield types
        beyond = {further.name: further for type_ in types.values() for further in _next(type_)}
        types = {name: type_ for name, type_ in beyond.items() if name not in seen}
        seen |= types


def _next(type_: GraphQLNamedType) -> Iterator[GraphQLNamedType]:
    if isinstance(type_, GraphQLObjectType):
        for field in type_.fields.values():
            yield from _types_of(field)
    elif isinstance(type_, GraphQLInputObjectType):
        yield from (get_named_type(field.type) for field in type_.fields.values())


def _types_of(field: GraphQLField) -> Iterator[GraphQLNamedType]:
    yield get_named_type(field.type)
    yield from (get_named_type(argument.type) for argument in field.args.values())
