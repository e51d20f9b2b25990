"""A service: a verb, and the field that it makes for a class."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphql import GraphQLArgument, GraphQLField, GraphQLResolveInfo

from stratabase.model.class_ import Class, Kind
from stratabase.schema.context import Call, Context
from stratabase.schema.generation import Generation
from stratabase.schema.selections import selected_names

ANSWER = "answer"
"""The extension of a root field that holds what answers a call, for whoever executes it."""

Answering = Callable[[Call], Any]


def is_ordinary(class_: Class) -> bool:
    """Return whether a class has the services of an ordinary one."""
    return class_.kind is Kind.ORDINARY and not class_.part and class_.exposed


@dataclass(frozen=True, slots=True)
class Service:
    """A verb, the field that it makes for a class, and the classes that have it."""

    verb: str
    field: Callable[[Generation, Class], GraphQLField]
    serves: Callable[[Class], bool] = is_ordinary


def answered(
    type_: Any, arguments: dict[str, GraphQLArgument], answer: Answering, description: str
) -> GraphQLField:
    """Return a root field that `answer` answers."""

    def resolve(_: Any, info: GraphQLResolveInfo[Context], **given: Any) -> Any:
        call = Call(info.context, given, selected_names(info))
        return info.context.outcomes.of(str(info.path.key), lambda: answer(call))

    return GraphQLField(type_, arguments, resolve, description=description, extensions={ANSWER: answer})
