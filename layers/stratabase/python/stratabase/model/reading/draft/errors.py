"""Errors in a model file: where each stands, what is wrong, and what was probably meant."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from graphql.language import Node, StringValueNode

from stratabase.model.reading.draft.model_draft import DirectiveUse
from stratabase.wording import nearest_word

_CHARACTER = re.compile(
    r"""\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\.|.""",
    re.DOTALL,
)
"""What is one character of a text in quotes."""
_BLOCK_QUOTES = '\\"""'
"""How a block writes three quotes."""


@dataclass(frozen=True, slots=True)
class ModelError:
    """One thing that is wrong, at a line and column that count from 1."""

    file: str
    line: int
    column: int
    message: str
    suggestion: str | None = None
    """The nearest word that would be right."""

    def __str__(self) -> str:
        hint = f' Did you mean "{self.suggestion}"?' if self.suggestion else ""
        return f"{self.file}:{self.line}:{self.column}: {self.message}{hint}"


class InvalidModel(Exception):
    """The model cannot be used; `errors` has everything that is wrong with it, in the order of the file."""

    def __init__(self, errors: Iterable[ModelError]) -> None:
        in_order = sorted(set(errors), key=lambda one: (one.line, one.column, one.message))
        self.errors = tuple(in_order)
        super().__init__("\n".join(str(error) for error in self.errors))


def error_at(
    node: Node, message: str, *, word: str = "", among: Iterable[str] = (), offset: int = 0
) -> ModelError:
    """Return the error at a node, or `offset` columns into it.

    `word`: what was written; the nearest to it `among` the words that would be right becomes the suggestion.
    """
    location = node.loc
    assert location is not None
    column = location.start_token.column + offset
    return ModelError(location.source.name, line_of(node), column, message, nearest_word(word, tuple(among)))


def line_of(node: Node) -> int:
    """Return the line of the file in which a node begins."""
    location = node.loc
    assert location is not None
    return location.start_token.line + location.source.location_offset.line - 1


def position_in_text(node: StringValueNode, index: int) -> tuple[int, int]:
    """Return the line and column in the file of the character `index` of a text, or of its end."""
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
    """Return the line within a block, and the index in it, of a character of what the block says."""
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
    """Return where in a line of a block the character `index` of what it says is written."""
    starts = [
        found.start() - number for number, found in enumerate(re.finditer(re.escape(_BLOCK_QUOTES), line))
    ]
    return index + sum(start <= index for start in starts)


def check_not_empty(use: DirectiveUse, argument: str) -> Iterator[ModelError]:
    """Refuse an argument that is there but says nothing."""
    text = use[argument]
    if text is not None and not text.strip():
        yield error_at(use.node_of(argument), f"{argument} can't be empty.")
