"""Texts that must say something, and the names that an expression is made of."""

import re
from collections.abc import Iterator

from stratabase.model.reading.manuscript import Use
from stratabase.model.reading.mistake import Mistake, mistake

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_CHAIN = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*(?!\w|\s*\()")


def empty(use: Use, argument: str) -> Iterator[Mistake]:
    """Refuse an argument that is there but says nothing."""
    text = use[argument]
    if text is not None and not text.strip():
        yield mistake(use.at(argument), f"{argument} is empty.")


def chains(expression: str) -> list[tuple[str, ...]]:
    """Return the names in an expression, each with those that follow it after dots; functions left out."""
    unquoted = _QUOTED.sub("''", expression)
    return [tuple(re.findall(r"\w+", found)) for found in _CHAIN.findall(unquoted)]
