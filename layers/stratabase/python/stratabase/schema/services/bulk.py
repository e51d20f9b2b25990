"""What the services in bulk share: which objects they are for."""

from functools import cached_property

from graphql import GraphQLArgument, GraphQLNonNull

from stratabase.domain.access.reading import check_class
from stratabase.domain.page import Query, Wanted
from stratabase.model.class_ import Class
from stratabase.model.model import Model
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.grants import refuse
from stratabase.schema.names import Family
from stratabase.schema.query_reading import QueryReader

_ALL = 2**31 - 1
"""As many as may be asked for: how many are too many, the operations know."""


class Selecting:
    """The `options` of a service in bulk: all that match the filter, unless they say how many."""

    def __init__(self, model: Model, class_: Class) -> None:
        self._model = model
        self._class = class_

    def argument(self, generation: Generation) -> dict[str, GraphQLArgument]:
        """Return the argument."""
        return {"options": GraphQLArgument(GraphQLNonNull(generation.of(Family.OPTIONS, self._class)))}

    def query(self, call: Call) -> Query:
        """Return the query for the objects, which must be read to be found. Raises Refused."""
        access = call.context.access
        if access is not None:
            refuse([check_class(access, self._class)])
        return self._reader.read(call.arguments["options"], Wanted(), call.context.asking)

    @cached_property
    def _reader(self) -> QueryReader:
        return QueryReader(self._model, self._class, most_items=_ALL, default_size=_ALL)
