"""A mistake in a model file: where it stands, what is wrong, and what was probably meant."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from graphql.language import Node
from graphql.pyutils import suggestion_list

SHORTEST_WORD = 2
"""A single letter is as near to any other."""
LONGEST_WORD = 100
"""Longer words are cut in messages, and nobody guesses what they were meant to be."""


@dataclass(frozen=True, slots=True)
class Mistake:
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


class ModelMistakes(Exception):
    """The model cannot be used; `mistakes` is everything that is wrong with it, in the order of the file."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        in_order = sorted(set(mistakes), key=lambda one: (one.line, one.column, one.message))
        self.mistakes = tuple(in_order)
        super().__init__("\n".join(str(mistake) for mistake in self.mistakes))


def mistake(
    node: Node, message: str, *, word: str = "", among: Iterable[str] = (), offset: int = 0
) -> Mistake:
    """Return the mistake at a node (or `offset` columns into it); `word` is what `among` has a nearest to."""
    location = node.loc
    assert location is not None
    column = location.start_token.column + offset
    return Mistake(location.source.name, line_of(node), column, message, nearest(word, tuple(among)))


def line_of(node: Node) -> int:
    """Return the line of the file in which a node begins."""
    location = node.loc
    assert location is not None
    return location.start_token.line + location.source.location_offset.line - 1


@lru_cache(maxsize=1024)
def nearest(word: str, among: tuple[str, ...]) -> str | None:
    """Return the one of `among` that `word` was probably meant to be."""
    if not SHORTEST_WORD <= len(word) <= LONGEST_WORD:
        return None
    return next(iter(suggestion_list(word, among)), None)


def shown(word: str) -> str:
    """Return a word of the model as messages show it: on one line, and not too long."""
    line = re.sub(r"\s", " ", word)
    return line if len(line) <= LONGEST_WORD else line[:LONGEST_WORD] + "…"


def listed(words: Iterable[str], conjunction: str = "and") -> str:
    """Return words as people list them: a, b and c."""
    *first, last = list(words) or ["nothing"]
    return f"{', '.join(first)} {conjunction} {last}" if first else last
