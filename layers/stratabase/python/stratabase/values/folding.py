"""Folding: maps texts to a form by which they are compared, so that `Straße` equals `STRASSE`.

The form of a text must never change, because indexes contain it. It is that of Unicode 14.0.0, on every
Python. Unicode guarantees that later versions normalize and fold the characters of an earlier one alike
(https://www.unicode.org/policies/stability_policy.html). So this uses Python's own functions for the
characters of Unicode 14, and leaves all others as they are. Whether a character is a mark may change. So the
table has the marks, too.
"""

from bisect import bisect
from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain, groupby
from pathlib import Path
from typing import Any
from unicodedata import combining, normalize

from stratabase.values.frozen import frozen
from stratabase.values.text_cache import cache_short_texts

_KEPT = 4096
"""The number of folded texts to keep. Folding one that is not ASCII takes many times as long."""
_LONG = 256
"""The length from which it matters that Python sorts a run of marks in the square of its length."""
_COSTLY = 1000
"""The length from which it matters what it costs to fold a text."""
_LONG_RUN = 31
"""The number of marks in a run that no text of a language has (Unicode's Stream-Safe Text Format)."""


@frozen
class Folding:
    """A way to fold texts."""

    name: str
    """The name in the model language."""
    reading: str
    """The name in the registry of indexes, with the version of Unicode. It must never change."""
    fold: Callable[[str], str]
    """Returns the form of a text that is compared."""

    def after(self, before_long: Callable[[int], object]) -> Callable[[str], str]:
        """Return a function that folds a text. `before_long` is called with the cost of a long one first."""
        fold = self.fold

        def folded(text: str) -> str:
            if len(text) > _COSTLY:
                before_long(folding_cost(text))
            return fold(text)

        return folded

    def operand(self, value: Any) -> Any:
        """Return an operand of a filter with each text folded. Anything else stays as it is."""
        if isinstance(value, tuple):
            return tuple(map(self.operand, value))
        return self.fold(value) if isinstance(value, str) else value


def fold(text: str) -> str:
    """Return a text after NFKC, full case folding, and NFKC again."""
    return text.lower() if text.isascii() else _folded(text)


def fold_without_accents(text: str) -> str:
    """Return a folded text without nonspacing marks, such as accents, and vowel signs of Arabic and Thai."""
    return text.lower() if text.isascii() else _folded_without_accents(text)


def folding_cost(text: str) -> int:
    """Return how many characters can be compared in the time that it takes to fold a text."""
    return len(text) if text.isascii() else len(text) * 50


@cache_short_texts(_KEPT)
def _folded(text: str) -> str:
    return _of_known_characters(_fold_characters, text)


@cache_short_texts(_KEPT)
def _folded_without_accents(text: str) -> str:
    return _of_known_characters(_without_marks, _folded(text))


def _of_known_characters(change: Callable[[str], str], text: str) -> str:
    """Return a text of which the parts are changed that have characters of Unicode 14 only."""
    unknown = {each for each in set(text) if not each.isascii() and not _is_known(each)}
    if not unknown:
        return change(text)
    # What has no character in Unicode 14 composes with nothing, so the parts change by themselves.
    parts = ((is_unknown, "".join(part)) for is_unknown, part in groupby(text, unknown.__contains__))
    return "".join(part if is_unknown else change(part) for is_unknown, part in parts)


def _is_known(character: str) -> bool:
    return bisect(_no_character(), ord(character)) % 2 == 0


def _fold_characters(text: str) -> str:
    return _composed(_composed(text).casefold())


def _without_marks(text: str) -> str:
    return _composed(normalize("NFD", text).translate(_nonspacing_marks()))


def _composed(text: str) -> str:
    """Return the NFKC of a text, in linear time."""
    return normalize("NFKC", text if len(text) < _LONG else _with_sorted_marks(text))


def _with_sorted_marks(text: str) -> str:
    """Return a text, decomposed and with marks in canonical order if it has long runs of them."""
    decomposed = text.translate({ord(each): normalize("NFKD", each) for each in set(text)})
    shape = decomposed.translate({ord(each): "m" if combining(each) else "." for each in set(decomposed)})
    if "m" * _LONG_RUN not in shape:
        return text
    runs = groupby(decomposed, lambda each: combining(each) > 0)
    return "".join(chain.from_iterable(sorted(run, key=combining) if marks else run for marks, run in runs))


@cache
def _no_character() -> tuple[int, ...]:
    """Return the first code point of each range without characters, and the first one after it, in turns."""
    return tuple(end for each in _ranges("Cn") for end in (each.start, each.stop))


@cache
def _nonspacing_marks() -> Mapping[int, None]:
    return dict.fromkeys(chain.from_iterable(_ranges("Mn")))


def _ranges(category: str) -> list[range]:
    """Return the ranges of the code points of a general category in Unicode 14. Few models need the table."""
    text = Path(__file__).with_name("unicode_14.txt").read_text(encoding="ascii")
    _, _, found = text.partition(f"\n\n{category}\n")
    ends = ([int(end, 16) for end in each.split("-")] for each in found.partition("\n\n")[0].split())
    return [range(each[0], each[-1] + 1) for each in ends]


FOLDED = Folding("FOLDED", "Folded14", fold)
FOLDED_NO_ACCENTS = Folding("FOLDED_NO_ACCENTS", "FoldedNoAccents14", fold_without_accents)
FOLDINGS = (FOLDED, FOLDED_NO_ACCENTS)
"""All ways, the one that ignores the least first."""


def coarser(*foldings: Folding | None) -> Folding | None:
    """Return the one that ignores the most, None if all are None."""
    return max((each for each in foldings if each is not None), key=FOLDINGS.index, default=None)
