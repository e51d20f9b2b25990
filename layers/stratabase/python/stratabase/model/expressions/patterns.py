"""The patterns of `matches`, whose work is part of what an expression may do."""

from collections.abc import Callable
from functools import lru_cache

from stratabase.model.expressions.environment import Environment
from stratabase.model.malformed import Malformed
from stratabase.model.regex import compile_regex, work

LARGEST_PROGRAM = 2500
"""Instructions."""


@lru_cache(maxsize=256)
def search(pattern: str) -> Callable[[Environment, str], bool | None]:
    """Return what tells whether a pattern matches a part of a text. Raises Malformed, saying why."""
    compiled = compile_regex(pattern)
    if compiled.programsize > LARGEST_PROGRAM:
        raise Malformed("it is too large: repeat less")

    def found(environment: Environment, text: str) -> bool | None:
        return compiled.search(text) is not None if environment.affords(work(compiled, text)) else None

    return found
