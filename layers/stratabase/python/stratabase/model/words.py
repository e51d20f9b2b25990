"""Words in messages: the nearest of those that would be right, and how they are shown."""

import re
from collections.abc import Iterable
from functools import lru_cache

from graphql.pyutils import suggestion_list

SHORTEST_WORD = 2
"""A single letter is as near to any other."""
LONGEST_WORD = 100
"""Longer words are cut in messages, and nobody guesses what they were meant to be."""


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
