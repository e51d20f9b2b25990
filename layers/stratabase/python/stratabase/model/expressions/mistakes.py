"""What is wrong with an expression."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExpressionMistake:
    """One thing that is wrong, at a character of the text that counts from 0."""

    at: int
    message: str
    suggestion: str | None = None
    """The nearest word that would be right."""

    def __str__(self) -> str:
        hint = f' Did you mean "{self.suggestion}"?' if self.suggestion else ""
        return f"{self.message}{hint}"


class ExpressionMistakes(Exception):
    """The expression cannot be used; `mistakes` is everything that is wrong with it, in the text's order."""

    def __init__(self, mistakes: Iterable[ExpressionMistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes), key=lambda one: (one.at, one.message)))
        super().__init__("\n".join(f"at character {one.at + 1}: {one}" for one in self.mistakes))
