"""Words in messages: suggestions for misspelled words, truncation, lists and plurals."""

import re
from collections import Counter
from functools import lru_cache

MIN_GUESSED_LENGTH = 2
"""The minimum length of a word that gets a suggestion. A single letter is equally near to every other."""
MAX_WORD_LENGTH = 100
"""The maximum length of a word in messages. Longer words are truncated, and get no suggestion."""
_MAX_COMPARED = 20
"""The number of words that are compared letter by letter, which takes long: those that share most letters."""


def nearest_word(word: str, among: tuple[str, ...]) -> str | None:
    """Return the word of `among` that is most similar to `word`, or None if none is similar."""
    return next(iter(similar_words(word, among)), None)


def similar_words(word: str, among: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of `among` that are similar to `word`, the most similar first."""
    # Checked here, because the cache would keep a long word.
    return _similar_words(word, among) if MIN_GUESSED_LENGTH <= len(word) <= MAX_WORD_LENGTH else ()


@lru_cache(maxsize=1024)
def _similar_words(word: str, among: tuple[str, ...]) -> tuple[str, ...]:
    from graphql.pyutils import suggestion_list  # noqa: PLC0415 - it imports all of graphql-core, which most functions never need

    if len(among) > _MAX_COMPARED:
        letters = Counter(word.lower())
        among = tuple(sorted(among, key=lambda each: _missing_letters(letters, each))[:_MAX_COMPARED])
    return tuple(suggestion_list(word, among))


def _missing_letters(letters: Counter[str], other: str) -> int:
    """Return how many letters at least must be added, removed or replaced to get the other word."""
    others = Counter(other.lower())
    return max((letters - others).total(), (others - letters).total())


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
