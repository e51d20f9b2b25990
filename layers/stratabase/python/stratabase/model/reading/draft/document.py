"""The text of a model as GraphQL definitions.

Where the syntax is wrong, the text is cut where definitions seem to begin, and each is parsed by itself, so
that one error does not hide the others.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphql.error import GraphQLSyntaxError
from graphql.language import DefinitionNode, Lexer, Source, SourceLocation, Token, TokenKind, parse

from stratabase.model.reading.draft.errors import ModelError
from stratabase.wording import nearest_word

KEYWORDS = ("type", "enum", "extend")
"""What a definition of a model begins with."""
SCHEMA = "schema"
_BEGINNING = re.compile(
    r'^(?:"""(?:(?!""").)*"""\s*|"[^"\n]*"\s*)?'
    r"(?:extend[ \t]+)?(?:schema\b|[A-Za-z]\w*[ \t]+(?P<name>[A-Za-z_]\w*))",
    re.MULTILINE | re.DOTALL,
)
"""Two words (after a description) where a line begins: fields are indented, or have a colon between them."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition, and the line that it begins in."""

    name: str
    text: str
    line: int
    last: bool


def split_definitions(text: str) -> Iterator[Definition]:
    """Yield the pieces of a text."""
    beginnings = [match.start() for match in _BEGINNING.finditer(text)]
    starts = beginnings if beginnings[:1] == [0] else [0, *beginnings]
    line, before = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        own = text[start:end].rstrip()
        line += text.count("\n", before, start)
        before = start
        yield Definition(_name(own), own, line, end == len(text))


def _name(text: str) -> str:
    """Return what a piece defines: in `type X` and `extend type X` the `X`, in `extend schema` the schema."""
    beginning = _BEGINNING.match(text)
    return (beginning["name"] or SCHEMA) if beginning else ""


MAX_BRACKET_DEPTH = 32
"""Brackets within brackets; no model needs a tenth of it, and the parser's own recursion has an end."""
_OPENING = frozenset({TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L})
_CLOSING = frozenset({TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R})


@dataclass(frozen=True, slots=True)
class Document:
    """What could be parsed, what could not, and the names defined in what could not."""

    file: str
    definitions: tuple[DefinitionNode, ...]
    errors: tuple[ModelError, ...] = ()
    unparsed: frozenset[str] = frozenset()

    @property
    def schema_unparsed(self) -> bool:
        """Whether a piece that could not be parsed is about the application and its profiles."""
        return SCHEMA in self.unparsed


def parse_document(text: str, file: str) -> Document:
    """Return the document that `text` is."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        return Document(file, _definitions(Source(text, file)))
    except GraphQLSyntaxError as error:
        return _parse_each_definition(text, file, error)


def _definitions(source: Source) -> tuple[DefinitionNode, ...]:
    _refuse_surrogates(source)
    return parse(source).definitions if list(_tokens(source)) else ()


def _refuse_surrogates(source: Source) -> None:
    """Raise GraphQLSyntaxError for what no file holds, since it cannot be written."""
    try:
        source.body.encode()
    except UnicodeEncodeError as error:
        raise GraphQLSyntaxError(
            source, error.start, "A lone surrogate is not a character. Use both halves of the pair."
        ) from None


def _tokens(source: Source) -> Iterator[Token]:
    """Yield the tokens; raises GraphQLSyntaxError at one that is nested too deep."""
    lexer, depth = Lexer(source), 0
    while (token := lexer.advance()).kind is not TokenKind.EOF:
        depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
        if depth > MAX_BRACKET_DEPTH:
            raise GraphQLSyntaxError(
                source, token.start, f"Brackets can be nested at most {MAX_BRACKET_DEPTH} levels deep."
            )
        yield token


def _parse_each_definition(text: str, file: str, error: GraphQLSyntaxError) -> Document:
    """Parse each definition by itself, so that one that is broken does not hide the others' mistakes."""
    definitions: list[DefinitionNode] = []
    errors: list[ModelError] = []
    unparsed: set[str] = set()
    for piece in split_definitions(text):
        try:
            definitions += _definitions(Source(piece.text, file, SourceLocation(piece.line, 1)))
        except GraphQLSyntaxError as own_error:
            errors.append(_syntax_error(own_error, file, piece))
            unparsed.add(piece.name)
    return Document(
        file, tuple(definitions), tuple(errors) or (_syntax_error(error, file),), frozenset(unparsed)
    )


def _syntax_error(error: GraphQLSyntaxError, file: str, piece: Definition | None = None) -> ModelError:
    line, column = error.locations[0] if error.locations else (1, 1)
    line += piece.line - 1 if piece else 0
    message = error.message.removeprefix("Syntax Error: ")
    if piece and not piece.last:
        message = message.replace("<EOF>", "the end of the definition")
    unexpected = message.removeprefix("Unexpected Name '").removesuffix("'.")
    return ModelError(file, line, column, f"Syntax error: {message}", nearest_word(unexpected, KEYWORDS))
