"""Words in messages: the nearest of those that would be right, and how they are shown."""

import re
from functools import lru_cache

from graphql.pyutils import suggestion_list

MIN_GUESSED_LENGTH = 2
"""A single letter is as near to any other."""
MAX_WORD_LENGTH = 100
"""Longer words are cut in messages, and nobody guesses what they were meant to be."""


@lru_cache(maxsize=1024)
def nearest_word(word: str, among: tuple[str, ...]) -> str | None:
    """Return the one of `among` that `word` was probably meant to be."""
    if not MIN_GUESSED_LENGTH <= len(word) <= MAX_WORD_LENGTH:
        return None
    return next(iter(suggestion_list(word, among)), None)


def shorten(word: str) -> str:
    """Return a word of the model as messages show it: on one line, and not too long."""
    line = re.sub(r"\s", " ", word)
    return line if len(line) <= MAX_WORD_LENGTH else line[:MAX_WORD_LENGTH] + "…"


def pluralize(number: int, noun: str) -> str:
    """Return so many things as people write it: 1 object, 2 objects, 1,000 objects."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def is_or_are(number: int) -> str:
    """Return the verb that goes with so many things."""
    return "is" if number == 1 else "are"
