"""Python source that is made piece by piece, and what it refers to."""

from collections.abc import Callable
from typing import Any


class Unshaped(Exception):
    """A value that is not plainly good; graphql-core must judge it."""


def bad() -> Any:
    """Refuse the value at hand, from within an expression."""
    raise Unshaped


class Code:
    """Functions that shape an answer. Every name comes from GraphQL's grammar or is made here."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._names: dict[str, Any] = {"bad": bad}

    def bound(self, value: Any) -> str:
        """Return a name under which the source finds a value."""
        name = f"c{len(self._names)}"
        self._names[name] = value
        return name

    def function(self, expression: str) -> str:
        """Add a function of `source` (a dict, whose `get` is `g`), and return its name."""
        name = f"f{len(self._lines)}"
        self._lines.append(f"def {name}(source):\n    g = source.get\n    return {expression}\n")
        return name

    def finished(self, name: str) -> Callable[[Any], Any]:
        """Return a function that was added."""
        names = dict(self._names)
        exec("\n".join(self._lines), names)  # noqa: S102 - no text of a client is in it but names
        function: Callable[[Any], Any] = names[name]
        return function
