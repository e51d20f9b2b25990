"""A service: a verb, and the field that it makes for a class."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from graphql import GraphQLArgument, GraphQLField, GraphQLResolveInfo, located_error

from stratabase.domain.refusal import Refused
from stratabase.model.model import Class
from stratabase.schema import insight
from stratabase.schema.arguments import Arguments
from stratabase.schema.classes import Serves, is_ordinary
from stratabase.schema.context import Answering, Call, Context, Partial
from stratabase.schema.fetching.plan import plan
from stratabase.schema.fixed import disable_cache
from stratabase.schema.generation import Generation
from stratabase.schema.selections import Selections, names_of
from stratabase.schema.together import together

ANSWER = "answer"
"""The extension of a root field that holds what answers a call, for whoever executes it."""


class Serving(Protocol):
    """What makes fields for the classes that it serves."""

    @property
    def serves(self) -> Serves:
        """Whether a class has it."""

    def fields(self, generation: Generation, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        """Yield the fields of a class by their verbs."""


@dataclass(frozen=True, slots=True)
class Service:
    """A verb, the field that it makes for a class, and the classes that have it."""

    verb: str
    field: Callable[[Generation, Class], GraphQLField]
    serves: Serves = is_ordinary

    def fields(self, generation: Generation, class_: Class) -> Iterator[tuple[str, GraphQLField]]:
        """Yield the fields of a class by their verbs."""
        yield self.verb, self.field(generation, class_)


def answered(
    type_: Any, arguments: dict[str, GraphQLArgument], answer: Answering, description: str
) -> GraphQLField:
    """Return a root field that `answer` answers."""
    answer = insight.telling(answer)
    arguments = {**arguments, **insight.argument(), **disable_cache()}

    def resolve(_: Any, info: GraphQLResolveInfo[Context], **given: Any) -> Any:
        found = info.context.outcomes.of(str(info.path.key), lambda: answer(call_of(field, info, given)))
        if not isinstance(found, Partial):
            return found
        error = located_error(Refused(found.issues), info.field_nodes, info.path.as_list())
        info.context.errors.append(error)
        return found.source

    field = GraphQLField(type_, arguments, resolve, description=description, extensions={ANSWER: answer})
    return field


def call_of(field: GraphQLField, info: GraphQLResolveInfo[Context], given: dict[str, Any]) -> Call:
    """Return the call that graphql-core makes of a root field. Raises Refused."""
    selections = Selections(info.fragments, info.variable_values)
    names = names_of(selections.collect([node.selection_set for node in info.field_nodes]))
    planned = plan(selections, str(info.path.key), field, info.field_nodes)
    variables, context = info.variable_values, info.context
    fetch, _ = together(
        partial(planned.fetch, variables, context),
        partial(planned.check_formats, variables, context.caller.formats),
    )
    unset = partial(Arguments(field, info.field_nodes[0]).unset, variables)
    return Call(info.context, str(info.path.key), given, names, fetch, unset)
