"""What the services in bulk share: which objects they are for."""

from functools import cached_property

from graphql import GraphQLArgument, GraphQLNonNull

from stratabase.domain.page import Query, Wanted
from stratabase.model.class_ import Class
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.names import Family
from stratabase.schema.query_reading import QueryReader

_ALL = 2**31 - 1
"""As many as may be asked for: how many are too many, the operations know."""


class Selecting:
    """The `options` of a service in bulk: all that match the filter, unless they say how many."""

    def __init__(self, class_: Class) -> None:
        self._class = class_

    def argument(self, generation: Generation) -> dict[str, GraphQLArgument]:
        """Return the argument."""
        return {"options": GraphQLArgument(GraphQLNonNull(generation.of(Family.OPTIONS, self._class)))}

    def query(self, call: Call) -> Query:
        """Return the query for the objects. Raises Refused."""
        return self._reader.read(call.arguments["options"], Wanted(), call.context.caller.formats)

    @cached_property
    def _reader(self) -> QueryReader:
        return QueryReader(self._class, most_items=_ALL, default_size=_ALL)
