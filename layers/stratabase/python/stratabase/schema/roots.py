"""The root types: the services of all classes, those of a class made when one of them is first asked for."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import RLock

from graphql import GraphQLField, GraphQLObjectType

from stratabase.model.api_names import class_name_of, service_name
from stratabase.model.model import Class
from stratabase.schema.generation import Generation
from stratabase.schema.services import Serving


class RootFields(Mapping[str, GraphQLField]):
    """The fields of a root type, by name, in the order of the model's classes and then of the services."""

    def __init__(
        self,
        generation: Generation,
        services: Sequence[Serving],
        more: Mapping[str, Callable[[Generation], GraphQLField]],
    ) -> None:
        """`more`: what makes the fields that are no class's."""
        self._generation = generation
        self._services = services
        self._more = more
        self._made_more: dict[str, GraphQLField] = {}
        self._made: dict[str, dict[str, GraphQLField]] = {}
        self._door = RLock()

    def of(self, class_: Class) -> Mapping[str, GraphQLField]:
        """Return the fields of one class."""
        if class_.name not in self._made:
            with self._door:
                if class_.name not in self._made:
                    self._made[class_.name] = dict(self._fields(class_))
        return self._made[class_.name]

    def _fields(self, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        for each in self._services:
            if each.serves(class_):
                for verb, field in each.fields(self._generation, class_):
                    yield service_name(class_.name, verb), field

    def __getitem__(self, name: str) -> GraphQLField:
        if name in self._more:
            return self._of_the_model(name)
        class_ = self._generation.model.classes.get(class_name_of(name))
        if class_ is None:
            raise KeyError(name)
        return self.of(class_)[name]

    def __iter__(self) -> Iterator[str]:
        for class_ in self._generation.model.classes.values():
            yield from self.of(class_)
        yield from self._more

    def _of_the_model(self, name: str) -> GraphQLField:
        if name not in self._made_more:
            with self._door:
                if name not in self._made_more:
                    self._made_more[name] = self._more[name](self._generation)
        return self._made_more[name]

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def copy(self) -> dict[str, GraphQLField]:
        """Return all fields, as graphql-core asks for them to make a type like this one."""
        return dict(self)


class RootType(GraphQLObjectType):
    """`Query` or `Mutation`."""

    def __init__(self, name: str, fields: RootFields) -> None:
        super().__init__(name, {})
        # Where graphql-core would keep them once it had made all of them, and checked each one's name.
        self.fields = fields

    def of(self, class_: Class) -> Mapping[str, GraphQLField]:
        """Return the fields of one class."""
        fields = self.fields
        assert isinstance(fields, RootFields)
        return fields.of(class_)
