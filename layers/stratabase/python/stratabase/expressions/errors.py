"""The errors of an expression."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExpressionError:
    """One thing that is wrong, at a character of the text that counts from 0."""

    at: int
    message: str
    suggestion: str | None = None
    """The nearest word that would be right."""

    def __str__(self) -> str:
        hint = f' Did you mean "{self.suggestion}"?' if self.suggestion else ""
        return f"{self.message}{hint}"


class InvalidExpression(Exception):
    """The expression cannot be used; `errors` is everything that is wrong with it, in the text's order."""

    def __init__(self, errors: Iterable[ExpressionError]) -> None:
        self.errors = tuple(sorted(set(errors), key=lambda one: (one.at, one.message)))
        super().__init__("\n".join(f"at character {one.at + 1}: {one}" for one in self.errors))
