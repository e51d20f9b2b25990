"""Words of many scripts, with their folded forms. They are the same on every supported Python."""

from pathlib import Path
from typing import NamedTuple


class FoldedWord(NamedTuple):
    """A word, and what is compared of it."""

    written: str
    folded: str
    without_accents: str


def folded_words() -> dict[str, list[FoldedWord]]:
    """Return the words by script."""
    found: dict[str, list[FoldedWord]] = {}
    for block in Path(__file__).with_name("folded_words.tsv").read_text(encoding="utf-8").split("\n\n"):
        script, *lines = block.strip().splitlines()
        found[script.removeprefix("# ")] = [FoldedWord(*map(_unescaped, each.split("\t"))) for each in lines]
    return found


def _unescaped(text: str) -> str:
    """Return a text in which marks that nobody could tell apart are written as `\\u0301`."""
    return text.encode("raw_unicode_escape").decode("raw_unicode_escape")
