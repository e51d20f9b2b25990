"""Parsing the text of a model to GraphQL definitions.

GraphQL's parser stops at the first syntax error. Then this module splits the text at the apparent start of
each definition, and parses each piece. So an error in one definition doesn't hide the errors in the others.
"""

import re
from collections.abc import Iterator

from graphql.error import GraphQLSyntaxError
from graphql.language import DefinitionNode, Lexer, Source, SourceLocation, Token, TokenKind, parse

from stratabase.core.model.reading.draft.errors import ModelError
from stratabase.values.frozen import frozen
from stratabase.values.wording import nearest_word

KEYWORDS = ("type", "enum", "extend")
"""The keywords with which a definition of a model can begin."""
SCHEMA = "schema"
_BEGINNING = re.compile(
    r'^(?:"""(?:(?!""").)*"""\s*|"[^"\n]*"\s*)?'
    r"(?:extend[ \t]+)?(?:schema\b|[A-Za-z]\w*[ \t]+(?P<name>[A-Za-z_]\w*))",
    re.MULTILINE | re.DOTALL,
)
"""Matches the start of a definition: two words at the start of a line, after an optional description.

Fields don't match: they are indented, or have a colon after the first word.
"""


@frozen
class Definition:
    """A piece of the text that looks like one definition. `line` is its first line, counted from 1."""

    name: str
    text: str
    line: int
    last: bool


def split_definitions(text: str) -> Iterator[Definition]:
    """Yield the pieces of a text, each of which looks like one definition."""
    beginnings = [match.start() for match in _BEGINNING.finditer(text)]
    starts = beginnings if beginnings[:1] == [0] else [0, *beginnings]
    line, before = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        own = text[start:end].rstrip()
        line += text.count("\n", before, start)
        before = start
        yield Definition(_name(own), own, line, end == len(text))


def _name(text: str) -> str:
    """Return the name that a piece defines, or SCHEMA for an extension of the schema, or ""."""
    beginning = _BEGINNING.match(text)
    return (beginning["name"] or SCHEMA) if beginning else ""


MAX_BRACKET_DEPTH = 32
"""The limit on nested brackets. Models need few levels, and a limit keeps the parser's recursion finite."""
_OPENING = frozenset({TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L})
_CLOSING = frozenset({TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R})


@frozen
class ModelDocument:
    """The parsed definitions of a model file, the syntax errors, and the names in the pieces with errors."""

    file: str
    definitions: tuple[DefinitionNode, ...]
    errors: tuple[ModelError, ...] = ()
    unparsed: frozenset[str] = frozenset()

    @property
    def schema_unparsed(self) -> bool:
        """Whether a piece with a syntax error extends the schema, and may define profiles."""
        return SCHEMA in self.unparsed


def parse_document(text: str, file: str) -> ModelDocument:
    """Return the document of a text. It holds the syntax errors; this function raises none."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        return ModelDocument(file, _definitions(Source(text, file)))
    except GraphQLSyntaxError as error:
        return _parse_each_definition(text, file, error)


def _definitions(source: Source) -> tuple[DefinitionNode, ...]:
    _refuse_surrogates(source)
    return parse(source).definitions if list(_tokens(source)) else ()


def _refuse_surrogates(source: Source) -> None:
    """Raise GraphQLSyntaxError for a lone surrogate, which no UTF-8 file can contain."""
    try:
        source.body.encode()
    except UnicodeEncodeError as error:
        raise GraphQLSyntaxError(
            source, error.start, "A lone surrogate is not a character. Use both halves of the pair."
        ) from None


def _tokens(source: Source) -> Iterator[Token]:
    """Yield the tokens. Raise GraphQLSyntaxError where brackets are nested too deep."""
    lexer, depth = Lexer(source), 0
    while (token := lexer.advance()).kind is not TokenKind.EOF:
        depth += (token.kind in _OPENING) - (token.kind in _CLOSING)
        if depth > MAX_BRACKET_DEPTH:
            raise GraphQLSyntaxError(
                source, token.start, f"Brackets can be nested at most {MAX_BRACKET_DEPTH} levels deep."
            )
        yield token


def _parse_each_definition(text: str, file: str, error: GraphQLSyntaxError) -> ModelDocument:
    """Return the document of a text with syntax errors. `error` is the first error in the whole text."""
    definitions: list[DefinitionNode] = []
    errors: list[ModelError] = []
    unparsed: set[str] = set()
    for piece in split_definitions(text):
        # The location offset keeps the line numbers of the file.
        try:
            definitions += _definitions(Source(piece.text, file, SourceLocation(piece.line, 1)))
        except GraphQLSyntaxError as own_error:
            errors.append(_syntax_error(own_error, file, piece))
            unparsed.add(piece.name)
    # The pieces can all be valid although the whole text is not. Then its own error is the only one.
    return ModelDocument(
        file, tuple(definitions), tuple(errors) or (_syntax_error(error, file),), frozenset(unparsed)
    )


def _syntax_error(error: GraphQLSyntaxError, file: str, piece: Definition | None = None) -> ModelError:
    line, column = error.locations[0] if error.locations else (1, 1)
    line += piece.line - 1 if piece else 0
    message = error.message.removeprefix("Syntax Error: ")
    if piece and not piece.last:
        message = message.replace("<EOF>", "the end of the definition")
    first_line, *more = message.splitlines()
    if more:  # it shows a text of several lines
        message = f"{first_line} …'."
    unexpected = message.removeprefix("Unexpected Name '").removesuffix("'.")
    return ModelError(file, line, column, f"Syntax error: {message}", nearest_word(unexpected, KEYWORDS))
