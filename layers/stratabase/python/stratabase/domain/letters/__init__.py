"""The letters that members get by mail, in every language that there are letters in."""

from collections.abc import Mapping

from stratabase.domain.language import spoken
from stratabase.domain.letters import en, it
from stratabase.domain.letters.letter import Letters

LETTERS: Mapping[str, Letters] = {"en": en.LETTERS, "it": it.LETTERS}
"""By their languages."""


def letters_in(language: str) -> Letters:
    """Return the letters in a language, or in English."""
    return LETTERS[spoken([language], LETTERS)]
