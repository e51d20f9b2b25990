"""What is done with texts, and what it costs: long ones draw on the work that an evaluation may do."""

from typing import Any

from stratabase.model.expressions.environment import Environment

LONGEST_TEXT = 1_000_000
"""Characters of a text that is made; a longer one is null."""
SHORT = 1000
"""Characters that cost nothing: there are not many steps in an expression."""
_CASE = 8
"""What it costs to change a character, compared with copying it."""


def _affords(environment: Environment, length: int, weight: int = 1) -> bool:
    return length <= SHORT or (length <= LONGEST_TEXT and environment.affords(length * weight))


def joined(environment: Environment, left: str, right: str) -> str | None:
    """Return one text after the other."""
    return left + right if _affords(environment, len(left) + len(right)) else None


def all_joined(environment: Environment, *pieces: str) -> str | None:
    """Return texts, one after the other."""
    return "".join(pieces) if _affords(environment, sum(map(len, pieces))) else None


def lower(environment: Environment, text: str) -> str | None:
    """Return a text in small letters."""
    return text.lower() if _affords(environment, len(text), _CASE) else None


def upper(environment: Environment, text: str) -> str | None:
    """Return a text in capital letters."""
    return text.upper() if _affords(environment, len(text), _CASE) else None


def trim(environment: Environment, text: str) -> str | None:
    """Return a text without the blanks around it."""
    return text.strip() if _affords(environment, len(text)) else None


def contains(environment: Environment, text: str, part: str) -> bool | None:
    """Return whether a text has another within it."""
    return part in text if _affords(environment, len(text)) else None


def starts_with(_: Environment, text: str, part: str) -> bool:
    """Return whether a text begins with another."""
    return text.startswith(part)


def ends_with(_: Environment, text: str, part: str) -> bool:
    """Return whether a text ends with another."""
    return text.endswith(part)


def size(_: Environment, value: Any) -> int:
    """Return how many characters a text has, or how many items a list."""
    return len(value)
