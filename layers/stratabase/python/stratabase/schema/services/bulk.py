"""What the services in bulk share: which objects they are for."""

from collections.abc import Iterator
from functools import cached_property

from graphql import GraphQLArgument, GraphQLNonNull

from stratabase.domain.access.visibility import check_class
from stratabase.domain.issue import Issue, IssueType
from stratabase.domain.query.filter import MATCH_ALL
from stratabase.domain.query.page import PageFields, Query
from stratabase.domain.subject import Subject
from stratabase.model.api_names import FILTER_EXP, GeneratedType
from stratabase.model.model import Class, Model
from stratabase.schema.context import Call
from stratabase.schema.generation import Generation
from stratabase.schema.grants import refuse
from stratabase.schema.query_reading import QueryReader

_ALL = 2**31 - 1
"""As many as may be asked for: how many are too many, the operations know."""
_CONDITIONS = ("filter", FILTER_EXP)
"""The options that say which objects are meant."""


class Selecting:
    """The `options` of a service in bulk: all that match the filter, unless they say how many.

    A condition that is null or empty is refused: nobody means all objects by a variable that is not set.
    So is a variable without a value in a filter, since GraphQL takes its field for not written: that would
    widen the filter, up to all objects below OR.
    """

    def __init__(self, model: Model, class_: Class) -> None:
        self._model = model
        self._class = class_

    def argument(self, generation: Generation) -> dict[str, GraphQLArgument]:
        """Return the argument."""
        return {"options": GraphQLArgument(GraphQLNonNull(generation.of(GeneratedType.OPTIONS, self._class)))}

    def query(self, call: Call) -> Query:
        """Return the query for the objects, which must be read to be found. Raises Refused."""
        access = call.context.access
        if access is not None:
            refuse([check_class(access, self._class)])
        query = self._reader.read(call.arguments["options"], PageFields(), call.context.asking)
        refuse(self._absent_conditions(call, selects_all=query.filter in (None, MATCH_ALL)))
        return query

    def _absent_conditions(self, call: Call, *, selects_all: bool) -> Iterator[Issue]:
        """Yield an issue for each condition that is written, but null or a variable that is not given.

        A whole option may be without a value beside another one: clients send all options that there are.
        """
        options, every = call.arguments["options"], f"that is every {self._class.name}"
        for name in _CONDITIONS:
            if selects_all and name in options and options[name] is None:
                yield self._issue(f"{name} is null, and {every}: leave it out if you mean that", name)
        for variable, (_, *path) in call.unset():
            if path and path[0] in _CONDITIONS and (selects_all or len(path) > 1):
                meant = every if selects_all else f"that may be more of {self._class.name}"
                text = f"${variable} has no value, and without that condition {meant}: give the variable"
                yield self._issue(text, *path)

    def _issue(self, text: str, *path: str | int) -> Issue:
        message = f"{self._class.name}: {text}"
        return Subject(self._class).issue(IssueType.MALFORMED_REQUEST, message, "options", *path)

    @cached_property
    def _reader(self) -> QueryReader:
        return QueryReader(self._model, self._class, most_items=_ALL, default_size=_ALL, skip_nulls=False)
