"""The directives of the model language, and how a model's arguments are read."""

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any

from graphql.language import (
    ArgumentNode,
    BooleanValueNode,
    DefinitionNode,
    DirectiveDefinitionNode,
    DirectiveNode,
    EnumTypeDefinitionNode,
    EnumValueNode,
    InputValueDefinitionNode,
    IntValueNode,
    ListTypeNode,
    ListValueNode,
    Location,
    NamedTypeNode,
    NonNullTypeNode,
    NullValueNode,
    StringValueNode,
    Token,
    TokenKind,
    TypeNode,
    ValueNode,
    parse,
    print_ast,
)
from graphql.utilities import value_from_ast_untyped

from stratabase.core.model.language import language_text
from stratabase.core.model.reading.draft.errors import ModelError, error_at
from stratabase.core.model.reading.draft.model_draft import DirectiveUse, ListItem
from stratabase.values.frozen import frozen
from stratabase.values.messages import and_list, or_list
from stratabase.values.wording import shorten

_PROSE = frozenset({TokenKind.STRING, TokenKind.BLOCK_STRING, TokenKind.COMMENT})


@frozen
class DirectiveArgument:
    """An argument of a directive, as the language defines it."""

    name: str
    type: str
    many: bool
    required: bool
    default: object
    spelling: str
    """The type in GraphQL syntax, such as `[String!]!`."""


@frozen
class Directive:
    """A directive of the language: its locations, its arguments, and whether it is repeatable."""

    name: str
    locations: tuple[str, ...]
    repeatable: bool
    parameters: Mapping[str, DirectiveArgument]


@frozen
class Language:
    """All directives of the language, and the enums of their arguments."""

    directives: Mapping[str, Directive]
    enumerations: Mapping[str, tuple[str, ...]]
    signatures: frozenset[tuple[str, ...]]

    def has(self, definition: DefinitionNode) -> bool:
        """Return whether a definition is a copy of one of the language, which a model may contain."""
        return _signature(definition) in self.signatures


@cache
def language() -> Language:
    """Return the model language."""
    definitions = parse(language_text()).definitions
    directives = [_directive(node) for node in definitions if isinstance(node, DirectiveDefinitionNode)]
    enumerations = [node for node in definitions if isinstance(node, EnumTypeDefinitionNode)]
    return Language(
        {directive.name: directive for directive in directives},
        {node.name.value: tuple(value.name.value for value in node.values or ()) for node in enumerations},
        frozenset(_signature(node) for node in definitions),
    )


def _directive(node: DirectiveDefinitionNode) -> Directive:
    parameters = [_parameter(argument) for argument in node.arguments or ()]
    locations = tuple(location.value for location in node.locations)
    return Directive(node.name.value, locations, node.repeatable, {one.name: one for one in parameters})


def _parameter(node: InputValueDefinitionNode) -> DirectiveArgument:
    return DirectiveArgument(
        name=node.name.value,
        type=_base(node.type),
        many=isinstance(_nullable(node.type), ListTypeNode),
        required=isinstance(node.type, NonNullTypeNode) and node.default_value is None,
        default=value_from_ast_untyped(node.default_value) if node.default_value else None,
        spelling=print_ast(node.type),
    )


def _nullable(node: TypeNode) -> TypeNode:
    return node.type if isinstance(node, NonNullTypeNode) else node


def _base(node: TypeNode) -> str:
    while not isinstance(node, NamedTypeNode):
        node = node.type  # type: ignore[attr-defined] # what is not named wraps another
    return node.name.value


def _signature(definition: DefinitionNode) -> tuple[str, ...]:
    """Return the tokens of a definition, without descriptions and comments."""
    location = definition.loc
    assert location is not None
    return tuple(token.value or token.kind.value for token in _tokens(location) if token.kind not in _PROSE)


def _tokens(location: Location) -> Iterator[Token]:
    token: Token | None = location.start_token
    while token is not None and token.end <= location.end:
        yield token
        token = token.next


MAX_ARGUMENT_INT = 2**31 - 1
"""The greatest Int of GraphQL, which has 32 bits."""
MIN_VALUE_SIMILARITY = 0.72
"""How similar an enum value must be to be suggested. The ratio of one letter in four that differs is 0.75."""


