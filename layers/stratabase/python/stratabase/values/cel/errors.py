"""The errors in an expression."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ExpressionError:
    """An error at a character of the text. `at` counts from 0."""

    at: int
    message: str
    suggestion: str | None = None
    """The word that was probably meant, or None."""

    def __str__(self) -> str:
        hint = f' Did you mean "{self.suggestion}"?' if self.suggestion else ""
        return f"{self.message}{hint}"


class InvalidExpression(Exception):
    """The expression has errors. `errors` are all of them, in the order of the text."""

    def __init__(self, errors: Iterable[ExpressionError]) -> None:
        self.errors = tuple(sorted(set(errors), key=lambda one: (one.at, one.message)))
        super().__init__("\n".join(f"at character {one.at + 1}: {one}" for one in self.errors))
