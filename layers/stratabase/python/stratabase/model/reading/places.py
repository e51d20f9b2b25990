"""Where a character of a text stands in the file in which the text is quoted."""

import re
from itertools import islice

from graphql.language import StringValueNode

from stratabase.model.reading.mistake import line_of

_PIECE = re.compile(
    r"""\\u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\.|.""",
    re.DOTALL,
)
"""What is one character of a text in quotes."""
_QUOTES = '\\"""'
"""How a block writes three quotes."""


def place_in(node: StringValueNode, index: int) -> tuple[int, int]:
    """Return the line and column in the file of the character `index` of a text, or of its end."""
    assert node.loc is not None
    line, column = line_of(node), node.loc.start_token.column
    written = node.loc.source.body[node.loc.start : node.loc.end]
    if not node.block:
        return line, column + 1 + sum(
            len(piece[0]) for piece in islice(_PIECE.finditer(written[1:-1]), index)
        )
    number, inside = _in_block(written[3:-3].split("\n"), index)
    return line + number, inside + 1 if number else column + 3 + inside


def _in_block(lines: list[str], index: int) -> tuple[int, int]:
    """Return the line within a block, and the index in it, of a character of what the block says."""
    said = [number for number, line in enumerate(lines) if line.strip(" \t")] or [0]
    indent = min((_indent(lines[number]) for number in said if number), default=0)
    for number in range(said[0], said[-1] + 1):
        before = indent if number else 0
        line = lines[number][before:]
        length = len(line) - line.count(_QUOTES)
        if index <= length or number == said[-1]:
            return number, before + _written(line, index)
        index -= length + 1
    raise AssertionError


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _written(line: str, index: int) -> int:
    """Return where in a line of a block the character `index` of what it says is written."""
    starts = [found.start() - number for number, found in enumerate(re.finditer(re.escape(_QUOTES), line))]
    return index + sum(start <= index for start in starts)
