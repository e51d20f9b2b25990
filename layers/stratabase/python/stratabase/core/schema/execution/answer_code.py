"""Compile a selection to Python functions that shape the answer."""

from collections.abc import Callable, Sequence
from textwrap import indent
from types import CodeType
from typing import Any

from graphql import (
    FieldNode,
    GraphQLEnumType,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    VariableNode,
    get_argument_values,
)

from stratabase.core import waiting
from stratabase.core.model.api_names import CURSOR
from stratabase.core.model.attribute import Attribute
from stratabase.core.model.types import ID_TYPE, TYPES
from stratabase.core.schema.execution.cache import BoundedCache
from stratabase.core.schema.execution.selections import Selections, names_of
from stratabase.core.schema.types.attribute_types import MOMENT, MomentField
from stratabase.core.schema.types.attributes import ATTRIBUTE, AttributeField
from stratabase.core.schema.types.files import LINK, file_source
from stratabase.core.schema.types.objects import ROLE, nested_key
from stratabase.values.formats.date_pattern import SliceFormat
from stratabase.values.formats.preferences import Formats


class NeedsGraphQLCore(Exception):
    """Only graphql-core can execute the operation, or complete a value."""


def reject() -> Any:
    """Raise NeedsGraphQLCore, within an expression."""
    raise NeedsGraphQLCore


PIECE = 50
"""The number of objects of a list after which other requests have their turn."""
MAX_COMPILED_CHARACTERS = 262_144
"""In characters of source. The code takes about 5 bytes for each."""
_COMPILED: BoundedCache[str, CodeType] = BoundedCache(MAX_COMPILED_CHARACTERS, lambda source, _: len(source))
"""By source: its code, which does not depend on the model."""


class AnswerCode:
    """Python source under construction, with the values that it refers to.

    The source has no names of fields: they are among the values. So selections of as many fields of the same
    kinds have the same source, which is compiled once.
    """

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[str, Any] = {"reject": reject}

    def bind(self, value: Any) -> str:
        """Return a name by which the source can use a value."""
        name = f"c{len(self._names)}"
        self._names[name] = value
        return name

    def add_function(self, expression: str) -> str:
        """Add a function of `source`, and return its name.

        In `expression`, `g` is the method `get` of that dict, and `base_url` is the root URL of all links.
        """
        name = f"f{len(self._lines)}"
        self._lines.append(f"def {name}(source):\n    g = source.get\n    return {expression}\n")
        return name

    def compile(self, name: str) -> "ShapeAnswer":
        """Compile the source, and return the function with a name, which also takes the root URL of links."""
        names = dict(self._names)
        # The functions are inside another one, so that they know the URL, and no call has to pass it.
        functions = indent("\n".join(self._lines), "    ")
        source = f"def shape(source, base_url):\n{functions}\n    return {name}(source)\n"
        code = _COMPILED.get_or_make(source, lambda: compile(source, "<answer>", "exec"))
        exec(code, names)  # noqa: S102 - no text of a client is in it
        shape: ShapeAnswer = names["shape"]
        return shape


ShapeAnswer = Callable[[Any, str], Any]
"""Makes the answer of a field from its source value and the root URL of all links."""

_PYTHON = {CURSOR: "str"} | {
    each.name: each.storage.python_type.__name__
    for each in (ID_TYPE, *TYPES.values())
    if not (each.has_serializer or each.holds_file)
}
"""By scalar: the one Python type whose values need no conversion."""


