"""Regular expressions whose time grows only with the text, whoever wrote them: those of RE2."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from stratabase.model.expressions.environment import Environment
from stratabase.model.malformed import Malformed

LONGEST_PATTERN = 1000
"""Characters, as in @domain."""
LARGEST_PROGRAM = 2500
"""Instructions. RE2 takes up to about 10 ns for each, for each byte of the text."""
_MEMORY = 2**18
"""Bytes. With more, RE2 goes on making states that it never meets again, which takes several times longer."""


@lru_cache(maxsize=256)
def search(pattern: str) -> Callable[[Environment, str], bool | None]:
    """Return what tells whether a pattern matches a part of a text. Raises Malformed, saying why."""
    compiled = _compiled(pattern)
    instructions = int(compiled.programsize)

    def found(environment: Environment, text: str) -> bool | None:
        # What is not ASCII has several bytes; the work is counted as if all were like the longest.
        work = len(text) * instructions * (1 if text.isascii() else 4)
        return compiled.search(text) is not None if environment.affords(work) else None

    return found


def _compiled(pattern: str) -> Any:
    if len(pattern) > LONGEST_PATTERN:
        raise Malformed(f"it has more than {LONGEST_PATTERN} characters")
    import re2  # type: ignore[import-untyped] # noqa: PLC0415 - few expressions have patterns

    options = re2.Options()
    options.log_errors, options.never_capture, options.max_mem = False, True, _MEMORY
    try:
        compiled = re2.compile(pattern, options)
    except re2.error as error:
        raise Malformed(_reason(error.args[0])) from None
    if compiled.programsize > LARGEST_PROGRAM:
        raise Malformed("it is too large: repeat less")
    return compiled


def _reason(text: Any) -> str:
    """Return RE2's reason, which it gives in bytes."""
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
