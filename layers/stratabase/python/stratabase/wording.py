"""Words in messages: suggestions for misspelled words, truncation, lists and plurals."""

import re
from functools import lru_cache

MIN_GUESSED_LENGTH = 2
"""The minimum length of a word that gets a suggestion. A single letter is equally near to every other."""
MAX_WORD_LENGTH = 100
"""The maximum length of a word in messages. Longer words are truncated, and get no suggestion."""


def nearest_word(word: str, among: tuple[str, ...]) -> str | None:
    """Return the word of `among` that is most similar to `word`, or None if none is similar."""
    # Checked here, because the cache would keep a long word.
    return _nearest_word(word, among) if MIN_GUESSED_LENGTH <= len(word) <= MAX_WORD_LENGTH else None


@lru_cache(maxsize=1024)
def _nearest_word(word: str, among: tuple[str, ...]) -> str | None:
    from graphql.pyutils import suggestion_list  # noqa: PLC0415 - it imports all of graphql-core, which most functions never need

    return next(iter(suggestion_list(word, among)), None)


def shorten(word: str) -> str:
    """Return a word of the model for a message: on one line, and truncated to MAX_WORD_LENGTH."""
    line = re.sub(r"\s", " ", word)
    return line if len(line) <= MAX_WORD_LENGTH else line[:MAX_WORD_LENGTH] + "…"


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun: 1 object, 2 objects, 1,000 objects."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def is_or_are(number: int) -> str:
    """Return "is" for 1, and "are" for other numbers."""
    return "is" if number == 1 else "are"