class InvalidArgument(ValueError):
    """A value that an argument can't have. `error` has the message and the place."""

    def __init__(self, node: ValueNode, message: str, word: str = "", among: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.error = error_at(node, message, word=word, among=among)


def read_directive(node: DirectiveNode, directive: Directive) -> tuple[DirectiveUse, list[ModelError]]:
    """Return a use of a directive with the values of its arguments, and the errors in the arguments."""
    written: dict[str, ArgumentNode] = {}
    errors = [*_check_known(node, directive, written), *_check_required(node, directive, written)]
    values: dict[str, Any] = {one.name: one.default for one in directive.parameters.values()}
    items: dict[str, tuple[ListItem, ...]] = {}
    for name, argument in written.items():
        values_read, value_errors = _read_items(argument.value, directive.parameters[name])
        errors += value_errors
        if directive.parameters[name].many and not isinstance(argument.value, NullValueNode):
            items[name], values[name] = values_read, tuple(value for value, _ in values_read)
        elif values_read:
            values[name] = values_read[0][0]
    return DirectiveUse(
        directive.name, node, values, _without_nulls(written), items, is_valid=not errors
    ), errors


def _check_known(
    node: DirectiveNode, directive: Directive, written: dict[str, ArgumentNode]
) -> Iterator[ModelError]:
    """Fill `written` with the valid arguments, by name. Yield an error for each unknown or repeated one."""
    for argument in node.arguments or ():
        name, known = argument.name.value, directive.parameters
        if name not in known:
            text = f'@{directive.name} has no argument "{shorten(name)}". It takes {and_list(known)}.'
            yield error_at(argument, text, word=name, among=known)
        elif name in written:
            yield error_at(argument, f'@{directive.name} already has the argument "{name}". Remove one.')
        else:
            written[name] = argument


def _check_required(
    node: DirectiveNode, directive: Directive, written: Mapping[str, ArgumentNode]
) -> Iterator[ModelError]:
    for parameter in directive.parameters.values():
        if parameter.required and parameter.name not in written:
            text = f"@{directive.name} needs the argument {parameter.name} ({parameter.spelling})."
            yield error_at(node, text)


def _without_nulls(written: Mapping[str, ArgumentNode]) -> dict[str, ArgumentNode]:
    """Return the arguments without those that are null, which means the same as leaving them out."""
    return {name: node for name, node in written.items() if not isinstance(node.value, NullValueNode)}


def _read_items(
    node: ValueNode, parameter: DirectiveArgument
) -> tuple[tuple[ListItem, ...], list[ModelError]]:
    """Return the valid values of an argument, which is one value or a list, and the errors in the others."""
    if isinstance(node, NullValueNode) and not parameter.required:
        return (), []
    # As everywhere in GraphQL, one value may stand where a list is expected.
    nodes = node.values if parameter.many and isinstance(node, ListValueNode) else (node,)
    items: list[ListItem] = []
    errors: list[ModelError] = []
    for one in nodes:
        try:
            items.append((_read_value(one, parameter), one))
        except InvalidArgument as invalid:
            errors.append(invalid.error)
    return tuple(items), errors


def _read_value(node: ValueNode, parameter: DirectiveArgument) -> Any:
    if isinstance(node, NullValueNode):
        raise InvalidArgument(node, f"{parameter.name} must be {parameter.spelling}, not null.")
    if parameter.type in _READERS:
        return _READERS[parameter.type](node, parameter)
    return _read_enum(node, parameter)


def _read_string(node: ValueNode, parameter: DirectiveArgument) -> str:
    if not isinstance(node, StringValueNode):
        written = shorten(print_ast(node))
        raise InvalidArgument(
            node, f'{parameter.name} must be a String in quotes, not {written}. Write "{written}".'
        )
    return node.value


def _read_int(node: ValueNode, parameter: DirectiveArgument) -> int:
    if not isinstance(node, IntValueNode):
        raise InvalidArgument(
            node, f"{parameter.name} must be an Int without quotes, not {shorten(print_ast(node))}."
        )
    if len(node.value) > len(str(MAX_ARGUMENT_INT)) + 1 or abs(int(node.value)) > MAX_ARGUMENT_INT:
        limits = f"from -{MAX_ARGUMENT_INT} to {MAX_ARGUMENT_INT}"
        raise InvalidArgument(node, f"{parameter.name} must be {limits}, not {shorten(node.value)}.")
    return int(node.value)


def _read_boolean(node: ValueNode, parameter: DirectiveArgument) -> bool:
    if not isinstance(node, BooleanValueNode):
        raise InvalidArgument(
            node, f"{parameter.name} must be true or false, not {shorten(print_ast(node))}."
        )
    return node.value


def _read_enum(node: ValueNode, parameter: DirectiveArgument) -> str:
    """Return the name of an enum value. Raises InvalidArgument."""
    known = language().enumerations[parameter.type]
    if isinstance(node, EnumValueNode) and node.value in known:
        return node.value
    written = shorten(print_ast(node))
    text = f"{parameter.name} must be {or_list(known)}, not {written}."
    word = written.strip('"')
    # The message lists all values. So only a probable misspelling is suggested: none for WRITE, not CREATE.
    among = get_close_matches(word.upper(), known, cutoff=MIN_VALUE_SIMILARITY)
    raise InvalidArgument(node, text, word=word, among=tuple(among))


_READERS: Mapping[str, Callable[[ValueNode, DirectiveArgument], Any]] = {
    "String": _read_string,
    "Int": _read_int,
    "Boolean": _read_boolean,
}
