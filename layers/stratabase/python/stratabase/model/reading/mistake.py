"""A mistake in a model file: where it stands, what is wrong, and what was probably meant."""

from collections.abc import Iterable
from dataclasses import dataclass

from graphql.language import Node

from stratabase.model.words import listed, nearest, shown

__all__ = ["Mistake", "ModelMistakes", "line_of", "listed", "mistake", "nearest", "shown"]


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
