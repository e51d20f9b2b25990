"""Errors in a model file, with their place and the word that was probably meant."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from graphql.language import Node, StringValueNode

from stratabase.core.model.reading.draft.model_draft import DirectiveUse
from stratabase.values.frozen import frozen
from stratabase.values.wording import nearest_word

_CHARACTER = re.compile(
    r"""\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\.|.""",
    re.DOTALL,
)
"""Matches one character in a quoted string: an escape, a surrogate pair of escapes, or a plain character."""
_BLOCK_QUOTES = '\\"""'
"""Three quotes inside a block string."""


@frozen
class ModelError:
    """An error or a warning at a line and column of a file, which count from 1."""

    file: str
    line: int
    column: int
    message: str
    suggestion: str | None = None
    """The word that was probably meant, or None."""

    def __str__(self) -> str:
        hint = f' Did you mean "{self.suggestion}"?' if self.suggestion else ""
        return f"{self.file}:{self.line}:{self.column}: {self.message}{hint}"


class InvalidModel(Exception):
    """The model has errors. `errors` are all of them, in the order of the file."""

    def __init__(self, errors: Iterable[ModelError]) -> None:
        in_order = sorted(set(errors), key=lambda one: (one.line, one.column, one.message))
        self.errors = tuple(in_order)
        super().__init__("\n".join(str(error) for error in self.errors))


def error_at(
    node: Node, message: str, *, word: str = "", among: Iterable[str] = (), offset: int = 0
) -> ModelError:
    """Return the error at a node, or `offset` columns after its start.

    The suggestion is the word in `among` that is nearest to `word`, if one is near enough.
    """
    location = node.loc
    assert location is not None
    column = location.start_token.column + offset
    return ModelError(location.source.name, line_of(node), column, message, nearest_word(word, tuple(among)))


def line_of(node: Node) -> int:
    """Return the line of the file in which a node begins, counted from 1."""
    location = node.loc
    assert location is not None
    return location.start_token.line + location.source.location_offset.line - 1


def position_in_text(node: StringValueNode, index: int) -> tuple[int, int]:
    """Return the line and column of a character of a string's value, or of its end, in the file.

    `index` is the position of the character in the value. In the file, escapes and indents take more room.
    """
    assert node.loc is not None
    line, column = line_of(node), node.loc.start_token.column
    source = node.loc.source.body[node.loc.start : node.loc.end]
    if not node.block:
        return line, column + 1 + sum(
            len(piece[0]) for piece in islice(_CHARACTER.finditer(source[1:-1]), index)
        )
    number, inside = _in_block(source[3:-3].split("\n"), index)
    return line + number, inside + 1 if number else column + 3 + inside


def _in_block(lines: list[str], index: int) -> tuple[int, int]:
    """Return the line in a block string, and the index in that line, of a character of its value.

    GraphQL removes empty lines at both ends of a block, and the common indent of its lines.
    """
    content_lines = [number for number, line in enumerate(lines) if line.strip(" \t")] or [0]
    indent = min((_indent(lines[number]) for number in content_lines if number), default=0)
    for number in range(content_lines[0], content_lines[-1] + 1):
        before = indent if number else 0
        line = lines[number][before:]
        length = len(line) - line.count(_BLOCK_QUOTES)
        if index <= length or number == content_lines[-1]:
            return number, before + _source_index(line, index)
        index -= length + 1
    raise AssertionError


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _source_index(line: str, index: int) -> int:
    """Return the index in a line of a block at which the character `index` of the value is written.

    Each escape of three quotes is one character longer than its value.
    """
    starts = [
        found.start() - number for number, found in enumerate(re.finditer(re.escape(_BLOCK_QUOTES), line))
    ]
    return index + sum(start <= index for start in starts)


def check_not_empty(use: DirectiveUse, argument: str) -> Iterator[ModelError]:
    """Yield an error for an argument that is empty or blank."""
    text = use[argument]
    if text is not None and not text.strip():
        yield error_at(use.node_of(argument), f"{argument} can't be empty.")
