"""The text of a model as GraphQL definitions, with a piece of it set aside where its syntax is wrong."""

from collections.abc import Iterator
from dataclasses import dataclass

from graphql.error import GraphQLSyntaxError
from graphql.language import DefinitionNode, Lexer, Source, SourceLocation, Token, TokenKind, parse

from stratabase.model.reading.mistake import Mistake, nearest
from stratabase.model.reading.pieces import KEYWORDS, SCHEMA, Piece, pieces

DEEPEST = 32
"""Brackets within brackets; no model needs a tenth of it, and the parser's own recursion has an end."""
_OPENING = frozenset({TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L})
_CLOSING = frozenset({TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R})


@dataclass(frozen=True, slots=True)
class Document:
    """What could be parsed, what could not, and the names defined in what could not."""

    file: str
    definitions: tuple[DefinitionNode, ...]
    mistakes: tuple[Mistake, ...] = ()
    unread: frozenset[str] = frozenset()

    @property
    def schema_unread(self) -> bool:
        """Whether a piece that could not be parsed is about the application and its profiles."""
        return SCHEMA in self.unread


def document(text: str, file: str) -> Document:
    """Return the document that `text` is."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        return Document(file, _definitions(Source(text, file)))
    except GraphQLSyntaxError as error:
        return _piecewise(text, file, error)


def _definitions(source: Source) -> tuple[DefinitionNode, ...]:
    _refuse_surrogates(source)
    return parse(source).definitions if list(_tokens(source)) else ()


def _refuse_surrogates(source: Source) -> None:
    """Raise GraphQLSyntaxError for what no file holds, since it cannot be written."""
    try:
        source.body.encode()
    except UnicodeEncodeError as error:
        raise GraphQLSyntaxError(source, error.start, "Half of a surrogate pair is no character.") from None


def _tokens(source: Source) -> Iterator[Token]:
    """Yield the tokens; raises GraphQLSyntaxError at one that is nested too deep."""
    lexer, depth = Lexer(source), 0
    while (token := lexer.advance()).kind is not TokenKind.EOF:
        depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
        if depth > DEEPEST:
            raise GraphQLSyntaxError(source, token.start, f"More than {DEEPEST} brackets within one another.")
        yield token


def _piecewise(text: str, file: str, error: GraphQLSyntaxError) -> Document:
    """Parse each definition by itself, so that one that is broken does not hide the others' mistakes."""
    definitions: list[DefinitionNode] = []
    mistakes: list[Mistake] = []
    unread: set[str] = set()
    for piece in pieces(text):
        try:
            definitions += _definitions(Source(piece.text, file, SourceLocation(piece.line, 1)))
        except GraphQLSyntaxError as its_own:
            mistakes.append(_syntax(its_own, file, piece))
            unread.add(piece.name)
    return Document(file, tuple(definitions), tuple(mistakes) or (_syntax(error, file),), frozenset(unread))


def _syntax(error: GraphQLSyntaxError, file: str, piece: Piece | None = None) -> Mistake:
    line, column = error.locations[0] if error.locations else (1, 1)
    line += piece.line - 1 if piece else 0
    message = error.message.removeprefix("Syntax Error: ")
    if piece and not piece.last:
        message = message.replace("<EOF>", "the end of the definition")
    unexpected = message.removeprefix("Unexpected Name '").removesuffix("'.")
    return Mistake(file, line, column, f"Syntax: {message}", nearest(unexpected, KEYWORDS))