class AnswerCompiler:
    """Compiles the fields of one document, for a member's formats."""

    def __init__(self, selections: Selections, formats: Formats) -> None:
        self._selections = selections
        self._formats = formats

    def compile(self, key: str, type_: GraphQLObjectType, nodes: Sequence[FieldNode]) -> ShapeAnswer:
        """Return the function that makes the answer of an object field from its source.

        `key` is its response key.

        The function raises NeedsGraphQLCore if a value is not plainly correct. Raises NeedsGraphQLCore if
        the selection cannot be compiled, and InvalidValue for an invalid format.
        """
        code = AnswerCode()
        return code.compile(self._object(code, key, type_, nodes))

    def _object(
        self, code: AnswerCode, above: str, type_: GraphQLObjectType, nodes: Sequence[FieldNode]
    ) -> str:
        """Add the function for the objects that the field with the key `above` shows, and return its name."""
        collected = self._selections.collect([node.selection_set for node in nodes])
        entries = (
            f"{code.bind(key)}: {self._entry(code, (above, key), type_, nodes)}"
            for key, nodes in collected.items()
        )
        return code.add_function("{" + ", ".join(entries) + "}")

    def _entry(
        self, code: AnswerCode, keys: tuple[str, str], parent: GraphQLObjectType, nodes: Sequence[FieldNode]
    ) -> str:
        name = nodes[0].name.value
        if name == "__typename":
            return code.bind(parent.name)
        field = parent.fields[name]
        # A null in a non-null field is an error, which graphql-core must report.
        nullable = not isinstance(field.type, GraphQLNonNull)
        type_ = field.type if nullable else field.type.of_type
        value = self._value_expression(code, keys[-1], field, type_, nodes)
        source = self._source_expression(code, keys, field, nodes)
        return f"({'None' if nullable else 'reject()'} if (v := {source}) is None else {value})"

    def _source_expression(
        self, code: AnswerCode, keys: tuple[str, str], field: GraphQLField, nodes: Sequence[FieldNode]
    ) -> str:
        """Return the expression for the source value of a field."""
        shown: AttributeField | None = field.extensions.get(ATTRIBUTE)
        if shown is not None and shown.attribute.type.holds_file and self._selects_link(nodes):
            source = file_source(shown.owner.name, shown.attribute.name)
            return f"{code.bind(source)}(source, base_url)"
        return f"g({code.bind(nested_key(*keys) if ROLE in field.extensions else nodes[0].name.value)})"

    def _selects_link(self, nodes: Sequence[FieldNode]) -> bool:
        """Return whether the link of a file is selected. The other fields are those of the stored value."""
        return LINK in names_of(self._selections.collect([node.selection_set for node in nodes]))

    def _value_expression(
        self, code: AnswerCode, key: str, field: GraphQLField, type_: Any, nodes: Sequence[FieldNode]
    ) -> str:
        """Return the expression for the answer of a value `v` that is not null."""
        if isinstance(type_, GraphQLObjectType):
            return f"{self._object(code, key, type_, nodes)}(v)"
        if isinstance(type_, GraphQLList):
            return self._list(code, key, type_, nodes)
        extensions = field.extensions
        shown: AttributeField | MomentField | None = extensions.get(ATTRIBUTE) or extensions.get(MOMENT)
        if shown is not None and shown.attribute.type.has_serializer:
            writer = self._writer(shown.attribute, field, nodes[0])
            if isinstance(writer, SliceFormat) and writer.expression:
                return writer.expression
            # Serial numbers are integers. What else `str` writes is text already.
            return "(v if v.__class__ is str else str(v))" if writer is str else f"{code.bind(writer)}(v)"
        if isinstance(type_, GraphQLEnumType):
            return f"(v if v in {code.bind(frozenset(type_.values))} else reject())"
        return self._scalar(type_.name)

    def _list(self, code: AnswerCode, key: str, type_: Any, nodes: Sequence[FieldNode]) -> str:
        item = type_.of_type
        if not isinstance(item, GraphQLNonNull):
            raise NeedsGraphQLCore(str(type_))
        if isinstance(item.of_type, GraphQLObjectType):
            shape = self._object(code, key, item.of_type, nodes)
            in_pieces = f"{code.bind(_shape_in_pieces)}({shape}, v)"
            return f"([{shape}(each) for each in v] if len(v) <= {PIECE} else {in_pieces})"
        return f"[{self._scalar(item.of_type.name)} for v in v]"

    def _scalar(self, name: str) -> str:
        if name not in _PYTHON:
            raise NeedsGraphQLCore(name)
        return f"(v if v.__class__ is {_PYTHON[name]} else reject())"

    def _writer(self, attribute: Attribute, field: GraphQLField, node: FieldNode) -> Callable[[Any], Any]:
        # The format becomes part of the compiled function, so it must be the same for each request.
        if any(isinstance(argument.value, VariableNode) for argument in node.arguments or ()):
            raise NeedsGraphQLCore("an argument that depends on a variable")
        pattern = get_argument_values(field, node).get("format") or "default"
        return attribute.type.serializer(pattern, self._formats)


def _shape_in_pieces(shape: Callable[[Any], Any], sources: Sequence[Any]) -> list[Any]:
    """Return the answers of the objects of a long list, and let other requests proceed meanwhile."""
    found = list[Any]()
    for start in range(0, len(sources), PIECE):
        found += [shape(each) for each in sources[start : start + PIECE]]
        waiting.give_way()
    return found
