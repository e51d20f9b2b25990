"""A text that does not parse, cut where definitions seem to begin."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
class Piece:
    """One definition, and the line that it begins in."""

    name: str
    text: str
    line: int
    last: bool


def pieces(text: str) -> Iterator[Piece]:
    """Yield the pieces of a text."""
    beginnings = [match.start() for match in _BEGINNING.finditer(text)]
    starts = beginnings if beginnings[:1] == [0] else [0, *beginnings]
    line, before = 1, 0
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        own = text[start:end].rstrip()
        line += text.count("\n", before, start)
        before = start
        yield Piece(_name(own), own, line, end == len(text))


def _name(text: str) -> str:
    """Return what a piece defines: in `type X` and `extend type X` the `X`, in `extend schema` the schema."""
    beginning = _BEGINNING.match(text)
    return (beginning["name"] or SCHEMA) if beginning else ""
