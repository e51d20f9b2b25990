"""The model language's own words, read from the directive definitions that are published for editors."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from graphql.language import (
    DefinitionNode,
    DirectiveDefinitionNode,
    EnumTypeDefinitionNode,
    InputValueDefinitionNode,
    ListTypeNode,
    Location,
    NamedTypeNode,
    NonNullTypeNode,
    Token,
    TokenKind,
    TypeNode,
    parse,
    print_ast,
)
from graphql.utilities import value_from_ast_untyped

_PROSE = frozenset({TokenKind.STRING, TokenKind.BLOCK_STRING, TokenKind.COMMENT})


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument that a directive takes."""

    name: str
    type: str
    many: bool
    required: bool
    default: object
    spelling: str
    """Its type as GraphQL writes it."""


@dataclass(frozen=True, slots=True)
class Directive:
    """A directive: where it may stand, how often, and with what arguments."""

    name: str
    locations: tuple[str, ...]
    repeatable: bool
    parameters: Mapping[str, Parameter]


@dataclass(frozen=True, slots=True)
class Language:
    """All directives, and the enums of their arguments."""

    directives: Mapping[str, Directive]
    enumerations: Mapping[str, tuple[str, ...]]
    signatures: frozenset[tuple[str, ...]]

    def has(self, definition: DefinitionNode) -> bool:
        """Return whether a definition is one of the language's own, so that a model may repeat it."""
        return _signature(definition) in self.signatures


@cache
def language() -> Language:
    """Return the language."""
    text = files("stratabase.model").joinpath("directives.graphql").read_text(encoding="utf-8")
    definitions = parse(text).definitions
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


def _parameter(node: InputValueDefinitionNode) -> Parameter:
    return Parameter(
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
    """Return a definition's words and signs, without descriptions and comments."""
    location = definition.loc
    assert location is not None
    return tuple(token.value or token.kind.value for token in _tokens(location) if token.kind not in _PROSE)


def _tokens(location: Location) -> Iterator[Token]:
    token: Token | None = location.start_token
    while token is not None and token.end <= location.end:
        yield token
        token = token.next
