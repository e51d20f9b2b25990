"""Errors of documents and variables: with advice, equal ones merged, and in a form that a cache may keep."""

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphql import GraphQLError, GraphQLInputObjectType, GraphQLSchema, GraphQLSyntaxError, ValueNode
from graphql.language import ListValueNode, ObjectValueNode
from graphql.utilities import validate_input_literal
from graphql.validation import ValuesOfCorrectTypeRule

from stratabase.core.domain.issues.equal_issues import MAX_EQUAL_ISSUES, with_places
from stratabase.values.frozen import frozen
from stratabase.values.messages import _, or_list

_MAX_NAMED_FIELDS = 4
"""An input with more fields is described in the schema. Those that change a role have at most four."""
_NO_OBJECT = re.compile(r"Expected value of type '(\w+)!?' to be an object")
_NOT_NONE = re.compile(r"not to be None(?=\.?$)")
_SHOWN_VALUE = re.compile(r"(?:cannot represent [^:]*|, found): (.+)$", re.DOTALL)
_PYTHON_VALUE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b(?:None|True|False)\b""", re.DOTALL)
_PLACE = re.compile(r"Variable '\$(?P<variable>\w+)' has invalid value at (?P<path>[^:]+): ")
_POSITION = re.compile(r"\[\d+\]")
_OBJECT_FOR_ID = re.compile(r"ID cannot represent .*?value: \{")


def with_advice(error: GraphQLError, schema: Callable[[], GraphQLSchema]) -> GraphQLError:
    """Return an error of a value as JSON has it, with advice if an object or an ID is expected.

    `schema` returns the schema that the caller sees.
    """
    text = _in_json(error.message)
    if text != error.message:
        error = _changed(error, text)
    if match := _NO_OBJECT.search(error.message):
        type_ = schema().type_map.get(match[1])
        if isinstance(type_, GraphQLInputObjectType) and len(type_.fields) <= _MAX_NAMED_FIELDS:
            fields = or_list(type_.fields)
            advice = _("{problem} Use an object with {fields}.", problem=error.message, fields=fields)
            return _changed(error, advice)
    elif _OBJECT_FOR_ID.search(error.message):
        advice = _("{problem}. Use the _id of an object that exists.", problem=error.message)
        return _changed(error, advice)
    return error


def _in_json(message: str) -> str:
    """Return a message of graphql-core that shows values as JSON does, and not as Python does."""
    message = _NOT_NONE.sub("not to be null", message)
    if match := _SHOWN_VALUE.search(message):
        shown = _PYTHON_VALUE.sub(lambda found: _json_of(found[0]), match[1])
        return f"{message[: match.start(1)]}{shown}"
    return message


def _json_of(literal: str) -> str:
    """Return the JSON of a literal of Python, or the literal if it is cut off."""
    try:
        return json.dumps(ast.literal_eval(literal), ensure_ascii=False)
    except (SyntaxError, ValueError):
        return literal


def merge_equal_errors(errors: Sequence[GraphQLError]) -> list[GraphQLError]:
    """Return errors of variables in their order, with one for many that differ only in positions in lists.

    See `merge_equal` of issues.
    """
    groups: dict[str, list[GraphQLError]] = {}
    for error in errors:
        groups.setdefault(_without_positions(error.message), []).append(error)
    merged: list[GraphQLError] = []
    for group in groups.values():
        found = [match for each in group if (match := _PLACE.match(each.message))]
        places = [f"${match['variable']}{match['path']}" for match in found]
        if len(places) <= MAX_EQUAL_ISSUES:
            merged += group
        else:
            merged.append(_changed(group[0], with_places(_ended(group[0].message), places)))
    return merged


def of_first_kinds(errors: Iterable[GraphQLError], maximum: int) -> Iterator[GraphQLError]:
    """Yield the errors of variables that remain some of the first ones when equal ones are merged."""
    kinds: set[str] = set()
    for error in errors:
        kind = _without_positions(error.message)
        if kind in kinds or len(kinds) < maximum:
            kinds.add(kind)
            yield error


def _without_positions(message: str) -> str:
    match = _PLACE.match(message)
    return message if match is None else _POSITION.sub("[]", match[0]) + message[match.end() :]


def _ended(sentence: str) -> str:
    """Return a sentence with a period at its end."""
    return sentence if sentence.endswith(".") else f"{sentence}."


class ValuesWithPlaces(ValuesOfCorrectTypeRule):
    """The rule on literals, whose errors have advice, and all have a place."""

    def is_valid_value_node(self, node: ValueNode, input_type: Any) -> Any:
        """Report the errors of a literal."""
        schema = self.context.schema

        def report(error: GraphQLError, path: list[str | int]) -> None:
            self.report_error(with_advice(_placed(error, node, path), lambda: schema))

        if input_type:
            validate_input_literal(node, input_type, report, hide_suggestions=self.context.hide_suggestions)
        return self.SKIP


def _placed(error: GraphQLError, root: ValueNode, path: Sequence[str | int]) -> GraphQLError:
    """Return an error with the place of the value at a path. graphql-core loses the places of objects."""
    if error.locations:
        return error
    node = root
    for key in path:
        if isinstance(node, ObjectValueNode):
            node = next(field.value for field in node.fields if field.name.value == key)
        elif isinstance(node, ListValueNode):
            node = node.values[int(key)]
    place = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    if not place:
        return _changed(error, error.message, node)
    message = _("Invalid value at {place}: {problem}", place=place, problem=error.message)
    return _changed(error, message, node)


def _changed(error: GraphQLError, message: str, node: ValueNode | None = None) -> GraphQLError:
    """Return an error with another message, and with the place of a node if there is one."""
    return GraphQLError(message, node or error.nodes, original_error=error.original_error)


@frozen
class DocumentError:
    """An error that a cache may keep.

    An exception must not be kept: its traceback refers to the frames of all callers, and so to the whole
    request. An error of graphql-core also refers to the nodes of the document.
    """

    message: str
    """A Message, unless it is one of graphql-core, which are in English."""
    formatted: Mapping[str, Any]
    """What responses show besides the message and its classification: places and paths."""
    positions: frozenset[int]
    """Where the error is in the text of the document, in characters."""
    is_syntax_error: bool

    @classmethod
    def of(cls, error: GraphQLError) -> "DocumentError":
        """Return what responses show of an error."""
        return cls(
            _without_internals(error),
            error.formatted,
            frozenset(error.positions or ()),
            isinstance(error, GraphQLSyntaxError),
        )

    @property
    def size(self) -> int:
        """The approximate size of its texts, in bytes."""
        return len(self.message.encode(errors="replace"))


def _without_internals(error: GraphQLError) -> str:
    """Return the message of an error without Python's internals.

    For example, Python explains that it cannot convert an Int of 5,000 digits.
    """
    internal = error.original_error is not None and not isinstance(error.original_error, GraphQLError)
    if not internal:
        return error.message
    return _("{problem}. The value can't be read.", problem=error.message.partition(", but")[0])


Report = Callable[[BaseException, str], None]
"""Reports an exception that is a fault of the service, with the trace id."""
